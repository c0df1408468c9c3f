"""SQuAD scores as the official scripts of versions 1.1 and 2.0 give them, in percent."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from qa_demo.core.base import Bools, Floats, Ints
from qa_demo.core.types import Example

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True)
class CalibrationBin:
    """Questions with a probability in [low, high): how sure the reader was, and how often right."""

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


def score(example: Example, prediction: str, version: str) -> tuple[float, float]:
    """(exact, f1) of one prediction, each the maximum over the answers' texts, 0 to 1; version 2.0
    drops those that normalise to nothing, and none means [""].
    """
    golds = [a.text for a in example.answers]
    if version == "2.0":
        golds = [text for text in golds if normalize(text)] or [""]
    exact = max((exact_match(g, prediction) for g in golds), default=0.0)
    return exact, max((f1(g, prediction, version) for g in golds), default=0.0)


def withheld(diffs: ArrayLike, threshold: ArrayLike | None) -> Bools:
    """Where score_diff > threshold (None: nowhere), which takes the answer away. Without a span
    score_diff is inf and counts as 0, as the official script counts "".
    """
    leads = np.asarray(diffs, dtype=np.float64)
    return np.where(leads == np.inf, 0.0, leads) > (np.inf if threshold is None else threshold)


def judged(
    given: ArrayLike, answerable: ArrayLike, diffs: ArrayLike, threshold: ArrayLike | None
) -> Floats:
    """Scores [..., n] by version 2.0, 0 to 1, of best spans that score `given`: an answer that is
    withheld scores 1 where the file has none, and 0 where it has one.
    """
    return np.where(withheld(diffs, threshold), np.logical_not(answerable), given)


def same_text(context: str, chars: Ints, text: str) -> Bools:
    """Which slices context[a:b] of chars [m, 2] normalise to what `text` does, [m].

    Articles are made of a, e, h, n and t: the sum of all other letters sorts out nearly all slices;
    what is left is normalised itself.
    """
    wanted, sums = normalize(text), _letter_sums(context)
    alike = lru_cache(maxsize=4096)(normalize)  # kept no longer than this: texts are a visitor's
    found: Bools = sums[chars[:, 1]] - sums[chars[:, 0]] == _letter_sums(text)[-1]
    for k in np.flatnonzero(found):
        found[k] = alike(context[chars[k, 0] : chars[k, 1]]) == wanted
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
    scores: Floats, answerable: Bools, diffs: Floats, answered: Bools
) -> tuple[float, float]:
    """The no-answer threshold with the highest mean score: (percent, threshold), searched as
    evaluate-v2.0.py does.

    Start with "no answer" everywhere, then answer one more question at a time, in order of rising
    `diffs`: it adds its score if it is answerable, and takes 1 away if it is not and a text was
    predicted. So the threshold reads 0.0 when nothing beats "no answer" everywhere, and equal diffs
    are not kept together. Tuned on the questions it scores, the percentage is an upper bound.
    """
    gain = np.where(answerable, scores, -1.0 * answered)
    order = np.argsort(diffs, kind="stable")
    silent = float(len(gain) - np.count_nonzero(answerable))
    totals = np.cumsum([silent, *gain[order]])
    best = int(np.argmax(totals))
    return 100.0 * float(totals[best]) / len(gain), float(diffs[order[best - 1]]) if best else 0.0


def evaluate(
    given: Floats, answerable: Bools, diffs: Floats, threshold: float | None, rules: str
) -> dict[str, float | int]:
    """The official script's totals, in percent, of n questions: exact and F1 of their best spans as
    given [2, n], 0 to 1, whether the file has an answer, and score_diff (inf without a span).

    By version 1.1 the best span always counts. By 2.0 answers are withheld (`judged`), and the
    best_* values come from the threshold search over the best spans.
    """
    final, parts = given, {"": np.full_like(answerable, True)}
    if rules == "2.0":
        final = judged(given, answerable, diffs, threshold)
        parts |= {"HasAns_": answerable, "NoAns_": ~answerable}
    result = dict[str, float | int]()
    for head, part in parts.items():
        if part.any():
            exact, f1 = (100 * final[:, part].sum(axis=1) / part.sum()).tolist()
            result |= {f"{head}exact": exact, f"{head}f1": f1, f"{head}total": int(part.sum())}
    if rules == "2.0":
        counted, answered = np.where(diffs == np.inf, 0.0, diffs), diffs < np.inf
        for name, scores in zip(("exact", "f1"), given, strict=True):
            percent, best = best_threshold(scores, answerable, counted, answered)
            result |= {f"best_{name}": percent, f"best_{name}_thresh": best}
    return result


def bins_of(probs: ArrayLike, correct: ArrayLike) -> tuple[CalibrationBin, ...]:
    """The reliability table: probabilities beside how often they came true, in tenths of [0, 1];
    empty ones are left out.
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
    """The expected calibration error (ECE): mean distance of probability and accuracy, weighted by
    the bins' counts, 0 to 1.
    """
    total = sum(b.count for b in table)
    return sum(b.count * abs(b.mean_prob - b.accuracy) for b in table) / total if total else 0.0
