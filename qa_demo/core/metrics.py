"""SQuAD scores as the official scripts of versions 1.1 and 2.0 give them, in percent."""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qa_demo.core.base import BadInput, Bools, Ints
from qa_demo.core.types import Example

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


class Outcome(NamedTuple):
    """What a reader says to one question: its best span's text ("" when it has none), and null
    score minus best score.
    """

    text: str
    score_diff: float | None = None


@dataclass(frozen=True)
class CalibrationBin:
    """Questions whose probability lies in [low, high): how sure the reader was, and how often it
    was right.
    """

    low: float
    high: float
    count: int
    mean_prob: float
    accuracy: float


def normalize(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single blanks - in this order; e.g. "The
    U.S.!" gives "us".
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(gold: str, prediction: str) -> float:
    """1 when both texts are equal after `normalize`, else 0."""
    return float(normalize(gold) == normalize(prediction))


def overlap(gold: str, prediction: str) -> tuple[int, int, int]:
    """How many normalised words two texts share, and how many each has."""
    a, b = Counter(normalize(gold).split()), Counter(normalize(prediction).split())
    return (a & b).total(), a.total(), b.total()


def f1(gold: str, prediction: str, version: str = "2.0") -> float:
    """Harmonic mean of precision and recall over the multiset of normalised words, 0 to 1.

        F1 = 2 c / (words of gold + words of prediction),  c = words in common

    When a side is empty: version 2.0 gives 1 if both are and else 0, version 1.1 gives 0.
    """
    shared, a, b = overlap(gold, prediction)
    if not a or not b:
        return float(version == "2.0" and a == b)
    return 2 * shared / (a + b)


def references(example: Example, version: str) -> list[str]:
    """The texts a prediction is compared with; version 2.0 drops those that normalise to nothing,
    and none means [""].
    """
    texts = [a.text for a in example.answers]
    return texts if version == "1.1" else [t for t in texts if normalize(t)] or [""]


def score(example: Example, prediction: str, version: str) -> tuple[float, float]:
    """(exact, f1) of one prediction, each the maximum over the references, 0 to 1."""
    golds = references(example, version)
    exact = max((exact_match(g, prediction) for g in golds), default=0.0)
    return exact, max((f1(g, prediction, version) for g in golds), default=0.0)


def judged(
    example: Example, said: Outcome, threshold: float | None, version: str
) -> tuple[float, float]:
    """(exact, f1) of one question, 0 to 1.

    Version 2.0 withholds it where score_diff > threshold (None: never); what is withheld scores 1
    where the file has no answer, and 0 where it has one. Version 1.1 never withholds.
    """
    if version == "2.0" and withheld(said, threshold):
        return (0.0, 0.0) if example.answers else (1.0, 1.0)
    return score(example, said.text, version)


def withheld(said: Outcome, threshold: float | None) -> bool:
    """Whether the threshold takes the answer away; a missing score_diff counts as 0."""
    return threshold is not None and (said.score_diff or 0.0) > threshold


def same_text(context: str, chars: Ints, text: str) -> Bools:
    """Which slices context[a:b] of chars [m, 2] normalise to what `text` does, [m].

    Articles are made of a, e, h, n and t: the sum of all other letters sorts out nearly all slices;
    what is left is normalised itself.
    """
    wanted, sums = normalize(text), _letter_sums(context)
    found: Bools = sums[chars[:, 1]] - sums[chars[:, 0]] == _letter_sums(text)[-1]
    for k in np.flatnonzero(found):
        found[k] = normalize(context[chars[k, 0] : chars[k, 1]]) == wanted
    return found


@lru_cache(maxsize=64)
def _letter_sums(text: str) -> Ints:
    """The sum before each character, [n + 1], of the letters that no article holds, each counted
    with its code; blanks and marks are none.
    """

    def weight(char: str) -> int:
        letters = char.lower().replace("ς", "σ").translate(_PUNCTUATION)
        return sum(2**32 + ord(x) for x in letters if not x.isspace() and x not in "aehnt")

    return np.cumsum([0, *map(weight, text)])


def best_threshold(
    scores: ArrayLike, answerable: ArrayLike, diffs: ArrayLike, answered: ArrayLike
) -> tuple[float, float]:
    """The no-answer threshold with the highest mean score: (percent, threshold), searched as
    evaluate-v2.0.py does.

    Start with "no answer" everywhere, then answer one more question at a time, in order of rising
    `diffs`: it adds its score if it is answerable, and takes 1 away if it is not and a text was
    predicted. So the threshold reads 0.0 when nothing beats "no answer" everywhere, and equal diffs
    are not kept together. Tuned on the questions it scores, the percentage is an upper bound.
    """
    gain = np.where(answerable, scores, -np.asarray(answered, dtype=np.float64))
    given = np.asarray(diffs, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    silent = float(len(gain) - np.count_nonzero(answerable))
    totals = silent + np.cumsum([0.0, *gain[order]])
    best = int(np.argmax(totals))
    return 100.0 * float(totals[best]) / len(gain), float(given[order[best - 1]]) if best else 0.0


def evaluate(
    examples: Sequence[Example],
    outcomes: Mapping[str, Outcome],
    threshold: float | None = None,
    rules: str | None = None,
) -> dict[str, float | int]:
    """Score outcomes, keyed by question id, against the gold answers; percent, 0-100.

    A file without unanswerable questions is scored by version 1.1: the best span always counts.
    Otherwise version 2.0: the answer is removed where score_diff > threshold (None: never), and the
    best_* values come from the threshold search over the best spans. `rules` keeps those of a whole
    file for a part of it. Errors: BadInput for no question, or two that share an id.
    """
    if len({e.id for e in examples}) < len(examples):
        raise BadInput("two of these questions share an id, by which predictions are kept")
    if not examples:
        raise BadInput("there is no question to evaluate")
    rules = rules or ("1.1" if all(e.answers for e in examples) else "2.0")
    said = [outcomes[e.id] for e in examples]
    both = [*zip(examples, said, strict=True)]
    final = np.array([judged(e, one, threshold, rules) for e, one in both])
    result = _means("", final)
    if rules == "1.1":
        return result
    has = np.array([bool(e.answers) for e in examples])
    for name, part in (("HasAns_", has), ("NoAns_", ~has)):
        if part.any():
            result |= _means(name, final[part])
    given = np.array([score(e, one.text, "2.0") for e, one in both])
    diffs, answered = [one.score_diff or 0.0 for one in said], [bool(one.text) for one in said]
    for name, scores in zip(("exact", "f1"), given.T, strict=True):
        percent, best = best_threshold(scores, has, diffs, answered)
        result |= {f"best_{name}": percent, f"best_{name}_thresh": best}
    return result


def _means(prefix: str, rows: NDArray[np.float64]) -> dict[str, float | int]:
    exact, mean_f1 = (100.0 * rows.mean(axis=0)).tolist()
    return {f"{prefix}exact": exact, f"{prefix}f1": mean_f1, f"{prefix}total": len(rows)}


def bins_of(probs: ArrayLike, correct: ArrayLike) -> tuple[CalibrationBin, ...]:
    """Compare probabilities with how often they came true, in tenths of [0, 1]; empty ones are left
    out.
    """
    p, hit = np.asarray(probs, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    assert p.shape == hit.shape and np.all((p >= 0) & (p <= 1))
    at = np.minimum((p * 10).astype(np.int64), 9)
    parts = [(k, at == k) for k in np.unique(at).tolist()]
    return tuple(
        CalibrationBin(k / 10, (k + 1) / 10, int(x.sum()), float(p[x].mean()), float(hit[x].mean()))
        for k, x in parts
    )


def bin_of(table: Sequence[CalibrationBin], p: float) -> CalibrationBin | None:
    """The bin of a probability, None where it was left out; the last one holds its upper end."""
    top = max((b.high for b in table), default=0.0)
    return next((b for b in table if b.low <= p < b.high or b.high == top == p), None)


def calibration_error(table: Sequence[CalibrationBin]) -> float:
    """Mean distance between probability and accuracy, weighted by the bins' counts, 0 to 1."""
    total = sum(b.count for b in table)
    return sum(b.count * abs(b.mean_prob - b.accuracy) for b in table) / total if total else 0.0


def expected_error(probs: ArrayLike) -> float:
    """The mean `calibration_error` of 200 draws of outcomes with exactly these probabilities: what
    the best possible calibration shows on so many questions.
    """
    p, rng = np.asarray(probs, dtype=np.float64), np.random.default_rng(0)
    tables = (bins_of(p, rng.random(len(p)) < p) for _ in range(200))
    return float(np.mean([calibration_error(table) for table in tables]))
