"""Checks about the training loss: what it sums, and where its gradient pulls."""

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.learning.losses import cross_entropy_gradient, start_end_loss, start_end_targets
from qa_demo.core.learning.losses import total as total_of
from qa_demo.core.reading.scales import wide
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Span, Window
from qa_demo.figures.lessons.finding import (
    Case,
    Finding,
    lacking,
)
from qa_demo.figures.lessons.learning import _at
from qa_demo.figures.numbers import number, signed

NO_GOLD = "Nobody has said what is right for this text, so there is no loss to look at."


CHANCES = (0.5, 0.25)
"""The start and end probability of the answer in the loss by hand."""


def hand_loss(case: Case) -> Finding:
    """(-log 0.5 - log 0.25) / 2."""
    logs = [float(np.log(p)) for p in CHANCES]
    loss = -sum(logs) / 2
    return Finding(
        f"The loss is ({number(-logs[0])} + {number(-logs[1])}) / 2 = {number(loss)} nats.",
        value=loss,
        within=0.015,
        traps=(
            (-sum(logs), "That is the sum; the mean is half of it, and so is every gradient."),
            (sum(logs) / 2, "The size is right; without the minus sign it is no loss."),
            (sum(logs), "That is the log-likelihood: its minus sign and the mean are missing."),
            (sum(CHANCES) / 2, "That is the mean of the probabilities: take their logarithms."),
        ),
    )


def _gold(case: Case) -> tuple[Window, Span] | None:
    """The first annotator's span and a window that holds it."""
    if not case.gold:
        return None
    first = case.gold[0]
    span = span_at(case.reading.encoding, first.char_start, first.char_end)
    window = case.reading.home(span)
    return None if window is None else (window, span)


def label_not_argmax(case: Case) -> Finding:
    """The loss reads the probability at the label, not at the highest position."""
    found = _gold(case)
    if found is None:
        return lacking(NO_GOLD)
    window, span = found
    p = softmax(wide(case.reading, window.index)[0])
    i, top = window.to_pos(span.start), int(p.argmax())
    if i == top:
        return lacking("Here the reader's highest start is the label, so the two agree.")
    return Finding(
        f"At the label {_at(case, window, i)} the start costs {number(-np.log(p[i]))} nats, at the "
        f"reader's own highest start {_at(case, window, top)} {number(-np.log(p[top]))}.",
        right="label",
    )


def normaliser(case: Case) -> Finding:
    """The softmax of the loss runs over every position."""
    found = _gold(case)
    if found is None:
        return lacking(NO_GOLD)
    window, span = found
    s = wide(case.reading, window.index)[0]
    i = window.to_pos(span.start)
    loss = -float(np.log(softmax(s)[i]))
    return Finding(
        f"Over all {len(s):,} positions the start at {_at(case, window, i)} costs "
        f"{number(loss, 4)} nats; over that position alone its probability is 1 and the loss 0.",
        right="all",
        holds=loss > 0,
        missing="The reader is certain, so both ways give 0.",
    )


def gradient_signs(case: Case) -> Finding:
    """p - t: one start logit is raised, all others are lowered."""
    found = _gold(case)
    if found is None:
        return lacking(NO_GOLD)
    window, span = found
    s = wide(case.reading, window.index)[0]
    target, _ = start_end_targets(window, (span,))
    gradient = cross_entropy_gradient(s, target)
    i = window.to_pos(span.start)
    up, down = np.flatnonzero(gradient < 0), int((gradient > 0).sum())
    return Finding(
        f"p − t is {signed(float(gradient[i]), 4)} at {_at(case, window, i)} and above 0 at "
        f"{down:,} of the other {len(s) - 1:,} positions: one logit goes up, the others go down.",
        right="one",
        holds=up.tolist() == [i],
        missing="No single logit is raised here.",
    )


def gold_loss(case: Case) -> Finding:
    """The loss of the reading's own two probabilities."""
    found = _gold(case)
    if found is None:
        return lacking(NO_GOLD)
    window, span = found
    p = [softmax(x) for x in wide(case.reading, window.index)]
    at = [float(p[0][window.to_pos(span.start)]), float(p[1][window.to_pos(span.end)])]
    loss = total_of(start_end_loss(case.reading, (span,), (window.index,)))
    by_hand = -float(np.log(at).sum()) / 2
    return Finding(
        f"(−log {number(at[0], 3)} − log {number(at[1], 3)}) / 2 = {number(loss)} nats.",
        value=loss,
        within=0.02,
        holds=abs(by_hand - loss) < 1e-3,
        missing="The two ways to compute the loss differ.",
        traps=((2 * loss, "That is the sum; the loss is the mean of the two."),),
        facts={"p_start": f"{number(at[0], 3)}", "p_end": f"{number(at[1], 3)}"},
    )
