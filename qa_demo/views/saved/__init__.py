"""A reading as a file that needs no server: the page's own modules, and what Python answered them.

`bundle` makes one script of the modules, `tape` records the answers beforehand, `file` writes the
page around them, `panel` hands it over; never torch, and no chapter.
"""
