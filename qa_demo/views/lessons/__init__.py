"""Lessons: a mode over the chapters. Each step sets the page up, asks, and answers with numbers of
the reading on screen.

`library.py` loads the files, `find.py` says what a step shows of a screen, `strip.py` wires the
strip; never torch.
"""
