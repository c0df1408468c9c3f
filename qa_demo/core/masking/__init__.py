"""SpanBERT: how spans are hidden, and what the heads say of hidden words.

Records in, records out; chance comes in as a generator with its seed.
Numpy and the standard library alone: no torch.
"""
