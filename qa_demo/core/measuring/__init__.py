"""Many questions at once: files, scores, kinds of failures, calibration.

Examples and predictions in, records of figures out.
Numpy and the standard library alone; nothing is printed here.
"""
