"""Checks about probabilities, the two vectors of the head, and the training loss."""

import numpy as np

from qa_demo.core.arrays import logsumexp, softmax
from qa_demo.core.heads import plane
from qa_demo.core.losses import cross_entropy_gradient, start_end_loss, start_end_targets
from qa_demo.core.losses import total as total_of
from qa_demo.core.predict import predict
from qa_demo.core.scales import wide
from qa_demo.core.types import Span, Window
from qa_demo.core.words import span_at
from qa_demo.figures.lessons.finding import (
    LONGEST,
    Case,
    Finding,
    in_reading_order,
    lacking,
    likeliest,
)
from qa_demo.figures.numbers import number, percent, probability, signed
from qa_demo.figures.prose import piece, quoted

NO_GOLD = "Nobody has said what is right for this text, so there is no loss to look at."


def _starts(case: Case) -> tuple[Window, np.ndarray]:
    """Start logits of the window of the best span, [n]."""
    return case.window, wide(case.reading, case.window.index)[0]


def _at(case: Case, window: Window, pos: int) -> str:
    return quoted(piece(case.reading, window.index, pos), LONGEST)


def all_positions(case: Case) -> Finding:
    """The start probabilities of all positions add up to 1, not those of the answer's words."""
    best = case.best
    if best is None:
        return lacking("This paragraph holds no legal span.")
    window, s = _starts(case)
    p = softmax(s / case.temperature)
    inside = float(p[window.to_pos(best.span.start) : window.to_pos(best.span.end) + 1].sum())
    return Finding(
        f"Over all {len(p):,} positions of the window they add up to "
        f"{probability(float(p.sum()))}, over {quoted(best.text, LONGEST)} alone to "
        f"{probability(inside)}.",
        right="all",
        holds=len(p) > len(best.span),
        missing="The answer fills its whole window.",
    )


def second_start(case: Case) -> Finding:
    """Which word piece of the paragraph has the second highest start probability."""
    window, s = _starts(case)
    p, most = softmax(s), 4
    shown = likeliest(case, window, p, most + 1)
    if len(shown) < most + 1:
        return lacking("The paragraph is too short to choose from.")
    rest = shown[1:]
    return Finding(
        f"After {quoted(shown[0][1])} with {percent(float(p[shown[0][0]]))} comes "
        f"{quoted(rest[0][1])} with {percent(float(p[rest[0][0]]))}.",
        right="rank-0",
        options=in_reading_order(rest),
        said={
            f"rank-{k}": f"{quoted(rest[k][1])} has {percent(float(p[rest[k][0]]))}."
            for k in range(1, most)
        },
    )


def temperature_keeps_order(case: Case) -> Finding:
    """Another temperature changes every probability and no order."""
    window, s = _starts(case)
    cold, warm = softmax(s), softmax(s / case.temperature)
    i, j = int(cold.argmax()), int(warm.argmax())
    if case.temperature == 1.0:
        return lacking("The temperature is 1 again, so there is nothing to compare.")
    return Finding(
        f"At temperature {case.temperature:g} {_at(case, window, i)} goes from "
        f"{percent(float(cold[i]))} to {percent(float(warm[i]))}, and it still leads.",
        right="same",
        holds=i == j,
        missing="Another position leads now.",
        facts={"temperature": f"{case.temperature:g}"},
    )


SHIFT = 3.0


def shift_changes_nothing(case: Case) -> Finding:
    """The same number added to every logit changes no probability."""
    window, s = _starts(case)
    before, after = softmax(s), softmax(s + SHIFT)
    i = int(before.argmax())
    return Finding(
        f"With {SHIFT:g} added to all {len(s):,} start logits {_at(case, window, i)} goes from "
        f"{probability(float(before[i]), 4)} to {probability(float(after[i]), 4)}.",
        right="same",
        holds=bool(np.allclose(before, after)),
        missing="The probabilities did change.",
    )


def without_exp(case: Case) -> Finding:
    """Logits divided by their sum are no probabilities."""
    window, s = _starts(case)
    plain = s / s.sum()
    below, i = int((plain < 0).sum()), int(s.argmax())
    return Finding(
        f"Of {len(s):,} logits divided by their sum {below:,} are below 0, and "
        f"{_at(case, window, i)} would get {number(float(plain[i]))}; with exp it has "
        f"{percent(float(softmax(s)[i]))}.",
        holds=below > 0 or float(plain.max()) > 1,
        missing="Here every start logit has the same sign.",
    )


def own_sums(case: Case) -> Finding:
    """The two softmaxes divide by sums of their own."""
    window = case.window
    z = [float(np.exp(logsumexp(x))) for x in wide(case.reading, window.index)]
    return Finding(
        f"In this window the exponentials of the start logits sum to {number(z[0], 1)}, those of "
        f"the end logits to {number(z[1], 1)}.",
        holds=not np.isclose(z[0], z[1], rtol=0.01),
        missing="Here the two sums happen to be alike.",
    )


def one_vector(case: Case) -> Finding:
    """S and E are the same for every text; a start logit is S . T_i + b. Needs the reader."""
    assert case.reader is not None
    heads, window = case.reader.heads(), case.window
    points = plane(heads, case.reader.hidden(window)[-1])
    s = wide(case.reading, window.index)[0]
    i = int(s.argmax())
    return Finding(
        f"S is one vector of {len(heads.S):,} numbers: its product with the {len(s):,} tokens of "
        f"this window gives {number(float(points[i, 0]))} at {_at(case, window, i)}, the start "
        f"logit {number(float(s[i]))}.",
        right="one",
        holds=bool(np.allclose(points[:, 0], s, atol=0.05)),
        missing="The start logits of this reader are no product with one vector alone.",
    )


def top_start(case: Case) -> Finding:
    """Which word piece stands farthest along the start axis."""
    window, s = _starts(case)
    inside = np.flatnonzero(window.is_context)
    i = int(inside[s[inside].argmax()])
    span = case.text(Span(window.to_doc(i), window.to_doc(i)))
    return Finding(
        f"The dot farthest to the right is {span}, with a start logit of {number(float(s[i]))}.",
        span=Span(window.to_doc(i), window.to_doc(i)),
    )


def other_question(case: Case) -> Finding:
    """The same paragraph under another question: the logits move, the answer too. Needs the
    reader.
    """
    assert case.reader is not None
    if not case.question:
        return lacking("This step names no second question.")
    encoding = case.reading.encoding
    after = case.reader.read(case.question, encoding.context, case.reading.options)
    old, new = case.prediction, predict(after, case.decode, case.merge)
    if old.best is None or new.best is None:
        return lacking("One of the two questions finds no legal span.")
    was, now = old.best.candidate, new.best.candidate
    s, t = (r.start_logits[c.window] for r, c in ((case.reading, now), (after, now)))
    i, j = (r.windows[now.window].to_pos(now.span.start) for r in (case.reading, after))
    return Finding(
        f"Asked {quoted(case.question, 60)}, the reader's best span is "
        f"{quoted(now.text, LONGEST)}: the start logit there goes from {number(float(s[i]))} to "
        f"{number(float(t[j]))}, and S has not changed.",
        holds=now.span != was.span and float(t[j]) > float(s[i]),
        missing=f"With both questions the best span is {quoted(was.text, LONGEST)}.",
        right="tokens",
        span=now.span,
        facts={"question": case.question},
    )


def bias_changes_nothing(case: Case) -> Finding:
    """The head's bias moves every start logit and no probability. Needs the reader."""
    assert case.reader is not None
    bias, (window, s) = case.reader.heads().b_S, _starts(case)
    p, without = softmax(s), softmax(s - bias)
    i = int(p.argmax())
    return Finding(
        f"The bias is {signed(bias, 3)} on each of {len(s):,} logits; without it "
        f"{_at(case, window, i)} has {probability(float(without[i]), 4)} instead of "
        f"{probability(float(p[i]), 4)}.",
        right="nothing",
        holds=bool(np.allclose(p, without, atol=1e-6)),
        missing="The probabilities did change.",
    )


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
        f"(−log {at[0]:.3f} − log {at[1]:.3f}) / 2 = {number(loss)} nats.",
        value=loss,
        within=0.02,
        holds=abs(by_hand - loss) < 1e-3,
        missing="The two ways to compute the loss differ.",
        traps=((2 * loss, "That is the sum; the loss is the mean of the two."),),
        facts={"p_start": f"{at[0]:.3f}", "p_end": f"{at[1]:.3f}"},
    )
