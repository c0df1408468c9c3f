"""The bench of a few tokens: what follows from numbers typed by hand.

Records in, plain data out; no gradio, no torch, no chapter.
"""
