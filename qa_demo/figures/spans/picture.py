"""Chapter 4 as data: the mask's parameters, the ranked spans, the mass of all pairs, and every
sentence.

The matrix itself never travels: the browser adds the two rows of logits it already has.
"""

from typing import Any

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.legal import REASONS, valid_spans
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.reading.scales import null_logits
from qa_demo.core.reading.spans import (
    Cell,
    grid_misses,
    make_candidate,
    separate_argmaxes,
    span_scores,
    top_positions,
    top_spans,
)
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import number, total
from qa_demo.figures.prose import plural, quoted
from qa_demo.figures.reading import null_token
from qa_demo.figures.spans.pair_mass import mass_data
from qa_demo.figures.spans.tables import span_row

STEPS = [
    {"key": "square", "title": "the square", "narrow": "square"},
    {"key": "tent", "title": "the tent over the text", "narrow": "on the text"},
    {"key": "mass", "title": "where the mass of all pairs lies", "narrow": "mass of pairs"},
]
"""The named pictures of the chapter, and their names on a narrow screen."""
NAMED = 5
GRID_HINT = {
    True: "The grid is on: its rows and columns are drawn in the square, each missed cell with a "
    "cross.",
    False: "Switch top_n_grid on in the settings to search only this grid and to see it in the "
    "square.",
}
NOT_STORED = "No threshold is stored with this reader; {used} is used until you set another."


def spans_picture(
    reading: Reading,
    prediction: Prediction,
    decode: DecodeOptions,
    window: int,
    copies: str = "max_context",
    scale: str = "logit",
    temperature: float = 1.0,
) -> dict[str, Any]:
    """What the browser needs beside the shown window's logits; with them under 10 kB."""
    s, e = reading.logits(window)
    best, w = prediction.best, reading.windows[window]
    at_home = best is not None and best.candidate.window == window
    apart = separate_argmaxes(reading, window, decode, copies) if w.is_context.any() else None
    return {
        "steps": STEPS,
        "window": window,
        "windows": len(reading.windows),
        "longest": decode.max_answer_length,
        "copies": copies,
        "words": ["", *REASONS[1:]],
        "line": no_answer_line(reading, decode, window, copies),
        "top": top_spans(s, e, w, decode, copies, NAMED).tolist(),
        "winner": [w.to_pos(best.candidate.span.start), w.to_pos(best.candidate.span.end)]
        if at_home and best is not None
        else None,
        "apart": None if apart is None else _apart_data(apart),
        "n_best": [span_row(reading, r, temperature) for r in prediction.n_best],
        "ranked_by": ranked_by(scale),
        "mass": mass_data(reading, window, decode, copies, temperature),
        "grid": grid_data(reading, window, decode, copies),
    }


def no_answer_line(
    reading: Reading, decode: DecodeOptions, window: int, copies: str
) -> dict[str, Any]:
    """The contour: the null score less the threshold, and how many legal cells lie above."""
    null, threshold = float(null_logits(reading).min()), decode.null_score_diff_threshold
    legal = valid_spans(reading.windows[window], decode, copies)
    above = int((legal & (span_scores(*reading.logits(window)) >= null - threshold)).sum())
    printed = total([null, -threshold])
    place = (
        f"null score {printed.addends[0]}"
        if threshold == 0
        else (
            f"null score {printed.addends[0]} minus threshold "
            f"{number(threshold, printed.decimals)} {printed.sign} {printed.total}"
        )
    )
    pairs = plural(int(legal.sum()), "legal pair")
    words = (
        f"above this line it beats no answer ({place}): {above:,} of {pairs}"
        if above
        else f"none of {pairs} beats no answer ({place})"
    )
    note = NOT_STORED.format(used=number(threshold)) if reading.threshold is None else ""
    return {"at": null - threshold, "words": words, "note": note, "above": above}


def ranked_by(scale: str) -> str:
    """Under which rule the list is ordered, when it is not the score that it prints."""
    return (
        ""
        if scale == "logit"
        else f"Listed in the order of the merge scale {scale} (chapter 6), not of the score."
    )


def grid_data(reading: Reading, window: int, decode: DecodeOptions, copies: str) -> dict[str, Any]:
    """BERT's search: top n starts x top n ends, and which of the exact n best it never sees."""
    s, e = reading.logits(window)
    w, n = reading.windows[window], decode.n_best_size
    starts, ends = top_positions(s, n), top_positions(e, n)
    missed, exact = grid_misses(s, e, w, decode, copies), top_spans(s, e, w, decode, copies)
    wasted = [int((~w.is_context[x]).sum()) for x in (starts, ends)]
    others = f"{null_token(reading.encoding)}, question or separator"
    used = (
        f"{wasted[0]} of these starts and {wasted[1]} of these ends are {others} and use up places"
        if any(wasted)
        else f"none of these is {others}, which would use up a place"
    )
    said = (
        f"run_squad.py pairs only the {len(starts)} highest starts with the {len(ends)} "
        f"highest ends; {used}. "
    )
    said += f"Of this window's {plural(len(exact), 'best span')} it misses {len(missed) or 'none'}"
    if len(missed):
        first = make_candidate(reading, window, int(missed[0, 0]), int(missed[0, 1]))
        rank = exact.tolist().index(missed[0].tolist()) + 1
        said += f"; the first is {quoted(first.text, 48)}, rank {rank}, "
        said += f"score {number(first.score)}"
    return {
        "on": decode.top_n_grid,
        "starts": sorted(starts.tolist()),
        "ends": sorted(ends.tolist()),
        "missed": missed.tolist(),
        "sentence": f"{said}.",
        "hint": GRID_HINT[decode.top_n_grid],
    }


def _apart_data(cell: Cell) -> dict[str, Any]:
    """The pair of the two separate argmaxes, and why it is no answer, if so."""
    why = "fit: a legal pair" if cell.reason is None else f"do not fit: {cell.reason}"
    return {
        "says": f"Highest start and highest end {why}.",
        "i": cell.start_pos,
        "j": cell.end_pos,
        "reason": cell.reason,
    }
