"""What lies on disk or leaves the program: stored readings, fields of JSON.

Records to plain dictionaries and back.
Numpy and the standard library alone; no number is made here.
"""
