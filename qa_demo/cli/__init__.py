"""The command line: `main.py` reads it, one module makes each family of commands."""
