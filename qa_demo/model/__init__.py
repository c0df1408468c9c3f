"""Readers and the small SpanBERT behind the protocols of core.

The only room that computes with torch, transformers, tokenizers and captum (training apart).
Imports core: no page, no gradio. Files that cannot be trusted are refused unopened.
"""

from qa_demo.model.memory import bound_caches

bound_caches()  # here, because every way to torch leads through this package
