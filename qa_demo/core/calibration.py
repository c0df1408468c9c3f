"""How sure a reader can be of its best span, and how often such claims came true.

    claim           = P(the text answers) * P(exactly right, if it answers)
    P(it answers)   = sigmoid(slope * margin + intercept),   margin = score - null_score   (logits)
    P(right | ...)  = sigmoid(log-odds(P_T) + b)
    P_T             = sum over legal pairs with the span's text of exp(score / T)
                      / sum over all legal pairs of exp(score / T)

The chance is of a text, not of a place: "exactly right" compares texts after SQuAD's normalisation,
so a name that stands five times keeps the chance that it had once. The pairs are those that BERT's
own limits allow, in all windows, since the answer is chosen among them. T > 1 makes a reader less
sure (Guo et al. 2017), b moves all claims together, slope and intercept are fitted on questions of
which some have no answer (Platt 1999). The fits stand in evaluation.calibrate.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats, logsumexp
from qa_demo.core.metrics import CalibrationBin, bin_of, same_text
from qa_demo.core.predict import null_logits, wide
from qa_demo.core.spans import Candidate, cell_scores, reason, top_spans
from qa_demo.core.types import Answerability, Calibration, DecodeOptions, Reading

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


@dataclass(frozen=True, eq=False)
class PairClaim:
    """The scores of the legal pairs that say the same text [k], and of all legal pairs [m]."""

    same: Floats
    legal: Floats

    def prob(self, temperature: float) -> float:
        """P_T; e.g. scores log 4 of log 1, log 4, log 3 give 0.5 at T = 1."""
        part, whole = (float(logsumexp(x / temperature)) for x in (self.same, self.legal))
        return math.exp(min(0.0, part - whole))


def pair_claim(reading: Reading, found: Candidate) -> PairClaim | None:
    """A span's text as a claim among the legal pairs under `DECODE`; None when the span is not one
    of them.
    """
    home = reading.windows[found.window]
    i, j = home.to_pos(found.span.start), home.to_pos(found.span.end)
    if reason(home, i, j, DECODE) is not None:
        return None
    scores, chars = _legal(reading)
    return PairClaim(scores[same_text(reading.encoding.context, chars, found.text)], scores)


_pairs: WeakKeyDictionary[Reading, tuple[Floats, NDArray[np.int64]]] = WeakKeyDictionary()


def _legal(reading: Reading) -> tuple[Floats, NDArray[np.int64]]:
    """Score [m] and characters [m, 2] of every legal pair; kept with the reading, whose every
    picture asks for them.
    """
    kept = _pairs.get(reading)
    if kept is not None:
        return kept
    begins = reading.encoding.offset_mapping[:, 0]
    scores, chars = [], []
    for window in reading.windows:
        logits = reading.logits(window.index)
        cells = top_spans(*logits, window, DECODE, n=len(window) ** 2)
        docs = cells - window.context_at + window.doc_start
        a = begins[docs[:, 0]]
        chars.append(np.stack([a, np.maximum(a, reading.encoding.char_ends[docs[:, 1]])], axis=1))
        scores.append(cell_scores(*logits, cells))
    return _pairs.setdefault(reading, (np.concatenate(scores), np.concatenate(chars)))


def log_odds(probs: Floats) -> Floats:
    """log(p / (1 - p)), with p kept `CERTAIN` away from 0 and 1; e.g. 0.8 gives 1.386."""
    p = np.clip(np.asarray(probs, dtype=np.float64), CERTAIN, 1 - CERTAIN)
    found: Floats = np.log(p) - np.log1p(-p)
    return found


def shifted(probs: Floats, bias: float) -> Floats:
    """sigmoid(log-odds(p) + bias); e.g. 0.5 with a bias of log 4 gives 0.8."""
    return sigmoid(log_odds(probs) + bias)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) without an overflow."""
    found: Floats = np.exp(-np.logaddexp(0.0, -np.asarray(x, dtype=np.float64)))
    return found


def chance(prob: float, calibration: Calibration) -> float:
    """P(exactly right) = sigmoid(log-odds(P_T) + b), of P_T at the calibration's temperature."""
    return float(shifted(np.array([prob]), calibration.bias)[0])


# ---- whether the text answers at all, and the claim


@dataclass(frozen=True)
class Sureness:
    """What a reader's calibrations say of one span; `answerable` and `claim` are None for a reader
    whose fit never saw a text without an answer.
    """

    right_if_answerable: float
    answerable: float | None

    @property
    def claim(self) -> float | None:
        """answerable * right_if_answerable."""
        return None if self.answerable is None else self.answerable * self.right_if_answerable


def margin(reading: Reading, found: Candidate) -> float:
    """score - null_score, null_score = the minimum over windows of S_w[0] + E_w[0]; logits,
    whatever rule merges the windows.
    """
    return found.score - float(null_logits(reading).min())


def answerable(margin: float, fitted: Answerability) -> float:
    """P(the text answers) = sigmoid(slope * margin + intercept); e.g. 0 with intercept 0 is 0.5."""
    return float(sigmoid(np.array(fitted.slope * margin + fitted.intercept)))


def sureness(reading: Reading, found: Candidate) -> Sureness | None:
    """How sure a reading can be of a span; None for a reader without a calibration and for a span
    that BERT's own limits forbid.
    """
    fits = reading.calibrations
    claim = None if fits is None or fits.span is None else pair_claim(reading, found)
    if fits is None or fits.span is None or claim is None:
        return None
    known = None
    if fits.answerable is not None:
        known = answerable(margin(reading, found), fits.answerable)
    return Sureness(chance(claim.prob(fits.span.temperature), fits.span), known)


@dataclass(frozen=True)
class Lead:
    """The best span against "no answer", which wins where lead < -limit. `limit`: the threshold,
    None under a rule that knows none; `window`: the one whose "no answer" counts, with its logits
    `start` and `end` at [CLS].
    """

    best: Candidate
    lead: float
    limit: float | None
    returned: bool
    window: int
    start: float
    end: float

    @property
    def null(self) -> float:
        """The score of "no answer", start + end."""
        return self.best.score - self.lead


def lead_of(reading: Reading, best: Candidate, limit: float | None, returned: bool) -> Lead:
    """The lead over the smallest "no answer" of all windows; e.g. 12.09 over 3.06 is 9.03."""
    window = int(null_logits(reading).argmin())
    start, end = (float(logits[0]) for logits in wide(reading, window))
    return Lead(best, margin(reading, best), limit, returned, window, start, end)


# ---- what was counted once, in the reader's metrics.json


@dataclass(frozen=True)
class ClaimKnown:
    """How often claims of a size came true among `measured_on` questions, `unanswerable` of them
    without an answer; `error` is the mean distance of claim and share, 0 to 1. Each question was
    judged by a fit that saw none of its article; slope and intercept come with the reader.
    """

    slope: float
    intercept: float
    measured_on: int
    unanswerable: int
    bins: tuple[CalibrationBin, ...]
    error: float


@dataclass(frozen=True)
class ThresholdKnown:
    """What the reader's threshold does on so many questions, in percent: right answers that it
    withholds, and questions without an answer that get one.
    """

    answerable: int
    unanswerable: int
    withheld_right: float
    wrongly_answered: float


@dataclass(frozen=True)
class Known:
    """Both; None where metrics.json has no such figures."""

    claim: ClaimKnown | None = None
    threshold: ThresholdKnown | None = None


def load_known(folder: Path) -> Known | None:
    """The figures of a reader's folder; None when it holds none. Errors: BadInput for a file that
    cannot be read as such.
    """
    path = folder / "metrics.json"
    if not path.is_file():
        return None
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        said, line = raw.get("claim"), raw.get("threshold_curve", {}).get("span")
        if said is not None:
            names = ("slope", "intercept", "measured_on", "unanswerable", "error")
            bins = tuple(CalibrationBin(**row) for row in said["bins"])
            said = ClaimKnown(**{name: said[name] for name in names}, bins=bins)
        if line is not None:
            at = {name: line["chosen"][name] for name in ("withheld_right", "wrongly_answered")}
            line = ThresholdKnown(line["answerable"], line["unanswerable"], **at)
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as fault:
        raise BadInput(f"{path.name} holds no figures that can be read: {fault}") from fault
    return Known(said, line)


@dataclass(frozen=True)
class Sure:
    """One number of sureness, [0, 1], with its two factors and what was counted; or `why` there is
    none.
    """

    best: Candidate
    why: str = ""
    parts: tuple[float, float] = 0.0, 0.0
    known: ClaimKnown | None = None

    @property
    def claim(self) -> float:
        """P(the text answers) * P(exactly right, if it answers)."""
        return self.parts[0] * self.parts[1]

    @property
    def like(self) -> CalibrationBin | None:
        """The questions on which the reader was as sure."""
        return bin_of(self.known.bins, self.claim) if self.known else None


def counted_with(reading: Reading, found: Known | None) -> Known | None:
    """The figures, if they hold the very calibration that the reading came with."""
    known = reading.calibrations
    if known is None or known.answerable is None or found is None or found.claim is None:
        return None
    own = known.answerable.slope, known.answerable.intercept
    return found if np.allclose(own, (found.claim.slope, found.claim.intercept)) else None


def sure_of(reading: Reading, best: Candidate, found: Known | None, rule: str) -> Sure:
    """How sure the reader is of its best span by a rule for windows."""
    if found is None or found.claim is None:
        return Sure(best, "How often this reader is right was not measured")
    if rule != "logits":
        return Sure(best, "It was measured by the default rule for windows, and another is chosen")
    known = sureness(reading, best)
    if known is None or known.answerable is None:
        return Sure(best, "It was measured for spans of at most 30 pieces, and this one is longer")
    return Sure(best, "", (known.answerable, known.right_if_answerable), found.claim)
