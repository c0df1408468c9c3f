"""Chapter 6, step 1, as data: windows as tents, and what other options would do to them."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.reading.coverage import copies, cuts, halves, reach, read_plan
from qa_demo.core.reading.windows import WindowPlan, capacity, check_options, plan
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import number
from qa_demo.figures.payload import part
from qa_demo.figures.prose import plural, quoted

NO_BREAK = "\u00a0"
"""A formula does not break inside its brackets."""
LONGEST = 512
"""The end of the slider of max_seq_length."""
MAX_DRAWN = 400
"""Windows that are still drawn; beyond it the counts alone are sent."""


def runs(values: NDArray[np.int64]) -> list[list[int]]:
    """[first, stop, value] of each run of equal values."""
    edges = np.flatnonzero(np.diff(values)) + 1
    bounds = [0, *edges.tolist(), len(values)] if len(values) else [0]
    return [[a, b, int(values[a])] for a, b in itertools.pairwise(bounds)]


def lost_zones(missing: NDArray[np.int64], owner: NDArray[np.int64]) -> list[dict[str, int]]:
    """Neighbouring starts of one owner that lose spans: first, stop, how many are lost."""
    zones = np.where(missing > 0, owner + 1, 0)
    return [
        {"from": a, "to": b, "spans": int(missing[a:b].sum())} for a, b, some in runs(zones) if some
    ]


def layout_data(layout: WindowPlan, max_answer_length: int) -> dict[str, Any]:
    """Where the windows lie, who owns what, how often pieces are read, what is out of reach."""
    found = reach(layout, max_answer_length)
    drawn = len(layout.starts) <= MAX_DRAWN
    return {
        "n": layout.n_tokens,
        "capacity": layout.capacity,
        "step": layout.step,
        "longest": max_answer_length,
        "drawn": drawn,
        "starts": list(layout.starts) if drawn else [],
        "stops": list(layout.stops) if drawn else [],
        "owners": runs(layout.owner) if drawn else [],
        "copies": runs(copies(layout)) if drawn else [],
        "lost": lost_zones(found.missing, layout.owner) if drawn else [],
    }


def counts(
    layout: WindowPlan, max_answer_length: int, listed: Sequence[Span]
) -> list[dict[str, str]]:
    """The numbers beside the sliders: name, value, tone (quiet when nothing is lost)."""
    found = reach(layout, max_answer_length)
    cut = cuts(layout, listed)
    overlap = layout.overlap if len(layout.starts) > 1 else 0
    missing, lost = f"{found.n_missing:,} of {found.n_spans:,}", f"{len(cut)} of {len(listed)}"
    rows = (
        ("windows", f"{len(layout.starts):,}", "ink"),
        ("overlap", f"{overlap:,}", "ink"),
        ("pieces computed again", f"{layout.computed_twice:,}", "ink"),
        ("spans out of reach", missing, "strong" if found.n_missing else "quiet"),
        ("listed answers cut", lost, "strong" if cut else "quiet"),
    )
    return [{"name": name, "value": value, "tone": tone} for name, value, tone in rows]


def reach_sentence(layout: WindowPlan, max_answer_length: int) -> str:
    """What is out of reach under a plan, or why nothing is."""
    found = reach(layout, max_answer_length)
    if found.safe_length is None:
        return (
            f"One window holds the whole paragraph, so every span of up to "
            f"{max_answer_length} word pieces can be found."
        )
    if found.n_missing == 0:
        return (
            f"Nothing is out of reach: from any start, the window that owns it runs on for at "
            f"least {found.safe_length} word pieces "
            f"or to the paragraph's end, and max_answer_length is {max_answer_length}."
        )
    return (
        f"{found.n_missing:,} of the {found.n_spans:,} spans of up to {max_answer_length} word "
        f"pieces start in the window that owns "
        f"them and end outside it: no window can return them. Spans of up to {found.safe_length} "
        f"are safe everywhere."
    )


def split_sentence(layout: WindowPlan) -> str:
    """How the paragraph was split; "truncated", as some texts put it, is not what happens."""
    n = len(layout.starts)
    if n == 1:
        return (
            f"The paragraph has {plural(layout.n_tokens, 'word piece')} and fits into one window "
            f"of {layout.capacity:,}: nothing has to be split or merged."
        )
    again = layout.computed_twice
    lie = "overlap" if again else "lie side by side"
    each = number((layout.n_tokens + again) / layout.n_tokens, 1)
    return (
        f"The paragraph is split, not truncated: {n} windows {lie}, nothing is cut off. Its "
        f"{layout.n_tokens:,} word pieces are read "
        f"{layout.n_tokens + again:,} times, {each} times each on average, every time beside the "
        f"question."
    )


def cut_sentence(reading: Reading, layout: WindowPlan, listed: Sequence[Span]) -> str | None:
    """The first listed answer that a plan cuts, and whether some other window holds it whole."""
    found = cuts(layout, listed)
    if not found:
        return None
    text, cut = quoted(reading.encoding.text(found[0].span), 60), found[0]
    where = (
        f"window {cut.whole_in[0] + 1} holds it whole but does not own its start"
        if cut.whole_in
        else "no window holds it whole"
    )
    return (
        f"{text} is cut: it starts in window {cut.owner + 1}, which ends before it does, and "
        f"{where}."
    )


def plan_of(reading: Reading, options: WindowOptions) -> WindowPlan:
    """The windows of a paragraph under other options. Errors: BadInput where they cannot be."""
    room = check_options(reading.encoding, options)
    return plan(len(reading.encoding.context_ids), room, options.doc_stride)


def try_plan(
    reading: Reading, options: WindowOptions, decode: DecodeOptions, listed: Sequence[Span]
) -> dict[str, Any]:
    """The stride sandbox: what other options would do to this paragraph, before the reader runs
    again.

    Errors: BadInput when the options leave no room or the step exceeds the capacity.
    """
    layout = plan_of(reading, options)
    said = [
        split_sentence(layout),
        reach_sentence(layout, decode.max_answer_length),
        cut_sentence(reading, layout, listed),
    ]
    if len(layout.starts) > MAX_DRAWN:
        said.append(f"More than {MAX_DRAWN} windows are counted but not drawn.")
    return {
        "max_seq_length": options.max_seq_length,
        "doc_stride": options.doc_stride,
        "layout": layout_data(layout, decode.max_answer_length),
        "counts": counts(layout, decode.max_answer_length, listed),
        "said": [s for s in said if s],
        "same": (options.max_seq_length, options.doc_stride)
        == (reading.options.max_seq_length, reading.options.doc_stride),
    }


def limits(reading: Reading) -> dict[str, Any]:
    """The ends of the two sliders, options that split a one-window paragraph for show, and the way
    back to the usual windows from others.
    """
    fixed = reading.options.max_seq_length - capacity(reading.encoding, reading.options)
    small = halves(len(reading.encoding.context_ids), fixed) if len(reading.windows) == 1 else None
    now, usual = reading.options.max_seq_length, WindowOptions()
    is_usual = (now, reading.options.doc_stride) == (usual.max_seq_length, usual.doc_stride)
    return {
        "fixed": fixed,
        "min_seq": min(fixed + 4, now),
        "max_seq": max(LONGEST, now),
        "small": None if small is None else _offer("try it", *small),
        "usual": None
        if is_usual
        else _offer("read again with", usual.max_seq_length, usual.doc_stride),
    }


def _offer(what: str, max_seq_length: int, doc_stride: int) -> dict[str, Any]:
    """Windows that a button asks for."""
    return {
        "max_seq_length": max_seq_length,
        "doc_stride": doc_stride,
        "label": f"{what}: max_seq_length {max_seq_length}, doc_stride {doc_stride}",
    }


def preview_sentence(reading: Reading, options: WindowOptions) -> str:
    """What is drawn where other windows are tried: how many, how long, how far apart."""
    layout = plan_of(reading, options)
    drawn, n = len(layout.starts), layout.n_tokens
    if drawn == 1:
        return f"Preview, not read yet: one window of {layout.capacity:,} holds all {n:,} pieces."
    return (
        f"Preview, not read yet: {drawn:,} windows of up to {layout.capacity:,}, each "
        f"{layout.step:,} further on."
    )


def window_formula(
    reading: Reading, selected: Span | None, tried: WindowOptions | None = None
) -> list[dict[str, str]]:
    """Capacity, number of windows, owner of the selected start, with this reading's numbers."""
    encoding, options = reading.encoding, tried or reading.options
    layout = read_plan(reading) if tried is None else plan_of(reading, tried)
    room, n, q = capacity(encoding, options), len(encoding.context_ids), len(encoding.question_ids)
    parts = [
        *([] if tried is None else [part("tried: ", "quiet")]),
        part("capacity = max_seq_length − question − special = ", "quiet"),
        part(f"{options.max_seq_length} − {q} − {encoding.n_special} = "),
        part(f"{room}", "strong"),
        part("      windows = ", "quiet"),
    ]
    if n <= room:
        parts += [part("1", "strong"), part(f", since {n} ≤ {room}")]
    else:
        parts += [
            part("1 + ⌈(N − capacity)/step⌉ = ", "quiet"),
            part(f"1 + ⌈({n} − {room})/{options.doc_stride}⌉ = ".replace(" ", NO_BREAK)),
            part(f"{len(layout.starts)}", "strong"),
        ]
    if selected is not None:
        owner, p = int(layout.owner[selected.start]), selected.start
        left, right = p - layout.starts[owner], layout.stops[owner] - 1 - p
        parts += [
            part("\ncontext(w, p) = min(left, right) = ", "quiet"),
            part(f"min({left}, {right}) = "),
            part(f"{min(left, right)}", "strong"),
            part(f" in window {owner + 1}", "quiet"),
        ]
    return parts


def window_notice(
    reading: Reading, merged: dict[str, Any], tried: WindowOptions | None = None
) -> str:
    """What splitting and merging do here; else how many windows the tried options would take."""
    if len(reading.windows) == 1:
        now = plan_of(reading, reading.options)
        held = f"One window of {now.capacity:,} holds all {plural(now.n_tokens, 'word piece')}"
        count = 1 if tried is None else len(plan_of(reading, tried).starts)
        if tried is not None and count > 1:
            held += f"; at max_seq_length {tried.max_seq_length} they would need {count}"
        return f"{held}. {merged['says']}"
    layout = read_plan(reading)
    several = int((copies(layout) > 1).sum())
    return (
        f"{several:,} of {layout.n_tokens:,} word pieces stand in more than one window, each "
        f"time with other logits. {merged['says']}"
    )
