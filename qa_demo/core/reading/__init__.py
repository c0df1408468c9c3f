"""From a text to an answer: windows, legal spans, scores, merge rules, no answer.

Records in, records out, every step kept.
Numpy and the standard library alone; no file is read here.
"""
