"""How sure a reader can be of its best span, and how often such claims came true.

    claim           = P(the text answers) * P(exactly right, if it answers)
    P(it answers)   = sigmoid(slope * margin + intercept),   margin = score - null_score   (logits)
    P(right | ...)  = sigmoid(log-odds(P_T) + b)
    P_T             = sum over legal pairs that begin and end as the span's text of exp(score / T)
                      / sum over all legal pairs of exp(score / T)

The chance is of a text, not of a place: "exactly right" compares texts after SQuAD's normalisation,
so a name that stands five times keeps the chance that it had once. Start and end are scored apart:
a start where the text begins and an end where it ends, at whichever of its places, both speak for
it. The pairs are those that BERT's own limits allow, in all windows. T > 1 makes a reader less
sure (Guo et al. 2017), b moves all claims together, slope and intercept are fitted on questions of
which some have no answer (Platt 1999). The fits stand in evaluation.calibrate.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qa_demo.core.base import Floats, Ints, logsumexp, tied
from qa_demo.core.metrics import CalibrationBin, same_text
from qa_demo.core.predict import null_scores
from qa_demo.core.spans import Candidate, reason, top_spans
from qa_demo.core.store import READERS, shipped_json
from qa_demo.core.types import Answerability, DecodeOptions, Reading, Rule

RANGE = 0.05, 20.0
BIASES = -20.0, 20.0
STEEPEST = 100.0
"""What temperature, bias, and slope and intercept may be: margins are logits, some tens at most."""
CERTAIN = 1e-9
"""Probabilities are kept this far from 0 and 1: one claim of certainty that is wrong must not
outweigh all others.
"""
DECODE = DecodeOptions()
"""A calibration is fitted among the pairs that BERT's own limits allow, and holds for those."""


# ---- the chance of being exactly right, where the text answers


class PairClaim(NamedTuple):
    """The scores of the legal pairs that speak for a text [k], and of all legal pairs [m]."""

    same: Floats
    legal: Floats

    def prob(self, temperature: float) -> float:
        """P_T; e.g. scores log 4 of log 1, log 4, log 3 give 0.5 at T = 1."""
        part, whole = (float(logsumexp(x / temperature)) for x in self)
        return math.exp(min(0.0, part - whole))


@lru_cache(maxsize=8)  # every picture asks again; the pairs weigh more than their reading
def pair_claim(reading: Reading, found: Candidate) -> PairClaim | None:
    """A span's text as a claim among the legal pairs under `DECODE`; None if it is not legal."""
    home, rows, places = reading.windows[found.window], list[Floats](), list[Ints]()
    if reason(home, *home.positions(found.span), DECODE) is not None:
        return None
    for window in reading.windows:
        s, e = reading.logits(window.index)
        i, j = top_spans(s, e, window, DECODE, n=len(window) ** 2).T
        rows.append(tied(s[i] + e[j]))
        at = window.doc_start - window.context_at
        places.append(reading.encoding.ranges(i + at, j + at))
    scores, chars = np.concatenate(rows), np.concatenate(places)
    same = chars[same_text(reading.encoding.context, chars, found.text)]
    begins, ends = (np.isin(chars[:, k], same[:, k]) for k in (0, 1))
    return PairClaim(scores[begins & ends], scores)


def log_odds(probs: Floats) -> Floats:
    """log(p / (1 - p)), with p kept `CERTAIN` away from 0 and 1; e.g. 0.8 gives 1.386."""
    p = np.clip(np.asarray(probs, dtype=np.float64), CERTAIN, 1 - CERTAIN)
    return np.log(p) - np.log1p(-p)


def shifted(probs: Floats, bias: float) -> Floats:
    """P(exactly right) = sigmoid(log-odds(P_T) + b); e.g. 0.5 with a bias of log 4 gives 0.8."""
    return sigmoid(log_odds(probs) + bias)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) without an overflow."""
    return np.exp(-np.logaddexp(0.0, -np.asarray(x, dtype=np.float64)))


# ---- whether the text answers at all, and the claim


def margin_of(reading: Reading, found: Candidate) -> float:
    """score - the smallest of `null_scores`: minus score_diff, of any span, by any rule; logits."""
    return found.score - float(null_scores(reading).min())


def p_answerable(margin: float, fitted: Answerability) -> float:
    """P(the text answers) = sigmoid(slope * margin + intercept); e.g. 0 with intercept 0 is 0.5."""
    return float(sigmoid(np.array(fitted.slope * margin + fitted.intercept)))


@dataclass(frozen=True)
class Sureness:
    """What a reader's calibrations say of one span: claim = answerable * right_if_answerable, both
    None for a reader whose fit never saw a text without an answer.
    """

    right_if_answerable: float
    answerable: float | None
    claim: float | None


def sureness(reading: Reading, found: Candidate) -> Sureness | None:
    """How sure a reading can be of a span; None for a reader without a calibration and for a span
    that BERT's own limits forbid.
    """
    fits = reading.calibrations
    if fits is None or fits.span is None or (claim := pair_claim(reading, found)) is None:
        return None
    right = float(shifted(np.array(claim.prob(fits.span.temperature)), fits.span.bias))
    if fits.answerable is None:
        return Sureness(right, None, None)
    answers = p_answerable(margin_of(reading, found), fits.answerable)
    return Sureness(right, answers, answers * right)


# ---- what was counted once, in the reader's metrics.json


@cache
def load_counted(folder: Path) -> dict[str, Any]:
    """How often claims of a size came true (`bins`), as a bundled reader's folder holds it, among
    `measured_on` questions, `unanswerable` of them without an answer; `error`: the mean distance of
    claim and share, 0 to 1. Each question was judged by a fit that saw none of its article; `slope`
    and `intercept` come with the reader. `threshold`: of how many questions, `total`, how many have
    no answer, `NoAns_total`, and in percent the right answers that the reader's threshold withholds
    (`withheld_right`) and the questions without an answer that get one (`wrongly_answered`).
    """
    raw = shipped_json(folder / "metrics.json")
    bins = tuple(CalibrationBin(**row) for row in raw["claim"]["bins"])
    return raw["claim"] | {"bins": bins, "threshold": raw["squad_dev_v2"]["span"]}


def counted_with(reading: Reading, name: str) -> dict[str, Any] | None:
    """The figures of the reader of that name, if they hold the calibration of this very reading."""
    fits = reading.calibrations
    if fits is None or fits.answerable is None or name not in READERS:
        return None
    found, own = load_counted(READERS[name]), (fits.answerable.slope, fits.answerable.intercept)
    return found if np.allclose(own, (found["slope"], found["intercept"])) else None


def sure_of(reading: Reading, best: Candidate, known: bool, rule: Rule) -> Sureness | str:
    """How sure the reader is of its best span by a rule for windows, or why that cannot be said;
    `known`: whether it was counted how often this reader is right.
    """
    if known and rule != "logits":
        return "It was measured by the default rule for windows, and another is chosen"
    if known and len(best.span) > (most := DECODE.max_answer_length):
        return f"It was measured for spans of at most {most} tokens, and this one is longer"
    sure = sureness(reading, best) if known else None
    return sure or "How often this reader is right was not measured"
