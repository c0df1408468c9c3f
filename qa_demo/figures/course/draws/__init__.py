"""The numbers of exercises, drawn by a seed and computed with the code of the page.

Each function draws until the answer and every usual mistake come out apart.
No words stand here but those that numbers need, and nothing is asked of a reader.
"""
