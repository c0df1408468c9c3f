"""The bench of a few tokens: what follows from numbers typed by hand.

`desk.py` prints every number of a bench, `exercise.py` the pencil reader's tasks and hints.
Records in, plain data out; no gradio, no torch, no chapter.
"""
