"""The JSON of the command line, the API and the exports: plain dictionaries of finite numbers."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from qa_demo.core.attribution import Attribution
from qa_demo.core.base import BadCheckpoint, BadInput, one_of
from qa_demo.core.losses import Golds, LossTerm, shared_norm_loss, start_end_loss, total
from qa_demo.core.measuring.claims import sureness
from qa_demo.core.predict import Prediction, Ranked
from qa_demo.core.spans import Candidate
from qa_demo.core.text import words
from qa_demo.core.types import Encoding, Reading, Span

NORMALISERS = ("window", "shared")
OWN = ("char_start", "char_end", "start_logit", "end_logit", "score")
"""The fields of an answer that are those of its span."""


def answer_json(reading: Reading, prediction: Prediction) -> dict[str, Any]:
    """One answered question. `answer` and the five fields after it are null when there is no
    answer; `n_best` never holds the null, so its first entry is the best span even then. Chars are
    half-open in the context as given. The three chances are of that first entry. `null_score` and
    `score_diff` are on the scale of the merge rule, where that entry stands at their difference;
    above `limit` score_diff means no answer, null where the rule always gives one.
    """
    best = prediction.best
    own = {} if best is None or prediction.answer is None else _span(best)
    return finite(
        {
            "question": reading.encoding.question,
            "reader": reading.model_name,
            "answer": prediction.answer,
            **{key: own.get(key) for key in OWN},
            "null_score": prediction.null_score,
            "score_diff": prediction.score_diff,
            "limit": prediction.limit,
            **claim_json(reading, prediction),
            "n_best": [_span(ranked) for ranked in prediction.n_best],
            "windows": _windows(reading),
        }
    )


CLAIMS = ("claim", "answerable", "right_if_answerable")


def claim_json(reading: Reading, prediction: Prediction) -> dict[str, float | None]:
    """How sure the reader can be of its best span (core.measuring.claims): `claim` = `answerable`
    * `right_if_answerable`, chances from 0 to 1, null where nothing was fitted.
    """
    best = prediction.best
    found = None if best is None else sureness(reading, best.candidate)
    return {key: None if found is None else getattr(found, key) for key in CLAIMS}


def _windows(reading: Reading) -> list[dict[str, int]]:
    return [
        {"index": w.index, "doc_start": w.doc_start, "doc_stop": w.doc_stop, "tokens": len(w)}
        for w in reading.windows
    ]


def place_json(candidate: Candidate) -> dict[str, Any]:
    """Where a span stands: its text, its chars (half-open in the context as given), its window."""
    return {
        "text": candidate.text,
        "char_start": candidate.char_start,
        "char_end": candidate.char_end,
        "window": candidate.window,
    }


def _span(ranked: Ranked) -> dict[str, Any]:
    c = ranked.candidate
    return {
        **place_json(c),
        "start_logit": c.start_logit,
        "end_logit": c.end_logit,
        "score": c.score,
        "share": ranked.share,
    }


def evaluate_json(scores: Mapping[str, float | int], seconds: float) -> dict[str, Any]:
    """The scores of `metrics.evaluate` by the official scripts' names, and the seconds taken."""
    return finite({**scores, "seconds": seconds})


def attribution_json(reading: Reading, attribution: Attribution) -> dict[str, Any]:
    """One attribution: every position of its window with its two lanes, in logits, and whether it
    adds up.

    `char_start` and `char_end` are half-open in the text that `side` names (question or context),
    null for special tokens. `f_baseline` and `gap` are null for methods that have no baseline on a
    path.
    """
    encoding, target = reading.encoding, attribution.target
    lanes = zip(attribution.start.tolist(), attribution.end.tolist(), strict=True)
    tokens = zip(_tokens(reading, attribution.window), lanes, strict=True)
    return finite(
        {
            "question": encoding.question,
            "reader": reading.model_name,
            "method": attribution.method,
            "target": target.kind,
            "span": span_json(encoding, target.span),
            "other": None if target.other is None else span_json(encoding, target.other),
            "window": attribution.window,
            "baseline": attribution.baseline,
            "tokens": [{**token, "start": start, "end": end} for token, (start, end) in tokens],
            "sum": attribution.sum,
            "f_x": attribution.f_x,
            "f_baseline": attribution.f_baseline,
            "gap": attribution.gap,
            "n_steps": attribution.n_steps,
        }
    )


def _tokens(reading: Reading, index: int) -> list[dict[str, Any]]:
    """Text, side and characters of every position of a window."""
    encoding, window = reading.encoding, reading.windows[index]
    sides = ["special" if unit < 0 else "question" for unit in words(encoding, window).of]
    chars: list[tuple[int | None, int | None]] = [(None, None)] * len(window)
    asked = (k for k, side in enumerate(sides) if side == "question")
    for at, (start, end) in zip(asked, encoding.question_offset_mapping.tolist(), strict=False):
        chars[at] = (start, end)
    for doc in range(window.doc_start, window.doc_stop):
        at = window.to_pos(doc)
        sides[at], chars[at] = "context", encoding.chars(Span(doc, doc))
    return [
        {"text": text, "side": side, "char_start": a, "char_end": b}
        for text, side, (a, b) in zip(reading.tokens(index), sides, chars, strict=True)
    ]


def loss_json(reading: Reading, golds: Golds, normaliser: str = "window") -> dict[str, Any]:
    """The loss of gold spans (one for each annotator; None where one found no answer), term by
    term; total = sum of weight * value.

    "window": the mean over windows of -sum_i t_i log p_i, start and end with weight 1/2. "shared":
    one softmax over the paragraph's tokens of all windows, for which one gold span is needed.
    `char_start` and `char_end` are half-open in the context as given; `whole_in` counts the windows
    that hold the span whole: under "window" every other one counts it as no answer, on [CLS].
    """
    terms = _terms(reading, golds, normaliser)
    return finite(
        {
            "question": reading.encoding.question,
            "reader": reading.model_name,
            "normaliser": normaliser,
            "gold": [None if gold is None else _gold(reading, gold) for gold in golds],
            "terms": terms_json(terms),
            "total": total(terms),
            "windows": _windows(reading),
        }
    )


def _gold(reading: Reading, gold: Span) -> dict[str, Any]:
    whole_in = sum(window.holds(gold) for window in reading.windows)
    return {**span_json(reading.encoding, gold), "whole_in": whole_in}


def _terms(reading: Reading, golds: Golds, normaliser: str) -> tuple[LossTerm, ...]:
    one_of("the normaliser", normaliser, NORMALISERS)
    if normaliser == "window":
        return start_end_loss(reading, golds)
    spans = {gold for gold in golds if gold is not None}
    if len(spans) != 1 or None in golds:
        raise BadInput(f"the shared normaliser needs exactly one gold answer, got {len(spans)}")
    return shared_norm_loss(reading, next(iter(spans)))


def terms_json(terms: Iterable[LossTerm]) -> list[dict[str, Any]]:
    """Loss terms as they stand in a report."""
    return [asdict(term) for term in terms]


def span_json(encoding: Encoding, span: Span) -> dict[str, Any]:
    """Text and chars (half-open in the context as given) of a `doc` span."""
    char_start, char_end = encoding.chars(span)
    return {"text": encoding.text(span), "char_start": char_start, "char_end": char_end}


def finite(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report, or refuse it naming the first number that JSON cannot express."""
    where = _not_finite(report, "")
    if where is not None:
        raise BadCheckpoint(
            f"the report cannot be written: {where}; a reader's logits must be finite numbers"
        )
    return report


def _not_finite(value: Any, path: str) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return f"{path} is {value}"
    if isinstance(value, dict):
        parts = [(f"{path}.{key}" if path else str(key), inner) for key, inner in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"{path}[{k}]", inner) for k, inner in enumerate(value)]
    else:
        return None
    faults = (_not_finite(inner, name) for name, inner in parts)
    return next((fault for fault in faults if fault is not None), None)


def dumps(report: dict[str, Any]) -> str:
    """One line of ASCII JSON: lone surrogates survive; NaN and infinity are refused."""
    return json.dumps(finite(report), ensure_ascii=True, allow_nan=False)
