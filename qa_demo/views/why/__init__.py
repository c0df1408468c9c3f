"""Chapter 9: attention, attribution, trust.

Wiring: `chapter.py` holds CHAPTER, present, formula, build; never torch. No other chapter is
imported here: what two chapters share lies one level up.
"""
