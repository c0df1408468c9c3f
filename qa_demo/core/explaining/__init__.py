"""What an answer rests on: attention, attribution, masked words, and chance.

Records in, records out; the reader comes in behind its protocol.
Numpy and the standard library alone: no torch, no captum.
"""
