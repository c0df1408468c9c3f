"""What a head says to a question, and how its lists of answers are scored: as MultiSpanQA's script
does, on sets of normalised texts.

    P = matches / max(1, spans said), R = matches / max(1, spans wanted), summed over all questions;
    F1 = 2 P R / (P + R)

Exact: a match is a text that both sets hold. Overlap: each span said counts as the largest share of
its own characters that one wanted span has in one piece, each wanted span as the largest share that
one span said has (the script leaves out letters that are frequent in a text of 200 characters or
more, this does not). Source: Li et al. 2022, "MultiSpanQA"; src/eval_script.py.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from qa_demo.core.base import Floats, log_softmax
from qa_demo.core.bio import best_span, decode_reading, null_log_prob, span_marginals
from qa_demo.core.calibration import PairClaim, margin, pair_claim
from qa_demo.core.metrics import Outcome, normalize, score
from qa_demo.core.predict import predict
from qa_demo.core.spans import window_prob
from qa_demo.core.types import Example, Reading
from qa_demo.evaluation.lines import TEMPERATURES
from qa_demo.evaluation.table import Table

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


@dataclass(frozen=True, eq=False)
class TagClaim:
    """The best span of the tags: logits [n, 3] of its window's paragraph tokens, and its first and
    last one.
    """

    tags: Floats
    i: int
    j: int

    def prob(self, temperature: float) -> float:
        """The span's exact marginal among the legal taggings at a temperature."""
        more = self.j - self.i
        return float(span_marginals(log_softmax(self.tags / temperature), more + 1)[self.i, more])


@dataclass(frozen=True, eq=False)
class Said:
    """What a head says: its best span with score_diff, all its texts (the tags can say several),
    how sure it can be made, its probability as it stands (P_s(i) P_e(j) in its window, or the exact
    marginal of the tags; 0 without a span), and its lead over no answer (of the start/end head).
    """

    outcome: Outcome
    texts: tuple[str, ...]
    claim: PairClaim | TagClaim | None
    plain: float
    margin: float = 0.0


def says(reading: Reading, head: str) -> Said:
    """What one head says to one question."""
    if head == "span":
        prediction = predict(reading)
        if prediction.best is None:
            return Said(Outcome(""), ("",), None, 0.0)
        c = prediction.best.candidate
        home = reading.windows[c.window]
        at = home.to_pos(c.span.start), home.to_pos(c.span.end)
        found, plain = Outcome(c.text, prediction.score_diff), window_prob(reading, c.window, *at)
        return Said(found, (c.text,), pair_claim(reading, c), plain, margin(reading, c))
    tagged, texts = best_span(reading), tuple(x.text for x in decode_reading(reading))
    if tagged is None or reading.tag_logits is None:
        return Said(Outcome(""), texts, None, 0.0)
    found = Outcome(tagged.text, null_log_prob(reading) - math.log(tagged.marginal))
    w = reading.windows[tagged.window]
    tags = reading.tag_logits[w.index, : len(w)][w.is_context].astype(np.float64)
    at = tagged.span.start - w.doc_start, tagged.span.end - w.doc_start
    return Said(found, texts, TagClaim(tags, *at), tagged.marginal)


def table(examples: Sequence[Example], said: Sequence[Said], claims: bool = True) -> Table:
    """What a head says to questions, as thresholds and, with `claims`, calibrations ask for it."""
    points = [score(e, s.outcome.text, "2.0") for e, s in zip(examples, said, strict=True)]
    diffs = [s.outcome.score_diff for s in said]
    probs = [
        [s.claim.prob(t) if claims and s.claim else np.nan for t in TEMPERATURES] for s in said
    ]
    return Table(
        np.array([e.title for e in examples], dtype=object),
        np.array([bool(e.answers) for e in examples]),
        *np.array(points).T,
        np.array([np.inf if diff is None else diff for diff in diffs]),
        np.array([s.plain for s in said]),
        np.array([s.margin for s in said]),
        np.array(probs),
    )


def is_right(example: Example, text: str) -> bool:
    """Whether a text is exactly right; never where the paragraph does not answer."""
    return bool(example.answers) and score(example, text, "1.1")[0] == 1


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


def rates(p_sum: float, r_sum: float, said: int, wanted: int) -> dict[str, float]:
    """Precision, recall and their harmonic mean, in percent."""
    p, r = p_sum / said, r_sum / wanted
    f1 = 200 * p * r / (p + r) if p + r else 0.0
    return {"precision": 100 * p, "recall": 100 * r, "f1": f1}


def list_scores(
    wanted: Sequence[Collection[str]], said: Sequence[Collection[str]]
) -> dict[str, Any]:
    """Both measures over one set of texts for each question, of which there is at least one, and
    the percentage of questions whose whole set is right.
    """
    pairs = [
        ({normalize(x) for x in w}, {normalize(x) for x in s})
        for w, s in zip(wanted, said, strict=True)
    ]
    n_wanted, n_said = (sum(max(1, len(pair[k])) for pair in pairs) for k in (0, 1))
    common = sum(len(w & s) for w, s in pairs)
    shares = [overlap(w, s) for w, s in pairs]
    return {
        "total": len(pairs),
        "exact": rates(common, common, n_said, n_wanted),
        "overlap": rates(sum(p for p, _ in shares), sum(r for _, r in shares), n_said, n_wanted),
        "whole_lists": 100 * sum(w == s for w, s in pairs) / len(pairs),
    }


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
