"""Chapter 7: tags instead of a start and an end.

Wiring: `chapter.py` holds CHAPTER, present, formula, build; never torch. No other chapter is
imported here: what two chapters share lies one level up.
"""
