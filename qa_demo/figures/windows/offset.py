"""Chapter 6, step 3: add c to every logit of window k: what moves, where the winner changes."""

import math
from typing import Any

import numpy as np

from qa_demo.core.arrays import log_softmax
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.merge_rules import Flip, flip_constant
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.scales import null_logits
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import number, probability, rounded, signed
from qa_demo.figures.prose import quoted, shorten
from qa_demo.figures.span_score import best_in

STEP = 0.05


def rival_window(reading: Reading, decode: DecodeOptions) -> int:
    """The window to begin with: the best span's outside the winner's window, else the winner's."""
    listed = [r.candidate.window for r in predict(reading, decode).n_best]
    return next((w for w in listed if w != listed[0]), listed[0] if listed else 0)


def span_numbers(reading: Reading, candidate: Candidate) -> dict[str, float]:
    """Score, null, log-odds, probability, loss = -(log P_s(i) + log P_e(j)) / 2 of a span."""
    window, (s, e) = reading.windows[candidate.window], reading.logits(candidate.window)
    i, j = window.to_pos(candidate.span.start), window.to_pos(candidate.span.end)
    score, null = float(s[i]) + float(e[j]), float(null_logits(reading)[candidate.window])
    log_p = float(log_softmax(s)[i] + log_softmax(e)[j])
    return {
        "score": score,
        "null": null,
        "log_odds": score - null,
        "window_prob": float(np.exp(log_p)),
        "loss": -log_p / 2,
    }


ROWS = (
    ("score", "score", number),
    ("null", "null score of the window", number),
    ("log_odds", "log-odds in its window", number),
    ("window_prob", "probability in its window", probability),
    ("loss", "training loss, were it the label", lambda x: number(x, 3)),
)
STILL = 1e-4
"""Below this a number has not moved: logits are stored in single precision."""


def offset_data(
    before: Reading, after: Reading, decode: DecodeOptions, offset: tuple[int, float] | None
) -> dict[str, Any]:
    """One row a number, `before` and `after` the offset, and the constant that flips."""
    window, c = offset if offset is not None else (rival_window(before, decode), 0.0)
    candidate = best_in(before, window, decode)
    flip = flip_constant(before, window, decode)
    widest = max(6.0, float(math.ceil(abs(flip.c) + 1))) if flip is not None else 6.0
    widest = max(widest, float(math.ceil(abs(c))))
    past = (
        None
        if flip is None
        else rounded(
            (math.floor(flip.c / STEP) + 1 if flip.c >= 0 else math.ceil(flip.c / STEP) - 1) * STEP
        )
    )
    return {
        "window": window,
        "windows": len(before.windows),
        "c": c,
        "printed": signed(c),
        "low": -widest,
        "high": widest,
        "step": STEP,
        "flip": None if flip is None else float(flip.c),
        "past": past,
        "rows": [] if candidate is None else _moved_rows(before, after, candidate),
        "span": None if candidate is None else shorten(candidate.text, 44),
        "says": flip_sentence(flip, before, after, decode, window, c),
    }


def flip_sentence(
    flip: Flip | None, before: Reading, after: Reading, decode: DecodeOptions, window: int, c: float
) -> str:
    """Where the logit sum's winner changes, and whether it has."""
    if flip is None:
        if len(before.windows) == 1:
            return (
                "With one window the constant moves every score alike: no winner, probability or "
                "loss changes. Split the paragraph to see more."
            )
        return f"No constant in window {window + 1} changes the logit sum's winner."
    now = predict(after, decode, MergeOptions()).best if c else None
    turned = now is not None and now.candidate.span != flip.winner.span
    beyond = "above" if flip.c >= 0 else "below"
    head = (
        f"The logit sum's winner changes from {quoted(flip.winner.text, 44)} to "
        f"{quoted(flip.challenger.text, 44)} {beyond} c = {signed(flip.c, 3)}, since every score "
        f"of window {window + 1} moves by 2c and no other does."
    )
    state = (
        f" At c = {signed(c)} it has changed: the logit sum names {quoted(now.candidate.text, 44)}."
        if turned and now is not None
        else f" At c = {signed(c)} it has not."
        if c
        else ""
    )
    return head + state + " The window's softmax, its training loss and its log-odds do not change."


def _moved_rows(before: Reading, after: Reading, candidate: Candidate) -> list[dict[str, Any]]:
    """Every number of the span before and after; one that stands still is printed alike."""
    old, new = span_numbers(before, candidate), span_numbers(after, candidate)
    moved = {key for key in old if abs(new[key] - old[key]) > STILL}
    return [
        {
            "name": name,
            "before": show(old[key]),
            "after": show(new[key] if key in moved else old[key]),
            "moves": key in moved,
        }
        for key, name, show in ROWS
    ]
