"""The command line: `main.py` reads the arguments, one module for each family of commands.

Flags in, JSON or plain lines out. Here commands and real readers meet.
Nothing of the page comes in, and nothing else of the package imports this room.
"""
