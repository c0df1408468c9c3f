"""Checks about spans: the answer, the runner-up, and the best pair."""

from dataclasses import replace

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.measuring.metrics import normalize
from qa_demo.core.reading.legal import valid_spans
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.scales import wide
from qa_demo.core.reading.spans import separate_argmaxes, span_scores
from qa_demo.figures.lessons.finding import (
    LONGEST,
    NO_ANSWER,
    Case,
    Check,
    Finding,
    Lacking,
    first_of,
    need,
)
from qa_demo.figures.numbers import number, total
from qa_demo.figures.prose import characters, quoted, shorten

CHOICES = 4
"""At most so many to choose from, which are also the rows of chapter 4's list in sight."""
FEWEST = 3


@Check
def answer_span(case: Case) -> Finding:
    """The words that answer the question: the reader's, or those of an annotator."""
    return replace(reader_span.point(case), also=tuple(dict.fromkeys(case.gold_spans)))


@Check
def reader_span(case: Case) -> Finding:
    """The words that the reader marks."""
    best = case.answer
    return Finding(
        f"The reader marks {quoted(best.text, LONGEST)}, "
        f"{characters(best.char_start, best.char_end)} of {len(case.reading.encoding.context):,}.",
        span=best.span,
    )


@Check
def copied(case: Case) -> Finding:
    """The answer is a slice of the paragraph."""
    best = case.answer
    context = case.reading.encoding.context
    here = context[best.char_start : best.char_end]
    return Finding(
        f"{quoted(best.text, LONGEST)} stands in the paragraph letter by letter, "
        f"{characters(best.char_start, best.char_end)} of {len(context):,}.",
        holds=here == best.text,
        missing="The answer is no slice of the paragraph.",
        right="copies",
    )


Ranked = list[tuple[int, Candidate]]
"""Candidates with their places in the reader's list, from 1 on."""


def _ranked(case: Case, first: int, last: int | None = None) -> Ranked:
    """Candidates from the place `first` on, to `last`; of those that differ in an article, a comma
    or their shortened middle only the first. Errors: Lacking where there are too few.
    """
    found: dict[str, tuple[int, Candidate]] = {}
    for place, ranked in enumerate(case.prediction.n_best[:last], 1):
        if place >= first and len(found) < CHOICES:
            short = normalize(shorten(ranked.candidate.text, LONGEST))
            found.setdefault(short, (place, ranked.candidate))
    if len(found) < FEWEST:
        raise Lacking(f"The list holds fewer than {FEWEST} different spans to choose from.")
    return list(found.values())


def _first_of(decides: str, listed: Ranked, given: str) -> Finding:
    """Which of some candidates comes first."""
    return first_of(
        decides,
        [((c.char_start, c.char_end), shorten(c.text, LONGEST)) for _, c in listed],
        [f"{quoted(c.text, LONGEST)} is number {at} of the reader's list." for at, c in listed],
        given,
    )


@Check
def runner_up(case: Case) -> Finding:
    """Which span comes second."""
    listed, best = _ranked(case, 2), need(case.best, NO_ANSWER)
    second = listed[0][1]
    return _first_of(
        f"Second comes {quoted(second.text, LONGEST)}, "
        f"{number(best.score - second.score)} behind the first.",
        listed,
        f"The first has the score {number(best.score)}. {_pairs(listed)}",
    )


@Check
def best_pair(case: Case) -> Finding:
    """Which legal span has the highest score."""
    listed = _ranked(case, 1, CHOICES)
    best = listed[0][1]
    printed = total([best.start_logit, best.end_logit])
    return _first_of(
        f"{quoted(best.text, LONGEST)} has the highest legal sum, {printed.addends[0]} + "
        f"{printed.addends[1]} {printed.sign} {printed.total}.",
        listed,
        _pairs(listed),
    )


def _pairs(listed: Ranked) -> str:
    """The two logits of each span, in the order of the text."""
    rows = [
        f"{quoted(c.text, LONGEST)} {number(c.start_logit)} and {number(c.end_logit)}"
        for _, c in sorted(listed, key=lambda one: (one[1].char_start, one[1].char_end))
    ]
    return f"Start and end logit: {'; '.join(rows)}."


@Check
def score_sum(case: Case) -> Finding:
    """The answer's score is the sum of two logits."""
    best = need(case.best, NO_ANSWER)
    printed = total([best.start_logit, best.end_logit])
    facts = dict(zip(("start_logit", "end_logit"), printed.addends, strict=True))
    return Finding(
        f"For {quoted(best.text, LONGEST)} the start logit is {printed.addends[0]}, the end logit "
        f"{printed.addends[1]}, and the score {printed.total}.",
        value=best.score,
        within=0.02,
        facts=facts,
    )


START, END = (1.0, 2.0, 6.0), (5.0, 2.0, 1.0)
"""The logits of a reader of three tokens: its two highest make the illegal pair (3, 1)."""


@Check
def three_tokens(case: Case) -> Finding:
    """The best legal pair of three tokens, by hand."""
    scores = span_scores(np.array(START), np.array(END))
    i, j = np.triu_indices(len(START))
    best = int(np.argmax(scores[i, j]))
    free = np.unravel_index(int(np.argmax(scores)), scores.shape)
    top, most = (
        f"{START[a]:g} + {END[b]:g} = {scores[a, b]:g}" for a, b in ((i[best], j[best]), free)
    )
    return Finding(
        f"Token {i[best] + 1} alone has {top}; the two maxima, {most}, would start at token "
        f"{free[0] + 1} and end at token {free[1] + 1}.",
        right=f"{i[best] + 1}-{j[best] + 1}",
        said={
            f"{free[0] + 1}-{free[1] + 1}": f"Its sum is the highest, {most}, but it ends before "
            f"it starts."
        },
    )


@Check
def argmaxes_apart(case: Case) -> Finding:
    """The highest start and the highest end, each for itself, make no span."""
    cell = separate_argmaxes(case.reading, case.window.index, case.decode, case.merge.copies)
    at = [case.piece(case.window, pos) for pos in (cell.start_pos, cell.end_pos)]
    gap = cell.start_pos - cell.end_pos
    said = (
        f"In the paragraph the highest start is at {at[0]} (i = {cell.start_pos}), the highest end "
        f"at {at[1]} (j = {cell.end_pos})"
    )
    if gap <= 0:
        raise Lacking(f"{said}: here they do make a span.")
    logits = dict(
        zip(("start logits", "end logits"), case.reading.logits(cell.window), strict=True)
    )
    return Finding(
        f"{said}: it would end before it starts.", right="no", given=_highest(case, logits)
    )


def _highest(case: Case, sides: dict[str, np.ndarray]) -> str:
    """The highest few of each side in the paragraph, with their positions, in reading order."""
    window, parts = case.window, []
    inside = np.flatnonzero(window.is_context)
    for name, x in sides.items():
        top = sorted(inside[np.argsort(-x[inside], kind="stable")[:CHOICES]].tolist())
        rows = [f"{case.piece(window, k)} (position {k}) {number(x[k])}" for k in top]
        parts.append(f"The highest {name}: {'; '.join(rows)}.")
    return " ".join(parts)


@Check
def legal_pairs(case: Case) -> Finding:
    """How many cells of the square may be an answer."""
    need(case.best, NO_ANSWER)
    window = case.window
    d = int(window.is_context.sum())
    legal = int(valid_spans(window, case.decode, case.merge.copies).sum())
    ordered = d * (d + 1) // 2
    longer = f", less the {ordered - legal:,} that are too long" if ordered > legal else ""
    return Finding(
        f"{legal:,} pairs are legal: of {d:,} word pieces {d:,} · {d + 1:,} / 2 = {ordered:,} "
        f"pairs stand in order{longer}.",
        value=legal,
        within=max(0.5, 0.05 * legal),
        decimals=0,
        traps=((d * d, "That is every pair; in nearly half of them the end comes first."),),
        facts={"pieces": f"{d:,}", "limit": f"{min(d, case.decode.max_answer_length):,}"},
    )


@Check
def mean_of_maxima(case: Case) -> Finding:
    """(max start probability + max end probability) / 2 is the score of no span; the softmax runs
    over the whole window.
    """
    window = case.window
    p = [softmax(x) for x in wide(case.reading, window.index)]
    at = np.flatnonzero(window.is_context)
    i, j = (int(at[x[at].argmax()]) for x in p)
    if i <= j:
        raise Lacking("Here the two maxima do stand in one span, so their mean looks harmless.")
    words = [case.piece(window, k) for k in (i, j)]
    start, end = float(p[0][i]), float(p[1][j])
    return Finding(
        f"({number(start)} + {number(end)}) / 2 = {number((start + end) / 2)} joins the start at "
        f"{words[0]} to the end at {words[1]}, which stands before it: no span has both.",
        right="none",
        given=_highest(case, {"start probabilities": p[0], "end probabilities": p[1]}),
    )
