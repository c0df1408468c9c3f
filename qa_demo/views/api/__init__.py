"""The public endpoints, one module each.

Plain values in, the JSON of the command line out; an error is one sentence.
No chapter, no picture and no torch: a reader comes from `Services`.
"""
