"""Which questions with lists of answers are kept apart from training: one paragraph in five, by a
hash of its words.

The choice depends on nothing but the text, so that training and scoring agree without a file of
names. Other files hold some of the same paragraphs with other blanks and marks, so training leaves
out every paragraph that shares twelve words in a row with one kept apart. `FILE:0` among the
training files draws nothing of FILE and still keeps its lists apart.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

from qa_demo.core.types import Example

RUN = 12
"""Words in a row that two paragraphs may not share across the line."""


def words(context: str) -> tuple[str, ...]:
    """Lower-case words of letters and digits; blanks and marks do not count."""
    return tuple(re.findall(r"[^\W_]+", context.lower()))


def is_apart(context: str) -> bool:
    """Whether a paragraph with a list is one of the fifth that is never trained on."""
    digest = hashlib.sha256(" ".join(words(context)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % 5 == 0


def runs(context: str) -> set[tuple[str, ...]]:
    """All runs of twelve words; of a shorter text the whole of it."""
    found = words(context)
    return {found[i : i + RUN] for i in range(max(1, len(found) - RUN + 1))}


def held_out(examples: Iterable[Example]) -> list[Example]:
    """The questions with lists that are kept apart."""
    return [e for e in examples if e.spans and is_apart(e.context)]


def trained(files: Sequence[Sequence[Example]]) -> list[list[Example]]:
    """Each file without questions whose paragraph shares a run with one kept apart in any file."""
    kept: set[tuple[str, ...]] = set()
    for examples in files:
        for example in held_out(examples):
            kept |= runs(example.context)
    clear = (
        {c: kept.isdisjoint(runs(c)) for c in {e.context for examples in files for e in examples}}
        if kept
        else {}
    )
    return [[e for e in examples if clear.get(e.context, True)] for examples in files]
