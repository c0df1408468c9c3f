"""What a teacher reads from and hands out.

Plans of hours as pages to print and as tables of a document.
Records in, plain text out; no gradio, no torch, no chapter.
"""
