"""Where the sentences of a paragraph end, by punctuation alone, and what a short text looks like: a
number, a name, or other words.

Both are rules on characters, not on meaning: the same text always gives the same result, and no
model is asked.
"""

import re
from itertools import pairwise

_END = re.compile(r"[.!?][\"')\]”’»]*(?=\s+[\"'(\[“‘«]*[^\W_a-z])|\n+")
_SHORT = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|Jr|Sr|Gen|Col|Lt|Sgt|Rev|Hon|Fig|ca|e\.g|i\.e|[^\W\d_])\.$"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety|hundred|thousand|million|billion|half|third|quarter)s?\b",
    re.IGNORECASE,
)
LOOKS = ("number", "name", "words")


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Half-open character ranges of the sentences, which cover the text without a gap.

    A sentence ends at . ! or ? before a blank and a capital letter or digit, and at a line's end;
    not after one letter or a short form ("J. Bach", "Mr. Bach", "No. 3"), so "in plan B. He left"
    counts as one sentence. An empty text has none.
    """
    ends = [
        match.end()
        for match in _END.finditer(text)
        if "\n" in match.group() or not _SHORT.search(text[: match.start() + 1][-8:])
    ]
    borders = [0, *(end for end in ends if end < len(text)), len(text)]
    return tuple((a, b) for a, b in pairwise(borders) if a < b)


def looks_like(text: str, at: int, context: str) -> str:
    """One of `LOOKS` for context[at:at + len(text)]: a number where it holds a digit or a word for
    one, else a name where a word that does not begin a sentence begins with a capital letter.

    Examples: "in 1998" and "two of them" are numbers, "the Denver Broncos" is a name, "a bridge"
    and (as the first word of its sentence) "Bridges" are words.
    """
    if _NUMBER.search(text):
        return "number"
    firsts = {
        next((k for k in range(a, b) if context[k].isalnum()), a) for a, b in sentences(context)
    }
    for word in re.finditer(r"\w+", text):
        if word.group()[0].isupper() and at + word.start() not in firsts:
            return "name"
    return "words"
