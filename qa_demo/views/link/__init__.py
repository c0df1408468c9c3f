"""Links: what a screen is made of, written into the fragment of an address and read back from it.

`parts` says what a part of the state is and names those of every screen; a chapter declares its own
in `LINKED`. `fragment` and `plain` read an address, `restore` puts what they found on a screen.
Never torch, no chapter.
"""
