"""Chapter 6: long texts: windows, candidates, merge.

Wiring: `chapter.py` holds CHAPTER, present, formula, build; never torch. No other chapter is
imported here: what two chapters share lies one level up.
"""
