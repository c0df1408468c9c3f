"""A class at the page: visitors that send the page's own events, and single-threaded twins of what
they must be shown. `python -m tests.load`.
"""
