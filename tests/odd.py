"""Whatever a browser or a client may send."""

from hypothesis import strategies as st

NUMBERS = st.integers() | st.floats() | st.integers(-2, 60)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=9)


def held(inner: st.SearchStrategy) -> st.SearchStrategy:
    """Lists and objects of these."""
    return st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=4)


JSON = st.recursive(LEAVES, held, max_leaves=12)
"""Any value that JSON has, and often numbers that are places of a short text."""
