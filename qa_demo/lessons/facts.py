"""What checks share: words, scores and probabilities of a reading, and why a text lacks a point."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from qa_demo.core.base import BadInput, softmax
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Window
from qa_demo.lessons.judge import Facts
from qa_demo.printed import adds, number, quote
from qa_demo.shown import Shown
from qa_demo.texts import word

T = TypeVar("T")
CHOICES = 4
"""Spans or words to choose from."""


def need(holds: T | None, why: str) -> T:
    """What is there. Errors: BadInput where a text does not show the point."""
    if not holds:
        raise BadInput(f"this text does not show it: {why}")
    return holds


def answer(shown: Shown) -> Candidate:
    """The reader's answer. Errors: BadInput where it gives none."""
    need(shown.prediction.answer is not None, "the reader gives no answer to this question")
    return shown.best


def sum_of(c: Candidate) -> str:
    """A span's score as a sum, a second number below 0 in brackets."""
    end = number(c.end_logit)
    sign = adds([c.start_logit, c.end_logit], c.score)
    shown = f"({end})" if c.end_logit < 0 else end
    return f"{number(c.start_logit)} + {shown} {sign} {number(c.score)}"


def of_best(shown: Shown) -> Facts:
    """Facts that every step may name: those of the best span."""
    c = shown.best
    logits = {"start": c.start_logit, "end": c.end_logit, "score": c.score}
    return {**logits, "best": quote(c.text), "sum": sum_of(c)}


def named(shown: Shown, d: int) -> str:
    """The word of a piece of the paragraph, quoted."""
    return quote(word(shown.encoding, d, ""))


def window_of(shown: Shown) -> Window:
    """The window of the best span."""
    return shown.reading.windows[shown.best.window]


def sides(shown: Shown) -> tuple[np.ndarray, np.ndarray]:
    """P(start) and P(end) over all positions of the best span's window, at its temperature."""
    s, e = shown.reading.logits(shown.best.window)
    t = shown.state.temperature
    return softmax(s.astype(float) / t), softmax(e.astype(float) / t)


def highest(shown: Shown, of: Mapping[int, float], count: int) -> list[tuple[int, str, float]]:
    """The `count` words of the paragraph whose best pieces have the highest values, (piece, word,
    value).
    """
    found: dict[str, tuple[int, str, float]] = {}
    for d in sorted(of, key=lambda d: -of[d]):
        name = named(shown, d)
        if any(c.isalnum() for c in name):
            found.setdefault(name, (d, name, of[d]))
    need(len(found) >= count, "the paragraph is too short to choose from")
    return list(found.values())[:count]


def likeliest(shown: Shown, p: np.ndarray, count: int) -> list[tuple[int, str, float]]:
    """The words with the highest p of a position in the best span's window."""
    w = window_of(shown)
    return highest(
        shown, {w.to_doc(int(k)): float(p[k]) for k in np.flatnonzero(w.is_context)}, count
    )
