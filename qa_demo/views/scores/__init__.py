"""Chapter 2: S, E and the hidden states as dot products.

Wiring: `chapter.py` holds CHAPTER, present, formula, build; never torch. No other chapter is
imported here: what two chapters share lies one level up.
"""
