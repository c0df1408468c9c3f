"""Checks about tags, annotators who disagree, and the training of SpanBERT."""

import math

import numpy as np

from qa_demo.core.arrays import Floats, softmax
from qa_demo.core.learning.bio import B, O, decode_reading
from qa_demo.core.learning.losses import cross_entropy, entropy, start_end_loss
from qa_demo.core.learning.tagging import soft_terms
from qa_demo.core.masking.infill import code_terms
from qa_demo.core.masking.span_masking import DEFAULTS, budget_of, length_law
from qa_demo.core.types import Span
from qa_demo.figures.lessons.finding import (
    LONGEST,
    NO_SPAN,
    Case,
    Check,
    Finding,
    Lacking,
    first_of,
    in_the_text,
    likeliest,
    need,
)
from qa_demo.figures.numbers import number, percent
from qa_demo.figures.prose import listed, plural, quoted

NO_HEAD = "This reader has no head for tags."
CHOICES = 4


@Check
def likely_begin(case: Case) -> Finding:
    """Which word piece has the highest P(B)."""
    tags, window = need(case.reading.tag_logits, NO_HEAD), case.window
    p = softmax(tags[window.index, : len(window)])
    ranked = likeliest(case, window, p[:, B], CHOICES)
    pos, first = ranked[0]
    shares = [percent(float(p[at, B])) for at, _ in ranked]
    return first_of(
        f"At {first} B has {shares[0]}, I {percent(float(p[pos, 1]))} and "
        f"O {percent(float(p[pos, O]))}.",
        ranked,
        [f"At {t} B has {share}." for (_, t), share in zip(ranked, shares, strict=True)],
        in_the_text("P(B)", ranked, shares),
    )


@Check
def several_spans(case: Case) -> Finding:
    """Tags can return several spans, start and end one."""
    need(case.reading.tag_logits, NO_HEAD)
    best = need(case.best, NO_HEAD)
    texts = [quoted(t.text, LONGEST) for t in decode_reading(case.reading)]
    if len(texts) < 2:
        raise Lacking(f"Here the tags return {plural(len(texts), 'span')} only.")
    return Finding(
        f"The tags return {plural(len(texts), 'span')}, {listed(texts)}; start and end return "
        f"{quoted(best.text, LONGEST)} alone.",
        right="tags",
    )


VOTES = np.array([2.0, 0.0, 1.0]) / 3
"""B, B, O: two of three annotators begin an answer at this token."""


@Check
def vote_target(case: Case) -> Finding:
    """The soft target of B, B, O."""
    return Finding(
        f"The target is 2 / 3 = {number(VOTES[B])} for B, 0 for I and 1 / 3 = "
        f"{number(VOTES[O])} for O.",
        value=float(VOTES[B]),
        within=0.01,
        traps=(
            (1.0, "That is the majority; it forgets the third annotator."),
            (2.0, "Two votes, and of three: divide."),
        ),
    )


@Check
def vote_floor(case: Case) -> Finding:
    """The entropy of B, B, O: no probabilities give a smaller loss."""
    floor = float(entropy(VOTES))
    return Finding(
        f"With p = t the loss is −⅔ log ⅔ − ⅓ log ⅓ = {number(floor)} nats; any other p costs "
        f"more.",
        value=floor,
        within=0.02,
        traps=(
            (0.0, "Zero is only possible where all three agree."),
            (-math.log(2 / 3), "That is −log ⅔ alone; the O of the third annotator costs too."),
        ),
    )


SURE = 0.8
"""P(B) in the loss of one tag by hand."""


@Check
def one_hot(case: Case) -> Finding:
    """With one tag per token the sum has one term, and its minus sign stays."""
    p = np.array([SURE, 0.1, 0.1])
    loss = float(cross_entropy(np.log(p), np.eye(3)[B]))
    return Finding(
        f"The loss is −log {SURE:g} = {number(loss)}. Without the minus sign it is "
        f"log {SURE:g} = {number(-loss)}.",
        right="minus",
        facts={"p": f"{SURE:g}"},
    )


@Check
def floor_above_zero(case: Case) -> Finding:
    """Where annotators disagree, the loss of the whole text has a floor above 0."""
    need(case.reading.tag_logits, NO_HEAD)
    golds = case.gold_spans
    if len(set(golds)) < 2:
        raise Lacking("The annotators of this text agree, so the loss could reach 0.")
    terms = soft_terms(case.reading, golds)
    tokens = int((terms.floor > 0).sum())
    return Finding(
        f"They disagree on {plural(tokens, 'word piece')}: no reader can go below "
        f"{number(float(terms.floor.sum()))} nats, and this one is at {number(terms.total)}.",
        right="no",
        holds=float(terms.floor.sum()) > 0,
        missing="Their tags agree on every word piece.",
    )


@Check
def hidden_share(case: Case) -> Finding:
    """How many of so many word pieces are hidden."""
    count = budget_of(PIECES)
    share = DEFAULTS.mask_ratio * PIECES
    return Finding(
        f"{number(DEFAULTS.mask_ratio)} · {PIECES} = {number(share, 1)}, and "
        f"⌈{number(share, 1)}⌉ = {count}: rounded up.",
        value=count,
        within=0.1,
        decimals=0,
        traps=((share, "That is no whole number of pieces; it is rounded up."),),
        facts={"pieces": f"{PIECES}", "percent": f"{number(100 * DEFAULTS.mask_ratio, 0)} %"},
    )


PIECES = 50
"""Of a text to compute with by hand."""


RUN, HIDDEN = Span(5, 8), 6
"""The hidden run x5 to x8 and the piece in question, x6."""


@Check
def boundary_inputs(case: Case) -> Finding:
    """What the span boundary objective may look at."""
    s, e = RUN.start, RUN.end
    place = HIDDEN - s + 1
    return Finding(
        f"It is given x{s - 1}, x{e + 1} and position {place}: (s − 1, e + 1, i − s + 1) with "
        f"s = {s}, e = {e}, i = {HIDDEN}.",
        right=f"x{s - 1}-x{e + 1}-p{place}",
        said={
            f"x{s}-x{e}-p{place}": "Those two are hidden themselves; the boundary lies outside.",
            f"x{s - 1}-x{e + 1}-p{HIDDEN}": "The words are right; positions count from the span's "
            "first piece.",
        },
    )


@Check
def two_objectives(case: Case) -> Finding:
    """Pre-training adds the two losses."""
    terms = code_terms([2.0, 1.0], [3.0, 1.0])
    names = listed([t.name for t in terms])
    return Finding(
        f"Its loss has {plural(len(terms), 'term')}, {names}; next-sentence prediction is not "
        f"among them.",
        right="both",
    )


@Check
def task_loss(case: Case) -> Finding:
    """Fine-tuning has the task's loss alone."""
    terms = start_end_loss(case.reading, (need(case.best, NO_SPAN).span,))
    return Finding(
        f"Its loss has {plural(len(terms), 'term')}, {listed([t.name for t in terms])}: nothing "
        f"is hidden any more, so there is nothing to guess.",
        right="task",
    )


@Check
def minus_log(case: Case) -> Finding:
    """What a chance of the true piece costs."""
    chances = (0.5, 0.05)
    even, small = (
        float(cross_entropy(np.log([p, 1.0 - p]), np.array([1.0, 0.0]))) for p in chances
    )
    return Finding(
        f"−log {chances[0]:g} = {number(even)} and −log {chances[1]:g} = {number(small)}: the less "
        f"likely the true piece, the more it costs."
    )


@Check
def own_features(case: Case) -> Finding:
    """A vector's LayerNorm, alone and beside another vector."""
    one, other = (1.0, 2.0, 6.0), (100.0, 0.0, 50.0)
    alone, beside = _centred(np.array([one]))[0], _centred(np.array([one, other]))[0]
    return Finding(
        "A vector becomes the same numbers alone and beside another one: its own mean and its own "
        "spread are all that is used.",
        holds=bool((alone == beside).all()),
    )


def _centred(rows: Floats) -> Floats:
    """(x − mean) / standard deviation of each row's own features."""
    centred: Floats = (rows - rows.mean(axis=1, keepdims=True)) / rows.std(axis=1, keepdims=True)
    return centred


@Check
def mean_length(case: Case) -> Finding:
    """The mean length of a hidden span."""
    law = length_law()
    lengths = np.arange(DEFAULTS.span_lower, DEFAULTS.span_upper + 1)
    mean = float(law @ lengths)
    return Finding(
        f"The mean of the law is {number(mean)} words.",
        value=mean,
        within=0.35,
        traps=((5.5, "That would be the mean if all lengths were equally likely."),),
    )
