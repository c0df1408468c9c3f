"""What a class uses: lessons and their files, rooms, the bench of typed numbers.

Records in, records out; a room lives in memory.
Numpy and the standard library alone; nothing is written to disk.
"""
