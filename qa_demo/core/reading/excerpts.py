"""Which parts of a long paragraph are shown: the words around some spans."""

from collections.abc import Sequence

import numpy as np

from qa_demo.core.types import Encoding, Span

NEAR = 12
"""Pieces: parts that are no further apart become one."""
SHORTER = 40
"""Characters that a part may lose at either end so that it begins and ends with a whole word; a
language without blanks has no such words.
"""


def excerpts(e: Encoding, spans: Sequence[Span], around: int) -> list[tuple[int, int]]:
    """The parts [from, to) in pieces around `doc` spans, which stand in the text's order: `around`
    characters before and after each, half as many where the spans lie far apart.
    """
    far = e.chars(spans[-1])[1] - e.chars(spans[0])[0] > 2 * around
    found: list[tuple[int, int]] = []
    for span in spans:
        first, last = excerpt(e, span, around // 2 if far else around)
        if found and first <= found[-1][1] + NEAR:
            before = found.pop()
            first, last = before[0], max(before[1], last)
        found.append((first, last))
    return found


def excerpt(e: Encoding, span: Span, around: int) -> tuple[int, int]:
    """The pieces [from, to) around one `doc` span, cut between words that blanks part."""
    begins, word = e.offset_mapping[:, 0], e.whitespace_ids
    at, end = e.chars(span)
    lowest, highest = at - around, end + around
    first, last = (int(k) for k in np.searchsorted(begins, (lowest, highest)))
    while (
        0 < first < span.start
        and word[first] == word[first - 1]
        and begins[first] < lowest + SHORTER
    ):
        first += 1
    while (
        span.end + 1 < last < len(word)
        and word[last] == word[last - 1]
        and begins[last] > highest - SHORTER
    ):
        last -= 1
    return first, last
