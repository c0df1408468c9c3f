"""Chapter 2's counterfactual bench: two readings, each decoded as its own reader does."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Candidate, Prediction
from qa_demo.core.types import Reading
from qa_demo.figures.distributions import distributions, note
from qa_demo.figures.numbers import number, probability, signed
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import became, piece, quoted
from qa_demo.figures.span_score import RULE, four_numbers, null_score

NAMED = 3


def decoded(
    other: Reading, first: Reading, decode: DecodeOptions, merge: MergeOptions
) -> Prediction:
    """Decode the other reading with the same limits; the threshold belongs to its reader."""
    same = other.weights == first.weights
    return predict(
        other,
        decode if same else replace(decode, null_score_diff_threshold=other.threshold or 0.0),
        merge,
    )


def side_data(
    reading: Reading, prediction: Prediction, merge: MergeOptions = RULE
) -> dict[str, Any]:
    """One column: reader, answer, the best span's four numbers, its window's distributions."""
    best = prediction.best
    window = best.candidate.window if best else prediction.null_window
    p = distributions(reading, window)
    lanes = [
        {
            "side": side,
            "p": floats(row),
            "note": note(row),
            "top": [
                [printable(piece(reading, window, pos)), probability(float(row[pos])), pos]
                for pos in np.argsort(-row, kind="stable")[:NAMED].tolist()
            ],
        }
        for side, row in zip(("start", "end"), p, strict=True)
    ]
    return {
        "reader": reading.model_name,
        "question": printable(reading.encoding.question),
        "window": window,
        "windows": len(reading.windows),
        "answer": None if prediction.answer is None else printable(prediction.answer),
        "span": None if best is None else printable(best.candidate.text),
        "numbers": four_numbers(reading, prediction, window, best.candidate.span, merge=merge)
        if best
        else [],
        "lanes": lanes,
    }


def changed(first: Reading, other: Reading) -> list[str]:
    """What differs between two readings, in words."""
    a, b = first.encoding, other.encoding
    kinds = (
        ("the question", a.question != b.question),
        ("the paragraph", a.context != b.context),
        ("the reader", first.weights != other.weights),
    )
    return [name for name, differs in kinds if differs]


def bench_says(
    first: Reading,
    other: Reading,
    predictions: tuple[Prediction, Prediction],
    merge: MergeOptions = RULE,
) -> str:
    """One sentence: what was changed, what became of the answer, and of the lead over no answer."""
    what = " and ".join(changed(first, other)) or "nothing"
    names = [quoted(p.answer) if p.answer is not None else "no answer" for p in predictions]
    leads = [
        None if p.best is None else p.best.candidate.score - null_score(r, p, merge)
        for r, p in zip((first, other), predictions, strict=True)
    ]
    lead = ""
    if leads[0] is not None and leads[1] is not None:
        lead = (
            f"; the best span's score against no answer goes from {signed(leads[0])} to "
            f"{signed(leads[1])}"
        )
    return f"Changed: {what}. With that, the answer {became(*names)}{lead}."


def bench_data(
    first: Reading,
    other: Reading,
    predictions: tuple[Prediction, Prediction],
    merge: MergeOptions = RULE,
) -> dict[str, Any]:
    """Both columns and the sentence."""
    sides = [side_data(r, p, merge) for r, p in zip((first, other), predictions, strict=True)]
    return {"sides": sides, "says": bench_says(first, other, predictions, merge)}


def bench_table(
    readings: tuple[Reading, Reading],
    predictions: tuple[Prediction, Prediction],
    merge: MergeOptions = RULE,
) -> dict[str, Any]:
    """The two columns as rows."""

    def best(printed: Callable[[Candidate], str], none: str = "–") -> list[str]:
        return [none if p.best is None else printed(p.best.candidate) for p in predictions]

    answers = ["no answer" if p.answer is None else printable(p.answer) for p in predictions]
    nulls = [null_score(r, p, merge) for r, p in zip(readings, predictions, strict=True)]
    rows: list[list[str]] = [
        ["reader", *(r.model_name for r in readings)],
        ["question", *(printable(r.encoding.question) for r in readings)],
        ["answer", *answers],
        ["best span", *best(lambda c: printable(c.text), "none")],
        ["start logit", *best(lambda c: number(c.start_logit))],
        ["end logit", *best(lambda c: number(c.end_logit))],
        ["null score", *map(number, nulls)],
    ]
    return table("Two readings side by side", ["number", "on screen", "to compare"], rows)
