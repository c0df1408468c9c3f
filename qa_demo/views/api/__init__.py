"""The public endpoints, one module each: plain values in, the JSON of the command line out; errors
are sentences.
"""
