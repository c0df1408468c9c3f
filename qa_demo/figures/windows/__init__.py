"""Chapter 6: long texts: windows, candidates, merge.

Records in, plain data for the page out; no gradio, no torch. No other chapter is imported here:
what two chapters share lies one level up.
"""
