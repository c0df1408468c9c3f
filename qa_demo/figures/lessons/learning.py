"""Checks about probabilities, the two vectors of the head, and the training loss."""

import numpy as np

from qa_demo.core.arrays import logsumexp, softmax
from qa_demo.core.reading.heads import plane
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.scales import wide
from qa_demo.core.types import Window
from qa_demo.figures.lessons.finding import (
    LONGEST,
    NO_READER,
    NO_SPAN,
    Case,
    Check,
    Finding,
    Lacking,
    asks_reader,
    first_of,
    in_the_text,
    likeliest,
    need,
)
from qa_demo.figures.numbers import number, percent, probability, signed, total
from qa_demo.figures.prose import quoted
from qa_demo.figures.span_score import signed_addend

CHOICES = 4


def _starts(case: Case) -> tuple[Window, np.ndarray]:
    """Start logits of the window of the best span, [n]."""
    return case.window, wide(case.reading, case.window.index)[0]


@Check
def all_positions(case: Case) -> Finding:
    """The start probabilities of all positions add up to 1, not those of the answer's words."""
    best, (window, s) = need(case.best, NO_SPAN), _starts(case)
    p = softmax(s / case.temperature)
    inside = float(p[window.to_pos(best.span.start) : window.to_pos(best.span.end) + 1].sum())
    return Finding(
        f"Over all {len(p):,} positions of the window they add up to 1, over "
        f"{quoted(best.text, LONGEST)} alone to {probability(inside, 2)}.",
        right="all",
        holds=len(p) > len(best.span),
        missing="The answer fills its whole window.",
    )


@Check
def second_start(case: Case) -> Finding:
    """Which word piece of the paragraph has the second highest start probability."""
    window, s = _starts(case)
    p = softmax(s)
    first, *rest = likeliest(case, window, p, CHOICES + 1)
    second = rest[0]
    return first_of(
        f"After {first[1]} with {percent(float(p[first[0]]))} comes {second[1]} with "
        f"{percent(float(p[second[0]]))}.",
        rest,
        [f"{text} has {percent(float(p[pos]))}." for pos, text in rest],
        in_the_text("Start logits", rest, [number(float(s[pos])) for pos, _ in rest]),
    )


@Check
def temperature_keeps_order(case: Case) -> Finding:
    """Another temperature changes every probability and no order."""
    window, s = _starts(case)
    cold, warm = softmax(s), softmax(s / case.temperature)
    i, j = int(cold.argmax()), int(warm.argmax())
    if case.temperature == 1.0:
        raise Lacking("The temperature is 1 again, so there is nothing to compare.")
    return Finding(
        f"At temperature {case.temperature:g} {case.piece(window, j)} has "
        f"{percent(float(warm[j]))}, and it still leads.",
        right="same",
        holds=i == j,
        missing="Another position leads now.",
        facts={"temperature": f"{case.temperature:g}"},
    )


SHIFT = 3.0


@Check
def shift_changes_nothing(case: Case) -> Finding:
    """The same number added to every logit changes no probability."""
    window, s = _starts(case)
    before, after = softmax(s), softmax(s + SHIFT)
    i = int(before.argmax())
    return Finding(
        f"{case.piece(window, i)} keeps its {probability(float(after[i]), 2)}: exp({number(s[i])}) "
        f"and the sum of all are both multiplied by exp({SHIFT:g}).",
        right="same",
        holds=bool(np.allclose(before, after)),
        missing="The probabilities did change.",
    )


@Check
def without_exp(case: Case) -> Finding:
    """Logits divided by their sum are no probabilities."""
    window, s = _starts(case)
    i, whole = int(s.argmax()), float(s.sum())
    return Finding(
        f"The logits of this window sum to a number below 0. So {case.piece(window, i)}, with the "
        f"highest start logit, {number(float(s[i]))}, would get a share below 0; with exp it has "
        f"{percent(float(softmax(s)[i]))}.",
        holds=whole < 0 < float(s[i]),
        missing="Here the logits do not sum to a number below 0, or none is above it.",
    )


@Check
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


@asks_reader
def one_vector(case: Case) -> Finding:
    """S and E are the same for every text; a start logit is S . T_i + b. Needs the reader."""
    reader, (window, s) = need(case.reader, NO_READER), _starts(case)
    heads = reader.heads()
    points = plane(heads, reader.hidden(window)[-1])
    i = int(s.argmax()) if case.best is None else window.to_pos(case.best.span.start)
    bias = float(heads.b_S)
    printed = total([float(s[i]) - bias, bias], float(s[i]))
    return Finding(
        f"The same S serves every position. At {case.piece(window, i)} its product with T is "
        f"{printed.addends[0]}; with the bias that makes the start logit, {printed.addends[0]} "
        f"{signed_addend(printed.addends[1])} {printed.sign} {printed.total}.",
        right="one",
        holds=bool(np.allclose(points[:, 0], s, atol=0.05)),
        missing="The start logits of this reader are no product with one vector alone.",
    )


@Check
def top_start(case: Case) -> Finding:
    """Which word piece stands farthest along the start axis."""
    window, s = _starts(case)
    ranked = likeliest(case, window, s, CHOICES)
    at = [number(float(s[pos])) for pos, _ in ranked]
    return first_of(
        f"The dot farthest to the right is {ranked[0][1]}, with a start logit of {at[0]}.",
        ranked,
        [f"{t} has a start logit of {x}." for (_, t), x in zip(ranked, at, strict=True)],
        in_the_text("Start logits", ranked, at),
    )


@asks_reader
def other_question(case: Case) -> Finding:
    """The same paragraph under another question: the logits move, the answer too. Needs the
    reader.
    """
    reader, encoding = need(case.reader, NO_READER), case.reading.encoding
    if not case.question:
        raise Lacking("This step names no second question.")
    after = reader.read(case.question, encoding.context, case.reading.options)
    none = "One of the two questions finds no legal span."
    was = need(case.best, none)
    now = need(predict(after, case.decode, case.merge).best, none).candidate
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


@asks_reader
def bias_changes_nothing(case: Case) -> Finding:
    """The head's bias moves every start logit and no probability. Needs the reader."""
    bias, (window, s) = need(case.reader, NO_READER).heads().b_S, _starts(case)
    p, without = softmax(s), softmax(s - bias)
    i = int(p.argmax())
    decimals = total([float(s[i]) - bias, bias], float(s[i]), at_least=3).decimals  # the formula's
    return Finding(
        f"The bias adds {signed(bias, decimals)} to the start logit of every position; "
        f"{case.piece(window, i)} has the probability {probability(float(p[i]), 4)} with it and "
        f"without it.",
        right="nothing",
        holds=bool(np.allclose(p, without, atol=1e-6)),
        missing="The probabilities did change.",
    )
