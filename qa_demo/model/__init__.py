"""Readers and the small SpanBERT behind the protocols of core.

The only package that computes with torch, transformers, tokenizers and captum (training apart).
Imports core: no page, no gradio. Files that cannot be trusted are refused unopened.
"""

import os

# Every way to torch but training's leads through here. Threads of a pass that wait for each other
# sleep: spinning, two threads beside other work on two cores took 3 to 13 times as long as one.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# oneDNN and torch's layer over it keep the machine code of every product by its shape, thus by the
# length of a text: 1,000 of them each, which is 0.7 GB. These hold 50 MB; writing one takes 1 ms.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "48")
os.environ.setdefault("LRU_CACHE_CAPACITY", "48")
