"""Answers that are lists, question by question: what each head says, and what kind of list that is.

The start/end head says one span, its best; the tags say every span that they decode. Scores:
core.measuring.lists.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from qa_demo.core.measuring.lists import ListScores, list_scores
from qa_demo.core.measuring.metrics import normalize
from qa_demo.core.predict import Prediction
from qa_demo.core.tagging import decode_reading
from qa_demo.core.types import Example, Reading

HEADS = {"span": "start and end", "bio": "tags"}
KINDS = {
    "whole": "every answer, and nothing else",
    "one of several": "one of the answers, and nothing else",
    "missing": "some of the answers, and nothing else",
    "merged": "a span that holds two answers or more",
    "extra": "every answer, and something else",
    "missing and extra": "some of the answers, and something else",
    "none": "none of the answers",
    "silent": "nothing",
}
"""What a head says to a list, in the order in which a question is looked at."""


@dataclass(frozen=True)
class HeadLists:
    """What one head says to all lists of a file, and how many answers are of each kind."""

    scores: ListScores
    kinds: Mapping[str, int]


def is_list(example: Example) -> bool:
    """Whether its first annotator marked two spans or more."""
    return bool(example.spans) and len(example.spans[0]) > 1


def listed(reading: Reading, example: Example, prediction: Prediction) -> dict[str, Any] | None:
    """The texts that are wanted and those that each head says, as a line of JSON has them; None for
    a question without a list. `bio` is None for a reader without tags.
    """
    if not is_list(example):
        return None
    best = prediction.best
    tags = None
    if reading.tag_logits is not None:
        tags = list(dict.fromkeys(span.text for span in decode_reading(reading)))
    return {
        "wanted": [example.context[a:b] for a, b in example.spans[0]],
        "span": [] if best is None else [best.candidate.text],
        "bio": tags,
    }


def kind(wanted: Sequence[str], said: Sequence[str]) -> str:
    """Which of `KINDS` an answer is; texts are compared as SQuAD compares them."""
    want, have = ({normalize(x) for x in texts} for texts in (wanted, said))
    if not any(have):
        return "silent"
    if have == want:
        return "whole"
    if any(sum(f" {w} " in f" {h} " for w in want) > 1 for h in have - want):
        return "merged"
    if have < want:
        return "one of several" if len(have) == 1 else "missing"
    if want < have:
        return "extra"
    return "missing and extra" if want & have else "none"


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, HeadLists]:
    """By head, the scores over the lists of a file; empty for a file without one. `rows` are those
    of `listed`.
    """
    heads = [head for head in HEADS if rows and all(r[head] is not None for r in rows)]
    wanted = [row["wanted"] for row in rows]
    found = {}
    for head in heads:
        said = [row[head] for row in rows]
        kinds = Counter(kind(w, s) for w, s in zip(wanted, said, strict=True))
        scores = list_scores([set(w) for w in wanted], [set(s) for s in said])
        found[head] = HeadLists(scores, {name: kinds[name] for name in KINDS})
    return found


def lists_json(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The summary as a result of `evaluate` has it, under `lists`; nothing for a file without."""
    found = summary(rows)
    heads = {head: asdict(one.scores) | {"kinds": dict(one.kinds)} for head, one in found.items()}
    return {"lists": heads} if heads else {}
