"""Whatever a browser, a client or a person may send."""

from hypothesis import strategies as st

HOSTILE = "</script><b>Ada</b> <img src=x onerror=alert(1)> {{B}} ${7*7} & \u202e\u0301 🚜 Oslo. "
LETTERS = st.characters(exclude_categories=["Cs"])
"""As of `st.text`, which first encodes each of a million characters, for four seconds."""
TEXT = st.text(LETTERS, max_size=9)
NUMBERS = st.integers() | st.floats() | st.integers(-2, 60)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda x: st.lists(x, max_size=5) | st.dictionaries(TEXT, x, max_size=4),
    max_leaves=12,
)
"""Any value that JSON has, and often numbers that are places of a short text."""
