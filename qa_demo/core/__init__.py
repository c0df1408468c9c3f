"""Records, rules and arithmetic of extractive question answering.

Rules, scores and losses are made here, from records to records, and a result keeps what led to it;
a chapter may normalise and add.
Imports numpy and the standard library only: no torch, no gradio, no other package of ours.
"""
