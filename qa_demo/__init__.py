"""Spanlight: see how a BERT reader finds an answer."""

__version__ = "0.1.0"
