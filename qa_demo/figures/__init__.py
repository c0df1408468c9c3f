"""Records in, plain data for the page out; a folder for each chapter.

Here numbers become the strings, rows and sentences that are shown; what chapters share lies beside.
Imports core only: no gradio, no torch, and no chapter imports another.
"""
