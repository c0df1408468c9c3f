"""Records, rules and arithmetic of extractive question answering.

Every number of the page is made here, from records to records; a result keeps what led to it.
Imports numpy and the standard library only: no torch, no gradio, no other package of ours.
"""
