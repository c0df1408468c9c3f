"""The units of a window: its words, with the marks before and behind a word apart from it.

A full stop is no part of an answer's word, so "Rotne." is the two units "Rotne" and "."; a mark
inside a word, as in "1,064.5" or "Oslo-Fjord", parts nothing.
"""

import unicodedata

import numpy as np

from qa_demo.core.reading.words import Word, Words, question_at, words
from qa_demo.core.types import Encoding, Window


def is_mark(text: str) -> bool:
    """Whether a text is punctuation alone; e.g. "," and "?)" but not "%", which is read aloud."""
    return text != "" and all(unicodedata.category(c)[0] == "P" and c not in "%‰&@#§" for c in text)


def units(e: Encoding, window: Window) -> Words:
    """The units of a window, question first; their positions as in `words`."""
    whole, items = words(e, window), list[Word]()
    of = np.full(len(window), -1, dtype=np.int64)
    for k, one in enumerate(whole.items):
        at = np.flatnonzero(whole.of == k)
        if one.side == "question":
            text, chars = e.question, e.question_offset_mapping[at - question_at(e)]
        else:
            text = e.context
            chars = e.offset_mapping[at - window.context_at + window.doc_start]
        solid = [n for n, (begins, ends) in enumerate(chars) if not is_mark(text[begins:ends])]
        first, stop = (solid[0], solid[-1] + 1) if solid else (0, len(at))
        for n, m in ((0, first), (first, stop), (stop, len(at))):
            if n < m:
                of[at[n:m]] = len(items)
                begins, ends = int(chars[n, 0]), int(chars[n:m, 1].max())
                items.append(Word(text[begins:ends], one.side, begins, ends))
    return Words(tuple(items), of)
