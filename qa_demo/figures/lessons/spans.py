"""Checks about spans: the answer, the runner-up, the best pair, and no answer."""

from dataclasses import replace

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.course.lessons import Option
from qa_demo.core.reading.legal import valid_spans
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.scales import wide
from qa_demo.core.reading.spans import separate_argmaxes, span_scores, window_prob
from qa_demo.core.reading.words import span_at
from qa_demo.figures.lessons.finding import (
    LONGEST,
    Case,
    Finding,
    in_reading_order,
    lacking,
)
from qa_demo.figures.numbers import MINUS, number, percent, total
from qa_demo.figures.prose import piece, quoted, shorten

NO_ANSWER = "This reader gives no answer to this question, so there is no span to look at."
CHOICES = 4


def answer_span(case: Case) -> Finding:
    """The words that answer the question: the reader's, or those of an annotator."""
    found = reader_span(case)
    encoding = case.reading.encoding
    golds = [span_at(encoding, a.char_start, a.char_end) for a in case.gold]
    return replace(found, also=tuple(dict.fromkeys(golds))) if found.holds else found


def reader_span(case: Case) -> Finding:
    """The words that the reader marks."""
    best = case.best
    if best is None or not case.answered:
        return lacking(NO_ANSWER)
    first, last = best.char_start + 1, best.char_end
    of = len(case.reading.encoding.context)
    return Finding(
        f"The reader marks {quoted(best.text, LONGEST)}, characters {first:,} to {last:,} of "
        f"{of:,}.",
        span=best.span,
    )


def copied(case: Case) -> Finding:
    """The answer is a slice of the paragraph."""
    best = case.best
    if best is None or not case.answered:
        return lacking(NO_ANSWER)
    context = case.reading.encoding.context
    here = context[best.char_start : best.char_end]
    return Finding(
        f"{quoted(best.text, LONGEST)} stands in the paragraph letter by letter, characters "
        f"{best.char_start + 1:,} to {best.char_end:,} of {len(context):,}.",
        holds=here == best.text,
        missing="The answer is no slice of the paragraph.",
        right="copies",
    )


def _ranked(case: Case, first: int) -> Finding | tuple[list[Candidate], tuple[Option, ...]]:
    """Candidates from rank `first` on, and the same as options in the order of the text."""
    listed = [r.candidate for r in case.prediction.n_best][first : first + CHOICES]
    texts = [c.text for c in listed]
    if len(listed) < CHOICES or len(set(texts)) < CHOICES:
        return lacking(f"The paragraph holds fewer than {CHOICES} different spans to choose from.")
    places = [(c.char_start, c.char_end) for c in listed]
    return listed, in_reading_order(
        [(p, shorten(t, LONGEST)) for p, t in zip(places, texts, strict=True)]
    )


def runner_up(case: Case) -> Finding:
    """Which span comes second."""
    best, found = case.best, _ranked(case, 1)
    if isinstance(found, Finding):
        return found
    assert best is not None
    listed, options = found
    return Finding(
        f"Second comes {quoted(listed[0].text, LONGEST)}, "
        f"{number(best.score - listed[0].score)} behind the first.",
        right="rank-0",
        options=options,
        said=_ranks(listed, 2),
    )


def best_pair(case: Case) -> Finding:
    """Which legal span has the highest score."""
    best, found = case.best, _ranked(case, 0)
    if isinstance(found, Finding):
        return found
    assert best is not None
    listed, options = found
    printed = total([best.start_logit, best.end_logit])
    return Finding(
        f"{quoted(best.text, LONGEST)} has the highest legal sum, {printed.addends[0]} + "
        f"{printed.addends[1]} {printed.sign} {printed.total}.",
        right="rank-0",
        options=options,
        said=_ranks(listed, 1),
    )


def _ranks(listed: list[Candidate], first: int) -> dict[str, str]:
    return {
        f"rank-{k}": f"{quoted(c.text, LONGEST)} is number {first + k} of the reader's list."
        for k, c in enumerate(listed)
        if k
    }


def score_sum(case: Case) -> Finding:
    """The answer's score is the sum of two logits."""
    best = case.best
    if best is None:
        return lacking(NO_ANSWER)
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


def argmaxes_apart(case: Case) -> Finding:
    """The highest start and the highest end, each for itself, make no span."""
    cell = separate_argmaxes(case.reading, case.window.index, case.decode, case.merge.copies)
    at = [
        quoted(piece(case.reading, cell.window, pos), LONGEST)
        for pos in (cell.start_pos, cell.end_pos)
    ]
    gap = cell.start_pos - cell.end_pos
    said = (
        f"In the paragraph the highest start is at {at[0]} (i = {cell.start_pos}), the highest end "
        f"at {at[1]} (j = {cell.end_pos})"
    )
    if gap <= 0:
        return lacking(f"{said}: here they do make a span.")
    return Finding(f"{said}: it would end before it starts.", right="no")


def legal_pairs(case: Case) -> Finding:
    """How many cells of the square may be an answer."""
    window, best = case.window, case.best
    if best is None:
        return lacking(NO_ANSWER)
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
        facts={"pieces": f"{d:,}", "limit": f"{_limit(case):,}"},
    )


def _limit(case: Case) -> int:
    return case.decode.max_answer_length


def mean_of_maxima(case: Case) -> Finding:
    """(max start probability + max end probability) / 2 is the score of no span; the softmax runs
    over the whole window.
    """
    window = case.window
    p = [softmax(x) for x in wide(case.reading, window.index)]
    at = np.flatnonzero(window.is_context)
    i, j = (int(at[x[at].argmax()]) for x in p)
    if i <= j:
        return lacking("Here the two maxima do stand in one span, so their mean looks harmless.")
    words = [quoted(piece(case.reading, window.index, k), LONGEST) for k in (i, j)]
    start, end = float(p[0][i]), float(p[1][j])
    return Finding(
        f"({number(start)} + {number(end)}) / 2 = {number((start + end) / 2)} joins the start at "
        f"{words[0]} to the end at {words[1]}, which stands before it: no span has both.",
        right="none",
    )


def withholds(case: Case) -> Finding:
    """Whether the reader answers, and the gap that decides."""
    best, prediction = case.best, case.prediction
    if best is None or prediction.score_diff is None or prediction.limit is None:
        return lacking("This reader knows no threshold, so it always answers.")
    limit = number(prediction.limit)
    does = "gives its answer" if case.answered else "gives no answer"
    null, other, gap = difference(prediction.null_score, best.score)
    return Finding(
        f"The reader {does}: no answer scores {null}, its best span "
        f"{quoted(best.text, LONGEST)} {other}; the difference, {gap}, is "
        f"{'not ' if case.answered else ''}above the threshold {limit}.",
        right="answer" if case.answered else "none",
        facts={"null": null, "best": other},
    )


def difference(a: float, b: float) -> tuple[str, str, str]:
    """a, b and a - b as printed, with as few decimals as it takes to come out."""
    printed = total([a, -b])
    return printed.addends[0], number(b, printed.decimals), printed.total


def bracketed(text: str) -> str:
    """A number that is subtracted: in brackets if it is negative."""
    return f"({text})" if text.startswith(MINUS) else text


def withheld(case: Case) -> Finding:
    """As `withholds`, on a text that the reader leaves without an answer."""
    found = withholds(case)
    if not found.holds or case.answered:
        return lacking(found.missing or "This reader does answer this question.")
    return found


def null_sum(case: Case) -> Finding:
    """The score of no answer is the sum of two logits too, both at [CLS]."""
    window = case.reading.windows[case.prediction.null_window]
    s, e = wide(case.reading, window.index)
    printed = total([float(s[window.cls_at]), float(e[window.cls_at])])
    name = case.reading.tokens(window.index)[window.cls_at]
    return Finding(
        f"At {name} the start logit is {printed.addends[0]} and the end logit "
        f"{printed.addends[1]}: the null score is {printed.total}."
    )


def where_it_turns(case: Case) -> Finding:
    """The threshold at which the reader changes its mind about this text."""
    found, diff = withheld(case), case.prediction.score_diff
    if not found.holds or diff is None:
        return found
    assert case.best is not None
    null, other, gap = difference(case.prediction.null_score, case.best.score)
    return Finding(
        f"Null score minus best score is {null} − {bracketed(other)} = {gap}: from that threshold "
        f"on the reader would answer, and it stands at {number(case.prediction.limit or 0.0)}.",
        value=diff,
        facts={"null": null, "best": other},
        within=0.1,
        traps=((-diff, "The size is right, but it is null score minus best score."),),
    )


def unsure_and_answered(case: Case) -> Finding:
    """A low probability, and an answer all the same."""
    best = case.best
    if best is None or not case.answered:
        return lacking(NO_ANSWER)
    at = case.reading.windows[best.window]
    chance = window_prob(
        case.reading, best.window, at.to_pos(best.span.start), at.to_pos(best.span.end)
    )
    none = window_prob(case.reading, best.window, at.cls_at, at.cls_at)
    said = f"The best span has a probability of {percent(chance)}, no answer {percent(none)}"
    if chance >= 0.5 or none >= chance:
        return lacking(f"{said}: here the best span is not a doubtful one.")
    return Finding(
        f"{said}: the doubt is between spans, and the reader answers {quoted(best.text, LONGEST)}.",
        right="answer",
    )
