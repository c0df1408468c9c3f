"""Gradient steps on the square of pairs: the likeliest starts and ends before and after."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats, softmax
from qa_demo.core.learning.steps import Learned
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.legal import reason
from qa_demo.core.reading.spans import top_spans
from qa_demo.figures.numbers import effect, percent, probability
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import piece

SHOWN = 6
"""Positions in a list of the likeliest."""
LEAST = 0.005
"""Pairs with a smaller probability have no row in the table twin."""


def _likely(before: Floats, after: Floats) -> list[int]:
    """The positions whose probability is highest before or after."""
    found: list[int] = np.argsort(-np.maximum(before, after), kind="stable")[:SHOWN].tolist()
    return found


def matrix_data(learned: Learned, decode: DecodeOptions, merge: MergeOptions) -> dict[str, Any]:
    """P_start(i) P_end(j) of the likeliest starts and ends and of [CLS], before and after; rows are
    starts, columns ends.

    A cell's kind is "legal", "no answer" ([CLS] twice) or why it is no answer. All n x n cells sum
    to 1; `holds` is what is shown.
    """
    w = learned.before.windows[learned.window]
    p = [
        tuple(softmax(x) for x in r.logits(learned.window)) for r in (learned.before, learned.after)
    ]
    best = [
        top_spans(*r.logits(learned.window), w, decode, merge.copies, 1)
        for r in (learned.before, learned.after)
    ]
    axes = [
        sorted(
            {w.cls_at, *_likely(p[0][side], p[1][side]), *(int(b[0, side]) for b in best if len(b))}
        )
        for side in (0, 1)
    ]
    names = [[printable(piece(learned.before, learned.window, k)) for k in axis] for axis in axes]
    return {
        "starts": names[0],
        "ends": names[1],
        "at": axes,
        "cells": _cells(learned, p, axes, decode, merge),
        "clsAt": w.cls_at,
        "docStart": w.doc_start,
        "contextAt": w.context_at,
        "window": w.index,
        "best": [
            [axes[0].index(int(b[0, 0])), axes[1].index(int(b[0, 1]))] if len(b) else None
            for b in best
        ],
        "holds": [percent(float(p[k][0][axes[0]].sum() * p[k][1][axes[1]].sum())) for k in (0, 1)],
    }


def _cells(
    learned: Learned,
    p: list[tuple[Floats, ...]],
    axes: list[list[int]],
    decode: DecodeOptions,
    merge: MergeOptions,
) -> list[list[dict[str, Any]]]:
    """A row for each start, a cell for each end; p is (P_start, P_end) before and after."""
    w = learned.before.windows[learned.window]
    golds = {
        (w.to_pos(g.start), w.to_pos(g.end))
        if g is not None and w.holds(g)
        else (w.cls_at, w.cls_at)
        for g in learned.golds
    }

    def cell(i: int, j: int) -> dict[str, Any]:
        none = i == j == w.cls_at
        return {
            "before": float(p[0][0][i] * p[0][1][j]),
            "after": float(p[1][0][i] * p[1][1][j]),
            "kind": "no answer" if none else reason(w, i, j, decode, merge.copies) or "legal",
            "gold": (i, j) in golds,
        }

    return [[cell(i, j) for j in axes[1]] for i in axes[0]]


def matrix_table(matrix: dict[str, Any]) -> dict[str, Any]:
    """The table twin of the matrices: every shown pair with half a percent before or after."""
    rows = []
    select: list[tuple[int, int, int] | None] = []
    doc = matrix["docStart"] - matrix["contextAt"]
    for (i, start), line in zip(
        zip(matrix["at"][0], matrix["starts"], strict=True), matrix["cells"], strict=True
    ):
        for (j, end), cell in zip(
            zip(matrix["at"][1], matrix["ends"], strict=True), line, strict=True
        ):
            if max(cell["before"], cell["after"]) < LEAST:
                continue
            rows.append(
                [
                    f"{i} {start} to {j} {end}",
                    cell["kind"],
                    probability(cell["before"]),
                    probability(cell["after"]),
                    effect(cell["after"] - cell["before"], 3),
                ]
            )
            select.append((matrix["window"], i + doc, j + doc) if cell["kind"] == "legal" else None)
    return table(
        "Pairs before and after: P(start) · P(end) in the window",
        ["pair", "kind", "before", "after", "change"],
        rows,
        select,
    )
