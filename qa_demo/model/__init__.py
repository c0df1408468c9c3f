"""Readers: torch, transformers, tokenizers and captum behind the `Reader` protocol."""

from qa_demo.model.memory import bound_caches

bound_caches()  # here, because every way to torch leads through this package
