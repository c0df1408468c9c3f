"""What lessons say of a reading: named checks, each with the number that decides, and the answer to
a guess.

Records in, sentences out; no gradio, no torch, no chapter.
"""
