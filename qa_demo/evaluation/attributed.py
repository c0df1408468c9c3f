"""What right and wrong answers rested on, by parts of the texts: means with intervals over the
explained questions of a report.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qa_demo.core.measuring.attributed import PARTS
from qa_demo.core.measuring.bootstrap import Draws
from qa_demo.core.measuring.failures import KINDS, RIGHT
from qa_demo.evaluation.numbers import rounded

Row = dict[str, Any]
TOP = 6


def attributed(rows: Sequence[Row], draws: Draws) -> dict[str, Any] | None:
    """A column for the right, the wrong and each kind, a row for each part, in logits: the mean
    over the questions that have such a word. `difference` is right minus wrong. None where no line
    was explained.
    """
    found = [row.get("attribution") for row in rows]
    method = next((one["method"] for one in found if one), None)
    if method is None:
        return None
    explained = np.array([one is not None for one in found])
    right = np.array([row["kind"] == RIGHT for row in rows])
    kinds = {kind: np.array([row["kind"] == kind for row in rows]) for kind in KINDS[1:]}
    columns = {"right": right, "wrong": ~right, **kinds}
    columns = {n: mask & explained for n, mask in columns.items() if (mask & explained).any()}
    parts = []
    for name, means in PARTS.items():
        sums = [one and one["parts"][name] for one in found]
        has = np.array([value is not None for value in sums])
        values = np.array([0.0 if value is None else value for value in sums])
        each = [
            asdict(draws.mean(values, mask & has)) if (mask & has).any() else None
            for mask in columns.values()
        ]
        both = right & has, ~right & has
        less = asdict(draws.difference(values, *both)) if all(map(np.any, both)) else None
        parts.append({"name": name, "means": means, "values": each, "difference": less})
    counts = [{"name": name, "count": int(mask.sum())} for name, mask in columns.items()]
    complete = [one["complete"] for one in found if one and one["complete"] is not None]
    return {
        "method": method.replace("_", " "),
        "columns": counts,
        "parts": parts,
        "incomplete": complete.count(False),
    }


def rests_on(row: Row) -> list[list[Any]]:
    """The words with the largest values of an explained question: [text, value]."""
    found = row.get("attribution")
    if not found:
        return []
    texts = {"question": row["question"], "context": row["context"]}
    largest = sorted(found["words"], key=lambda word: -abs(word[3]))[:TOP]
    return [[texts[side][a:b], rounded(value)] for side, a, b, value in largest]
