"""The command line: `main.py` reads the arguments, one module for each family of commands.

Here commands and real readers meet; nothing else of the package imports this room.
"""
