"""Answers that are lists, scored as MultiSpanQA's script does: on sets of normalised texts.

    P = matches / max(1, spans said), R = matches / max(1, spans wanted), summed over all questions;
    F1 = 2 P R / (P + R)

Exact: a match is a text that both sets hold. Overlap: each span said counts as the largest share of
its own characters that one wanted span has in one piece, each wanted span as the largest share that
one span said has (the script leaves out letters that are frequent in a text of 200 characters or
more, this does not). Source: Li et al. 2022, "MultiSpanQA"; src/eval_script.py.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from qa_demo.core.metrics import normalize

KINDS = {
    "whole": "every answer, and nothing else",
    "one of several": "one of the answers, and nothing else",
    "missing": "some of the answers, and nothing else",
    "merged": "a span that holds two answers or more",
    "extra": "every answer, and something else",
    "missing and extra": "some of the answers, and something else",
    "none": "none of the answers",
    "silent": "nothing",
}
"""What a head says to a list, in the order in which a question is looked at."""


@dataclass(frozen=True)
class Rates:
    """Precision, recall and their harmonic mean, in percent."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class ListScores:
    """Both measures over `total` questions, and the percentage of questions whose whole set is
    right.
    """

    total: int
    exact: Rates
    overlap: Rates
    whole_lists: float


def _rates(p_sum: float, r_sum: float, said: int, wanted: int) -> Rates:
    p, r = p_sum / said, r_sum / wanted
    return Rates(100 * p, 100 * r, 200 * p * r / (p + r) if p + r else 0.0)


def shared_piece(a: str, b: str) -> int:
    """Length of the longest run of characters that two texts share."""
    return SequenceMatcher(None, a, b, autojunk=False).find_longest_match(0, len(a), 0, len(b)).size


def overlap(wanted: Collection[str], said: Collection[str]) -> tuple[float, float]:
    """(sum over said, sum over wanted) of the best shares; two empty sets match once, one empty
    set never.
    """
    if not wanted or not any(said):
        match = float(not wanted and not any(said))
        return match, match
    pieces = {(w, s): shared_piece(w, s) for w in wanted for s in said}
    of_said = sum(max(pieces[w, s] for w in wanted) / max(1, len(s)) for s in said)
    of_wanted = sum(max(pieces[w, s] for s in said) / max(1, len(w)) for w in wanted)
    return of_said, of_wanted


def list_scores(wanted: Sequence[Collection[str]], said: Sequence[Collection[str]]) -> ListScores:
    """Score one set of texts for each question, of which there is at least one."""
    pairs = [
        ({normalize(x) for x in w}, {normalize(x) for x in s})
        for w, s in zip(wanted, said, strict=True)
    ]
    n_wanted, n_said = (sum(max(1, len(pair[k])) for pair in pairs) for k in (0, 1))
    common = sum(len(w & s) for w, s in pairs)
    shares = [overlap(w, s) for w, s in pairs]
    return ListScores(
        total=len(pairs),
        exact=_rates(common, common, n_said, n_wanted),
        overlap=_rates(sum(p for p, _ in shares), sum(r for _, r in shares), n_said, n_wanted),
        whole_lists=100 * sum(w == s for w, s in pairs) / len(pairs),
    )


def kind(wanted: Collection[str], said: Collection[str]) -> str:
    """Which of `KINDS` an answer is; texts are compared as SQuAD compares them."""
    want, have = ({normalize(x) for x in texts} for texts in (wanted, said))
    if not any(have):
        return "silent"
    if have == want:
        return "whole"
    if any(sum(f" {w} " in f" {h} " for w in want) > 1 for h in have - want):
        return "merged"
    if have < want:
        return "one of several" if len(have) == 1 else "missing"
    if want < have:
        return "extra"
    return "missing and extra" if want & have else "none"
