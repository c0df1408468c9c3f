"""What a best span rested on, word by word and summed by parts of the texts, for a line of
`evaluate`.

Each word of the window belongs to one part, the first of PARTS that fits; special tokens belong to
no word. Values are logits with their signs, so the parts add up to the attribution's sum.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from qa_demo.core.attribution import METHODS, Attribution, Method
from qa_demo.core.base import BadInput, one_of
from qa_demo.core.files.report import finite
from qa_demo.core.measuring.evaluation import question_word
from qa_demo.core.measuring.failures import KINDS, RIGHT
from qa_demo.core.measuring.sentences import sentences
from qa_demo.core.text import Word, words
from qa_demo.core.types import Reading

ALL, WRONG = "all", "wrong"
PARTS = {
    "question word": "who, what, when, how many and so on, the first that stands there",
    "other question words": "the rest of the question",
    "answer": "the words of the reader's best span",
    "answer's sentence": "the other words of the sentence that the best span touches",
    "elsewhere": "the other words of the window",
    "specials": "[CLS] and the separators, which no baseline replaces",
}


@dataclass(frozen=True)
class Explain:
    """Which questions are explained, by which method: the best span's score, where there is one."""

    method: Method
    kinds: tuple[str, ...] = KINDS


def explain_by(method: str, kinds: str = ALL) -> Explain:
    """From words: `kinds` is all, wrong, or kinds of error with commas. Errors: BadInput."""
    one_of("the method", method, METHODS)
    groups = {ALL: KINDS, WRONG: tuple(kind for kind in KINDS if kind != RIGHT)}
    named = [one.strip() for one in kinds.split(",")]
    for one in named:
        if one not in groups and one not in KINDS:
            known = ", ".join((*groups, *KINDS))
            raise BadInput(f"kinds are any of {known}, with commas between them, got {one[:40]!r}")
    chosen = {kind for one in named for kind in groups.get(one, (one,))}
    return Explain(cast(Method, method), tuple(kind for kind in KINDS if kind in chosen))


def attributed_json(reading: Reading, found: Attribution) -> dict[str, Any]:
    """`words` holds [side, char_start, char_end, value] of every word of the window, `parts` the
    sum of each part in logits, null where the texts have no such word.
    """
    units = words(reading.encoding, reading.windows[found.window])
    values = units.sums(found.total)
    asked, (first, last) = _asked(units.items), reading.encoding.chars(found.target.span)
    touched = [(a, b) for a, b in sentences(reading.encoding.context) if a < last and first < b]
    sums: dict[str, float | None] = dict.fromkeys(PARTS)
    for k, (word, value) in enumerate(zip(units.items, values.tolist(), strict=True)):
        part = _part(word, k in asked, (first, last), touched)
        sums[part] = (sums[part] or 0.0) + value
    sums["specials"] = float(np.sum(found.total[units.of < 0]))
    return finite(
        {
            "method": found.method,
            "target": found.target.kind,
            "span": [first, last],
            "sum": found.sum,
            "complete": found.complete,
            "words": [
                [word.side, word.char_start, word.char_end, value]
                for word, value in zip(units.items, values.tolist(), strict=True)
            ],
            "parts": sums,
        }
    )


def _asked(items: tuple[Word, ...]) -> set[int]:
    """Numbers of the words that ask: one, or two for "how many"."""
    question = [(k, word.text) for k, word in enumerate(items) if word.side == "question"]
    asks = question_word(" ".join(text for _, text in question))
    for at, (k, text) in enumerate(question):
        if question_word(text) in (asks, asks.split()[0]) and asks != "other":
            return {number for number, _ in question[at : at + len(asks.split())]} | {k}
    return set()


def _part(word: Word, asks: bool, span: tuple[int, int], touched: list[tuple[int, int]]) -> str:
    if word.side == "question":
        return "question word" if asks else "other question words"
    if word.char_start < span[1] and span[0] < word.char_end:
        return "answer"
    home = any(a < word.char_end and word.char_start < b for a, b in touched)
    return "answer's sentence" if home else "elsewhere"
