"""Answers that name several things in one breath, as the tags should learn them: apart.

SQuAD marks "Ethiopia and Liberia" as one span, MultiSpanQA marks two. Trained on both, the tags
join what they should keep apart: with 1,300 such answers in squad-more against 540 true lists, only
6 of 109 lists kept apart were found whole. So an answer that is an enumeration teaches start and
end as one span, and the tags as a list.
"""

import re
from itertools import pairwise

from qa_demo.core.types import Answer

JOINT = re.compile(r"\s*[,;]\s*(?:and|or|&)\s+|\s+(?:and|or|&|as well as)\s+|\s*[,;]\s+")
LAST = re.compile(r"[\s,;](?:and|or|&|as well as)\s")
RANGE = re.compile(r"between|from|both|either|neither", re.IGNORECASE)
SMALL = re.compile(r"(?:the|a|an|his|her|its|their)\s+", re.IGNORECASE)
ONE_NAME = re.compile(r"\b(?:of|for)\s")
NAMED, PLAIN = 5, 3
"""Words of an item at most: of names, and of plain words (longer ones are clauses)."""


def items(text: str) -> tuple[tuple[int, int], ...]:
    """The half-open character ranges of an enumeration's items; none where a text is none.

    It needs an "and", an "or" or an "&". Two items are an enumeration only where both begin with a
    capital or a digit ("rock and roll" is one thing), and where the first holds no "of" or "for"
    ("College of Arts and Letters"); three may be plain words of at most three words each.
    """
    if not LAST.search(text) or RANGE.match(text):
        return ()
    cuts = [(0, 0), *(found.span() for found in JOINT.finditer(text)), (len(text), len(text))]
    ranges = tuple((a, b) for (_, a), (b, _) in pairwise(cuts))
    bare = [SMALL.sub("", text[a:b], count=1).strip() for a, b in ranges]
    if any(not re.search(r"\w", item) or len(item.split()) > NAMED for item in bare):
        return ()
    if all(item[0].isupper() or item[0].isdigit() for item in bare):
        return () if len(bare) == 2 and ONE_NAME.search(bare[0]) else ranges
    return ranges if len(bare) > 2 and all(len(item.split()) <= PLAIN for item in bare) else ()


def places(answer: Answer) -> tuple[tuple[int, int], ...]:
    """The character ranges of the paragraph that an answer's tags mark: its items, or itself."""
    at = answer.char_start
    return tuple((at + a, at + b) for a, b in items(answer.text)) or (
        (answer.char_start, answer.char_end),
    )
