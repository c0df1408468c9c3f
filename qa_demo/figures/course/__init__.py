"""What a teacher hands out and reads from: plans as a page to print and as text.

Records in, plain text out; no gradio, no torch, no chapter.
"""
