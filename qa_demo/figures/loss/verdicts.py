"""Whether the loss decides who is right: the cheapest wrong answer and the dearest right one."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from qa_demo.figures.numbers import apart, nats, percent
from qa_demo.figures.payload import table
from qa_demo.figures.prose import quoted

Case = tuple[str, str, float, bool, str, str]
"""(id, title, loss, right, answer, label) of a stored reading."""


def verdicts(cases: Iterable[Case]) -> dict[str, Any]:
    """Loss low and span wrong, and the reverse: (id, title, loss, right, answer, label)."""
    known = list(cases)
    wrong, right = ([c for c in known if c[3] is verdict] for verdict in (False, True))
    picked = [*sorted(wrong, key=_loss)[:1], *sorted(right, key=_loss)[-1:]]
    digits = apart(_loss(c) for c in picked)
    low = _case(picked[0], digits) if wrong else None
    high = _case(picked[-1], digits) if right else None
    return {
        "count": len(known),
        "low": low,
        "high": high,
        "table": _verdict_table(known, max(3, digits)),
        "says": _verdict_says(len(known), low, high),
    }


def _loss(case: Case) -> float:
    return case[2]


def _verdict_table(known: list[Case], digits: int) -> dict[str, Any]:
    return table(
        "Stored readings by loss",
        ["example", "loss", "exp(−2 L)", "prediction", "label", "verdict"],
        [
            [
                title,
                nats(loss, digits),
                percent(float(np.exp(-2 * loss))),
                answer,
                label,
                "right" if right else "wrong",
            ]
            for _, title, loss, right, answer, label in sorted(known, key=_loss)
        ],
    )


def _verdict_says(count: int, low: dict[str, Any] | None, high: dict[str, Any] | None) -> str:
    """Whether the loss decides who is right: cheapest wrong answer against dearest right one."""
    if low is None or high is None:
        verdict = "right" if high is not None else "wrong"
        return f"All {count} stored readings are {verdict}." if count else "No reading is stored."
    if low["value"] < high["value"]:
        return (
            f"The loss does not decide who is right: {quoted(low['title'])} costs only "
            f"{low['loss']} and the decoded answer is wrong; {quoted(high['title'])} costs "
            f"{high['loss']} and it is right."
        )
    return (
        f"In these {count} readings every wrong answer costs more than every right one: the "
        f"cheapest wrong one {low['loss']}, the dearest right one {high['loss']}."
    )


def _case(case: Case, digits: int) -> dict[str, Any]:
    key, title, loss, _, answer, label = case
    return {
        "id": key,
        "title": title,
        "value": loss,
        "loss": nats(loss, digits),
        "answer": answer,
        "label": label,
    }
