"""Merge rules side by side on one reading: who wins under each, by how much, and what would change
the winner.

A rule is three independent choices (`core.reading.scales`): which copies of a span count, on which
scale, against which null. Where two additive rules disagree, the start and end differences of two
spans are the same under both; only the constants of their windows differ, so those are the numbers
that caused it.
"""

from dataclasses import dataclass, replace

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import pool, predict
from qa_demo.core.reading.predicted import Candidate, Prediction
from qa_demo.core.reading.scales import SCALES, check_merge, wide
from qa_demo.core.reading.spans import Cell, make_candidate, separate_argmaxes
from qa_demo.core.types import Reading


@dataclass(frozen=True)
class Rule:
    """A merge rule under the name that the page prints."""

    name: str
    merge: MergeOptions


RULES = (
    Rule("logit sum, max context (BERT)", MergeOptions("max_context", "logit", "min_logit")),
    Rule("log-odds against [CLS]", MergeOptions("max_context", "log_odds", "own_window")),
    Rule("product with [CLS]", MergeOptions("max_context", "window_product", "min_product")),
    Rule("context-only product", MergeOptions("max_context", "context_product", "none")),
    Rule("context-only mean", MergeOptions("max_context", "context_mean", "none")),
    Rule("softmax over all legal spans", MergeOptions("max_context", "global_softmax", "none")),
)
SEPARATE_MAXIMA = "separate maxima, averaged (textbook)"


@dataclass(frozen=True)
class Margin:
    """Winner minus rival on a rule's rank: total = start + end + (winner_shift - rival_shift).

    `start` and `end` are differences of logits (halved probabilities on the mean's scale); the
    shifts are the windows' constants: minus the null's logits, minus log Z, or 0. On probability
    scales the total is the logarithm of the ratio.
    """

    start: float
    end: float
    winner_shift: float
    rival_shift: float

    @property
    def shift(self) -> float:
        """What the windows' constants contribute."""
        return self.winner_shift - self.rival_shift

    @property
    def total(self) -> float:
        """start + end + shift; above 0 when the winner ranks higher."""
        return self.start + self.end + self.shift


@dataclass(frozen=True)
class RuleResult:
    """One rule's outcome. The separate maxima have no merge and no prediction."""

    name: str
    merge: MergeOptions | None
    prediction: Prediction | None
    winner: Cell | None
    winner_doc: tuple[int, int] | None
    """First and last context token of the winner; an illegal pair may end before it starts."""
    value: float | None

    def agrees_with(self, other: "RuleResult") -> bool:
        """Whether both name the same tokens (or both none)."""
        return self.winner_doc == other.winner_doc


@dataclass(frozen=True)
class Flip:
    """Adding more than c (less, if c < 0) to all logits of a window lets `challenger` win."""

    c: float
    winner: Candidate
    challenger: Candidate


def run_all(reading: Reading, decode: DecodeOptions | None = None) -> tuple[RuleResult, ...]:
    """Every rule of `RULES` on one reading, then the textbook's separate maxima."""
    decode = decode or DecodeOptions()
    return tuple(run_rule(reading, decode, rule) for rule in RULES) + (_textbook(reading, decode),)


def run_rule(reading: Reading, decode: DecodeOptions, rule: Rule) -> RuleResult:
    """One rule that ranks spans on one reading."""
    prediction = predict(reading, decode, rule.merge)
    if prediction.best is None:
        return RuleResult(rule.name, rule.merge, prediction, None, None, None)
    best = prediction.best.candidate
    i, j = _cell(reading, best)
    return RuleResult(
        rule.name,
        rule.merge,
        prediction,
        Cell(best.window, i, j, best.start_logit, best.end_logit),
        (best.span.start, best.span.end),
        prediction.best.value,
    )


def _textbook(reading: Reading, decode: DecodeOptions) -> RuleResult:
    value, cell = separate_maxima(reading, decode)[0]
    window = reading.windows[cell.window]
    return RuleResult(
        SEPARATE_MAXIMA,
        None,
        None,
        cell,
        (window.to_doc(cell.start_pos), window.to_doc(cell.end_pos)),
        value,
    )


def separate_maxima(
    reading: Reading, decode: DecodeOptions | None = None
) -> tuple[tuple[float, Cell], ...]:
    """(max P~_start + max P~_end) / 2 of every window, highest first, with the pair the two maxima
    form.

    P~ is the softmax over the window's paragraph tokens. The pair need not be legal; its cell says
    why not.
    """
    found = []
    for w, window in enumerate(reading.windows):
        s, e = wide(reading, w)
        value = float(softmax(s[window.is_context]).max() + softmax(e[window.is_context]).max()) / 2
        found.append((value, separate_argmaxes(reading, w, decode or DecodeOptions())))
    return tuple(sorted(found, key=lambda pair: (-pair[0], pair[1].window)))


def _cell(reading: Reading, candidate: Candidate) -> tuple[int, int]:
    window = reading.windows[candidate.window]
    return window.to_pos(candidate.span.start), window.to_pos(candidate.span.end)


def margin(
    reading: Reading,
    decode: DecodeOptions,
    merge: MergeOptions,
    winner: Candidate,
    rival: Candidate,
) -> Margin:
    """Add up why one candidate outranks another under a rule; any two may be compared."""
    check_merge(merge)
    terms = SCALES[merge.scale].terms(reading, decode, merge.copies)
    (wi, wj), (ri, rj) = _cell(reading, winner), _cell(reading, rival)
    a, b = terms[winner.window], terms[rival.window]
    return Margin(float(a.start[wi] - b.start[ri]), float(a.end[wj] - b.end[rj]), a.shift, b.shift)


def flip_constant(
    reading: Reading, window: int, decode: DecodeOptions | None = None, copies: str = "max_context"
) -> Flip | None:
    """The c at which adding c to every start and end logit of one window changes the logit sum's
    winner.

    Adding c moves every score of the window by 2 c and no other:
        winner elsewhere:        score(winner) = score(best other span of the window) + 2 c,   c >=
        0
        winner in the window:    score(winner) + 2 c = score(best other span elsewhere),       c <=
        0
    None when no c does it: one window, nothing legal, or a copy of the winner that moves (or stays)
    above the other.
    """
    if not 0 <= window < len(reading.windows):
        raise BadInput(f"window must be between 0 and {len(reading.windows) - 1}, got {window}")
    decode = decode or DecodeOptions()
    merge = MergeOptions(copies=copies)
    best = predict(reading, decode, merge).best
    if best is None:
        return None
    winner, score = best.candidate, best.candidate.score
    inside = winner.window == window
    deep = decode if decode.top_n_grid else replace(decode, n_best_size=max(2, decode.n_best_size))
    copy = -np.inf  # the winner's own best copy on the side that gains
    for rank, w, i, j in pool(reading, SCALES["logit"].terms(reading, deep, copies), deep, copies):
        if (w == window) == inside:
            continue
        other = make_candidate(reading, w, i, j)
        if (other.char_start, other.char_end) == (winner.char_start, winner.char_end):
            copy = max(copy, rank)
        elif other.char_start < other.char_end:
            c = (rank - score) / 2 if inside else (score - rank) / 2
            return Flip(c, winner, other) if rank > copy else None
    return None
