"""Readings as files that need no server: the page's own modules, and what Python answered them.

`bundle` makes one script of the modules, `tape` records the answers beforehand, `file` writes one
reading with its page, `site` many; `steps` records lessons; `panel` hands over; never torch.
"""
