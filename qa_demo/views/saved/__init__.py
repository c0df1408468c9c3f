"""A reading as a file that needs no server: the page's own modules, and what Python answered them.

`bundle` makes one script of the modules, `tape` records answers; never torch, and no chapter.
"""
