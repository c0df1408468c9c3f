"""Lessons: a mode over the chapters, answered with numbers of the reading on screen.

`course.py` loads the files, `find.py` says what a step shows of a screen, `strip.py` wires the
strip; never torch.
"""
