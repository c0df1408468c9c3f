"""Chapter 7: tags instead of a start and an end.

Records in, plain data for the page out; no gradio, no torch. No other chapter is imported here:
what two chapters share lies one level up.
"""
