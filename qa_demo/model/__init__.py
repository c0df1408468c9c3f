"""Readers: torch, transformers, tokenizers and captum behind the `Reader` protocol."""
