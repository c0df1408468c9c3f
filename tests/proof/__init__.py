"""What the page shows, kept whole before a change and compared after it.

Not part of the suite: a command of its own, for redesigns that must change nothing.
"""
