"""Checks about the training loss: what it sums, and where its gradient pulls."""

import numpy as np

from qa_demo.core.arrays import Floats, log_softmax, softmax
from qa_demo.core.learning.losses import (
    cross_entropy,
    cross_entropy_gradient,
    start_end_loss,
    start_end_targets,
)
from qa_demo.core.reading.scales import wide
from qa_demo.core.types import Window
from qa_demo.figures.labels import home
from qa_demo.figures.lessons.finding import (
    NO_READER,
    Case,
    Check,
    Finding,
    Lacking,
    asks_reader,
    need,
)
from qa_demo.figures.numbers import mean, number, probability, signed
from qa_demo.figures.prose import listed

NO_GOLD = "Nobody has said what is right for this text, so there is no loss to look at."


CHANCES = (0.5, 0.25)
"""The start and end probability of the answer in the loss by hand."""


@Check
def hand_loss(case: Case) -> Finding:
    """(-log 0.5 - log 0.25) / 2."""
    logs = [float(np.log(p)) for p in CHANCES]
    loss = -sum(logs) / 2
    return Finding(
        f"−log {CHANCES[0]:g} = {number(-logs[0])} and −log {CHANCES[1]:g} = {number(-logs[1])}, "
        f"so the loss is ({number(-logs[0])} + {number(-logs[1])}) / 2 = {number(loss)} nats.",
        value=loss,
        within=0.015,
        traps=(
            (-sum(logs), "That is the sum; the mean is half of it, and so is every gradient."),
            (sum(logs) / 2, "The size is right; without the minus sign it is no loss."),
            (sum(logs), "That is the log-likelihood: its minus sign and the mean are missing."),
            (sum(CHANCES) / 2, "That is the mean of the probabilities: take their logarithms."),
        ),
    )


def _labelled(case: Case) -> tuple[Window, Floats, Floats]:
    """The window that chapter 5 shows, its start logits and their target: the mean of all labels.
    Errors: Lacking where no answer is right, or nobody said what is.
    """
    if not any(case.labels):
        raise Lacking(NO_GOLD)
    window = case.reading.windows[home(case.reading, case.labels)]
    target, _ = start_end_targets(window, case.labels)
    return window, wide(case.reading, window.index)[0], target


def _printed(case: Case) -> tuple[str, str, str]:
    """Start loss, end loss and their mean with the decimals of chapter 5's formula."""
    found = mean([t.value for t in start_end_loss(case.reading, case.labels)])
    start, end = found.addends
    return start, end, found.total


@Check
def label_not_argmax(case: Case) -> Finding:
    """The loss reads the probability at the labels, not at the highest position."""
    window, s, target = _labelled(case)
    top, labels = int(s.argmax()), np.flatnonzero(target)
    if labels.tolist() == [top]:
        raise Lacking("Here the reader's highest start is the label, so the two agree.")
    cost = float(cross_entropy(s, target))
    named = listed([case.piece(window, int(k)) for k in labels])
    return Finding(
        f"The labels are {named}, and there the start costs {number(cost)} nats. At the reader's "
        f"own highest start, {case.piece(window, top)}, alone it would cost "
        f"{number(-float(log_softmax(s)[top]))}.",
        right="label",
    )


@Check
def normaliser(case: Case) -> Finding:
    """The softmax of the loss runs over every position."""
    window, s, target = _labelled(case)
    labels, loss = np.flatnonzero(target), _printed(case)[0]
    named = listed([case.piece(window, int(k)) for k in labels])
    return Finding(
        f"With every position in the sum the start at {named} costs {loss} nats; with that of the "
        f"label alone its probability would be 1 and its loss 0.",
        right="all",
        holds=len(labels) == 1 and float(log_softmax(s)[labels[0]]) < 0,
        missing="The annotators marked several starts, or the reader is certain.",
    )


@Check
def gradient_signs(case: Case) -> Finding:
    """p - y: the loss falls where the label's logit rises or any other falls."""
    window, s, target = _labelled(case)
    gradient = cross_entropy_gradient(s, target)
    up = np.flatnonzero(gradient < 0).tolist()
    i = int(np.argmin(gradient))
    return Finding(
        f"p − y is {signed(float(gradient[i]))} at {case.piece(window, i)}, the label, and above 0 "
        f"at every other position.",
        right="one",
        holds=up == [i] and np.flatnonzero(target).tolist() == [i],
        missing="No single logit is below its target here.",
    )


@Check
def sum_or_mean(case: Case) -> Finding:
    """The sum of the two losses is twice their mean, and so are all of its slopes."""
    window, s, target = _labelled(case)
    slopes = _slope(s, target)
    i, (start, end, half) = int(np.argmin(slopes)), _printed(case)
    return Finding(
        f"Half of {start} and half of {end} make {half}. The slope at the start logit of "
        f"{case.piece(window, i)} is ½ (p − y) = {signed(float(slopes[i]))} then; for the sum, "
        f"without the ½, it is p − y.",
        holds=bool(slopes[i] < 0),
        missing="The slope is 0 here.",
    )


RATE = 0.1
"""The rate that chapter 5 shows first for SGD on the head."""


@asks_reader
def step_through_head(case: Case) -> Finding:
    """One step of SGD on S and E: the labels gain probability, and other logits rise with theirs.
    Needs the reader.

    S' = S - rate * sum_i (p_i - y_i) T_i / 2, and every start logit is a product with S'.
    """
    reader, (window, *_) = need(case.reader, NO_READER), _labelled(case)
    hidden = reader.hidden(window)[-1].astype(np.float64)
    gained, others = [], []
    for side, x, target in zip(
        ("start", "end"),
        wide(case.reading, window.index),
        start_end_targets(window, case.labels),
        strict=True,
    ):
        i, rise = int(target.argmax()), -RATE * (hidden @ (_slope(x, target) @ hidden))
        before, after = float(softmax(x)[i]), float(softmax(x + rise)[i])
        gained.append((before, after, f"that of the {side} at {case.piece(window, i)}"))
        free = np.where(target == 0, rise, -np.inf)
        others.append(
            (
                float(free.max()),
                f"The {side} logit of {case.piece(window, int(free.argmax()))} has no label and "
                f"rises too, {'more' if free.max() > rise[i] else 'less'} than that of the label.",
            )
        )
    ups = listed([f"{what} from {probability(p)} to {probability(q)}" for p, q, what in gained])
    most, unlabelled = max(others)
    return Finding(
        f"Both probabilities rise: {ups}. {unlabelled}",
        right="many",
        holds=all(q > p for p, q, _ in gained) and most > 0,
        missing="Here no other logit rises with the labels'.",
    )


def _slope(logits: Floats, target: Floats) -> Floats:
    """Of the mean of start and end loss at one head's logits: (p - y) / 2."""
    half: Floats = cross_entropy_gradient(logits, target) / 2
    return half


@Check
def gold_loss(case: Case) -> Finding:
    """The loss of the reading's own two probabilities."""
    window = _labelled(case)[0]
    targets = start_end_targets(window, case.labels)
    if max(np.count_nonzero(t) for t in targets) > 1:
        raise Lacking("The annotators marked several starts or ends, so there is no single p.")
    at = [
        float(softmax(x)[t.argmax()])
        for x, t in zip(wide(case.reading, window.index), targets, strict=True)
    ]
    start, end, loss = _printed(case)
    value = -float(np.log(at).sum()) / 2
    return Finding(
        f"½ · {start} + ½ · {end} = {loss} nats.",
        value=value,
        within=0.02,
        decimals=2,
        traps=((2 * value, "That is the sum; the loss is the mean of the two."),),
        facts={"p_start": f"{number(at[0], 3)}", "p_end": f"{number(at[1], 3)}"},
    )
