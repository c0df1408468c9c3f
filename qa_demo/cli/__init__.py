"""The command line: main.py reads it, one module for each family of commands."""
