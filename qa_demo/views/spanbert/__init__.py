"""Chapter 8: masked spans and the boundary.

Wiring: `chapter.py` holds CHAPTER, present, formula, build; never torch. No other chapter is
imported here: what two chapters share lies one level up.
"""
