"""Chapter 6, step 2, as data: the best spans of each window beside its null score."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.coverage import reach, read_plan
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.scales import null_logits
from qa_demo.core.reading.spans import make_candidate, top_spans
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import number, total
from qa_demo.figures.payload import columns, table
from qa_demo.figures.prose import quoted, shorten
from qa_demo.figures.reading import null_token

PER_WINDOW = 5


def dot(reading: Reading, candidate: Candidate) -> dict[str, Any]:
    """A window's candidate with its sum as printed; `owned` = its window owns its first token."""
    window = reading.windows[candidate.window]
    printed = total([candidate.start_logit, candidate.end_logit])
    return {
        "start": candidate.span.start,
        "end": candidate.span.end,
        "text": shorten(candidate.text),
        "score": candidate.score,
        "sum": f"{printed.addends[0]} + {printed.addends[1]} {printed.sign} {printed.total}",
        "printed": number(candidate.score),
        "owned": bool(reading.owners[candidate.span.start] == window.index),
    }


def candidates_data(reading: Reading, decode: DecodeOptions) -> dict[str, Any]:
    """Every window's best legal spans, owned or not, beside its null score, on one logit axis."""
    nulls = null_logits(reading)
    rows: list[dict[str, Any]] = []
    for w, window in enumerate(reading.windows):
        cells = top_spans(*reading.logits(w), window, decode, "all", PER_WINDOW)
        found = [dot(reading, make_candidate(reading, w, int(i), int(j))) for i, j in cells]
        rows.append(
            {
                "window": w,
                "null": float(nulls[w]),
                "null_printed": number(float(nulls[w])),
                "spans": found,
                "beats": bool(found) and bool(found[0]["score"] > nulls[w]),
            }
        )
    values = [d["score"] for r in rows for d in r["spans"]] + nulls.tolist()
    return {
        "rows": rows,
        "low": float(np.floor(min(values))),
        "high": float(np.ceil(max(values))),
        "says": candidates_sentence(rows, null_token(reading.encoding)),
    }


def candidates_sentence(rows: Sequence[dict[str, Any]], null: str) -> str:
    """Which windows see an answer, and whether the highest dot may be used at all."""
    with_spans = [r for r in rows if r["spans"]]
    if not with_spans:
        return "No window holds a legal span."
    best = max(with_spans, key=lambda r: r["spans"][0]["score"])
    top, quiet = best["spans"][0], sum(not r["beats"] for r in rows)
    own = (
        "which it owns"
        if top["owned"]
        else "but it does not own its start, so with max_context the span counts in another "
        "window only"
    )
    if len(rows) == 1:
        verdict = "above" if best["beats"] else "not above"
        return (
            f"The one window's best span is {quoted(top['text'])} with {top['printed']}, {verdict} "
            f"its null score {best['null_printed']}."
        )
    says = (
        f"In {quiet} of {len(rows)} windows no span beats the window's own null score: there "
        f"{null} says “not here”."
        if quiet
        else "In every window some span beats the window's own null score, so none of them says "
        "“not here”."
    )
    return (
        f"Window {best['window'] + 1} gives the highest score, {top['printed']} for "
        f"{quoted(top['text'])}, {own}. {says}"
    )


def window_tables(
    reading: Reading, decode: DecodeOptions, candidates: dict[str, Any]
) -> list[dict[str, Any]]:
    """Table twins of both pictures: the windows, and each window's best spans."""
    layout = read_plan(reading)
    found = reach(layout, decode.max_answer_length)
    owned = np.bincount(layout.owner, minlength=len(layout.starts))
    lost = np.bincount(layout.owner, weights=found.missing, minlength=len(layout.starts)).astype(
        np.int64
    )
    spans = [(row["window"], d) for row in candidates["rows"] for d in row["spans"]]
    return [
        columns(
            "Windows (word pieces of the paragraph, its first is 0; a position counts from [CLS])",
            range(len(layout.starts)),
            {
                "window": lambda w: f"{w + 1}",
                "first": lambda w: f"{layout.starts[w]}",
                "last": lambda w: f"{layout.stops[w] - 1}",
                "pieces": lambda w: f"{layout.stops[w] - layout.starts[w]}",
                "owned": lambda w: f"{owned[w]}",
                "spans out of reach": lambda w: f"{lost[w]}",
                "null score": lambda w: str(candidates["rows"][w]["null_printed"]),
            },
        ),
        table(
            f"The {PER_WINDOW} best legal spans of each window, owned or not",
            ["span", "window", "start + end = score", "owned by this window"],
            [[d["text"], f"{w + 1}", d["sum"], "yes" if d["owned"] else "no"] for w, d in spans],
            select=[(w, d["start"], d["end"]) for w, d in spans],
        ),
    ]
