"""One judged question as a line of JSON: what was asked, what the reader said, why it was wrong."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qa_demo.core.base import softmax
from qa_demo.core.files.report import CLAIMS, claim_json, finite, place_json
from qa_demo.core.measuring.failures import Judged, answer_under
from qa_demo.core.measuring.listed import listed, lists_json
from qa_demo.core.measuring.metrics import Outcome, normalize
from qa_demo.core.measuring.perturb import survival
from qa_demo.core.predict import Prediction, Ranked
from qa_demo.core.spans import Candidate, window_prob
from qa_demo.core.types import Answer, Example, Reading, Span

LISTED = 20
DRAWN = 0.005
"""The least probability of a piece that a line keeps: half a percent."""


def question_json(
    reading: Reading, example: Example, prediction: Prediction, judged: Judged, rules: str
) -> dict[str, Any]:
    """A question that was read. Characters are half-open in the context as given; scores are
    logits, exact and F1 from 0 to 1.

    `answer` is null where it was withheld, `n_best` holds the best spans even then. `claim`,
    `answerable` and `right_if_answerable` say how sure the reader is of its best span
    (core.measuring.claims), null where it has no such fit; `in_window` is P_s(i) P_e(j) as it
    stands. `gold_tokens` is the length of the shortest gold answer, `windows` counts windows.
    `list` has what each head says to a list of answers, null for a single one; `probs` is what
    `chances` gives for the window of the best span.
    """
    best = prediction.best
    return finite(
        _asked(example)
        | {
            "answer": answer_under(prediction, rules),
            "exact": judged.exact,
            "f1": judged.f1,
            "kind": judged.kind,
            "because": judged.because,
            "null_score": prediction.null_score,
            "score_diff": prediction.score_diff,
            "limit": prediction.limit if rules == "2.0" else None,
            "window": None if best is None else best.candidate.window,
            "lost_window": judged.lost_window,
            "windows": len(reading.windows),
            "tokens": len(reading.encoding.context_ids),
            "gold_tokens": min((len(span) for span in judged.gold), default=None),
            "gold_char": reading.encoding.chars(judged.gold[0])[0] if judged.gold else None,
            **claim_json(reading, prediction),
            "in_window": None if best is None else in_window(reading, best.candidate),
            "n_best": [_span(ranked) for ranked in prediction.n_best[:LISTED]],
            "list": listed(reading, example, prediction),
            "probs": None if best is None else chances(reading, best.candidate.window),
        }
    )


def refused_json(example: Example, judged: Judged, cause: str) -> dict[str, Any]:
    """A question that the reader refuses, with the same fields; it counts as unanswered."""
    scores, places = ("null_score", "score_diff", "limit"), ("window", "lost_window", "windows")
    sizes = ("tokens", "gold_tokens", "gold_char")
    nothing = dict.fromkeys((*scores, *places, *sizes, *CLAIMS, "in_window"))
    judgement = {"exact": judged.exact, "f1": judged.f1, "kind": judged.kind, "because": cause}
    more: dict[str, Any] = {"n_best": [], "list": None, "probs": None}
    return _asked(example) | {"answer": None} | judgement | nothing | more


def outcome_of(row: dict[str, Any]) -> Outcome:
    """What the official scores need of a line."""
    return Outcome(row["n_best"][0]["text"] if row["n_best"] else "", row["score_diff"])


def beside_scores(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a result has beside the official scores: `survives` where the file holds changed twins
    (core.measuring.perturb), `lists` where its answers are lists.
    """
    twins = [asdict(one) for one in survival(rows)]
    found = lists_json([row["list"] for row in rows if row.get("list")])
    return ({"survives": twins} if twins else {}) | found


def in_window(reading: Reading, found: Candidate) -> float:
    """P_s(i) P_e(j) of a span over all positions of its window."""
    home = reading.windows[found.window]
    at = home.to_pos(found.span.start), home.to_pos(found.span.end)
    return window_prob(reading, found.window, *at)


def chances(reading: Reading, window: int) -> dict[str, Any]:
    """P_s and P_e over all positions of a window, to draw them over the text: `start` and `end`
    hold [char_start, char_end, p] of each piece of the paragraph with p of at least DRAWN, `null`
    the two of [CLS].
    """
    home = reading.windows[window]
    probs = [softmax(x.astype(np.float64)) for x in reading.logits(window)]
    found: dict[str, Any] = {"null": [float(p[0]) for p in probs]}
    for name, p in zip(("start", "end"), probs, strict=True):
        docs = [home.to_doc(int(at)) for at in np.flatnonzero((p >= DRAWN) & home.is_context)]
        found[name] = [
            [*reading.encoding.chars(Span(doc, doc)), float(p[home.to_pos(doc)])] for doc in docs
        ]
    return found


def example_of(row: dict[str, Any]) -> Example:
    """The question of a line, for what is computed of many lines."""
    gold = tuple(Answer(a["text"], a["char_start"]) for a in row["gold"])
    return Example(row["id"], row["question"], row["context"], gold, not gold, row["title"])


def _asked(example: Example) -> dict[str, Any]:
    return {
        "id": example.id,
        "title": example.title,
        "question": example.question,
        "context": example.context,
        "gold": [{"text": a.text, "char_start": a.char_start} for a in example.answers],
        "columns": dict(example.columns),
        "gold_words": min((len(normalize(a.text).split()) for a in example.answers), default=None),
    }


def _span(ranked: Ranked) -> dict[str, Any]:
    c = ranked.candidate
    return {**place_json(c), "start": c.span.start, "end": c.span.end, "score": c.score}
