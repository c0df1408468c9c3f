"""Links: what a screen is made of, written into an address and read back from it.

`parts` says what a part of the state is (a chapter declares its own in `LINKED`), `fragment` and
`plain` read an address, `restore` puts it on a screen; never torch, no chapter.
"""
