"""Chapter 2's counterfactual bench: what two readings' scores rested on, word by word."""

from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

import numpy as np

from qa_demo.core.explaining.attribution import (
    METHODS,
    Attribution,
    Method,
    rank_correlation,
    silence,
)
from qa_demo.core.reading.words import Words, words
from qa_demo.core.types import Reading
from qa_demo.figures.methods import ALIKE, METHOD_NAMES
from qa_demo.figures.numbers import effect, number
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import quoted

Sides = tuple[Attribution | str, Attribution | str]
"""What each reading's best score rested on, or the sentence with which its reader refused."""
Pair = tuple[int | None, int | None]
SHOWN = 6
"""Words of each side in the picture; the table twin has every word."""


def aligned(first: Words, other: Words) -> list[Pair]:
    """Which word stands for which, in the order of the text; a word without a partner stands alone.

    Example: "who drew it" and "who first drew that" give (0, 0), (None, 1), (1, 2), (2, 3):
    replaced words pair up one by one.
    """
    pairs: list[Pair] = []
    for side in ("question", "context"):
        a, b = (
            [k for k, word in enumerate(units.items) if word.side == side]
            for units in (first, other)
        )
        match = SequenceMatcher(
            None, [first.items[k].text for k in a], [other.items[k].text for k in b], autojunk=False
        )
        for _, i, i_stop, j, j_stop in match.get_opcodes():
            pairs += zip_longest(a[i:i_stop], b[j:j_stop])
    return pairs


def rests_data(readings: tuple[Reading, Reading], sides: Sides, method: Method) -> dict[str, Any]:
    """The words of largest effect on each side in text order, the sentence, all as a table."""
    data: dict[str, Any] = {
        "method": method,
        "methods": [[m, METHOD_NAMES[m]] for m in METHODS],
        "rows": [],
        "says": "",
        "table": None,
        "absent": [],
        "refused": [side if isinstance(side, str) else None for side in sides],
    }
    a, b = sides
    if isinstance(a, str) or isinstance(b, str):
        return data
    quiet = [silence(found) for found in (a, b)]
    if None not in quiet:
        data["says"] = f"On both sides: {quiet[0]}"
        return data
    units = [
        words(r.encoding, r.windows[found.window])
        for r, found in zip(readings, (a, b), strict=True)
    ]
    values = [
        np.stack([u.sums(found.start), u.sums(found.end)], axis=1)
        for u, found in zip(units, (a, b), strict=True)
    ]
    pairs = aligned(units[0], units[1])
    rows = [_row(pair, units, values) for pair in pairs]
    data["rows"] = _largest(rows)
    parts = [len(r.windows) > 1 for r in readings]
    data["absent"] = [
        f"not in window {found.window + 1}" if cut else "not in this text"
        for cut, found in zip(parts, (a, b), strict=True)
    ]
    held_by = "windows" if any(parts) else "texts"
    sides_of = zip(("On screen", "To compare"), quiet, strict=True)
    silent = [f"{where}: {said}" for where, said in sides_of if said is not None]
    data["says"] = " ".join([*silent, _says(pairs, units, values, method, held_by)])
    data["table"] = _words_table(rows, method)
    return data


def _largest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the largest effects of either side, in the order of the text."""
    kept: set[int] = set()
    for side in (0, 1):
        sums = {
            k: abs(sum(row["lanes"][side]))
            for k, row in enumerate(rows)
            if row["lanes"][side] is not None
        }
        kept |= set(sorted(sums, key=lambda k: -sums[k])[:SHOWN])
    return [rows[k] for k in sorted(kept)]


def _words_table(rows: list[dict[str, Any]], method: Method) -> dict[str, Any]:
    blank = ["–", "–"]
    lines = [
        [
            row["name"],
            row["in"],
            *(
                cell
                for two in row["lanes"]
                for cell in (blank if two is None else [effect(x, 3) for x in two])
            ),
        ]
        for row in rows
    ]
    return table(
        f"Every word by {METHOD_NAMES[method]}, in logits: what the best span's score rested on",
        [
            "word",
            "in",
            *(
                f"{at}: {side} part"
                for at in ("on screen", "to compare")
                for side in ("start", "end")
            ),
        ],
        lines,
    )


def _row(pair: Pair, units: list[Words], values: list[Any]) -> dict[str, Any]:
    found = [None if k is None else units[side].items[k] for side, k in enumerate(pair)]
    names = list(
        dict.fromkeys(printable(word.text) or "(blank)" for word in found if word is not None)
    )
    lanes = [
        None if k is None else [float(x) for x in values[side][k]] for side, k in enumerate(pair)
    ]
    return {
        "name": " → ".join(names),
        "in": next(word.where for word in found if word is not None),
        "lanes": lanes,
        "sums": [None if two is None else effect(sum(two)) for two in lanes],
    }


def _says(
    pairs: list[Pair], units: list[Words], values: list[Any], method: Method, held_by: str
) -> str:
    """How alike two rankings are over the words both texts hold, and which changed most."""
    shared = [
        (i, j)
        for i, j in pairs
        if i is not None and j is not None and units[0].items[i].text == units[1].items[j].text
    ]
    if not shared:
        return f"The two {held_by} share no word."
    a, b = (values[side][[pair[side] for pair in shared]].sum(axis=1) for side in (0, 1))
    rho = rank_correlation(np.abs(a), np.abs(b))
    alike = (
        "one of the two rankings is constant"
        if rho is None
        else f"the two rank {'alike' if rho > ALIKE else 'differently'} by size of effect (rank "
        f"correlation {number(rho)})"
    )
    most = int(np.abs(b - a).argmax())
    word = units[0].items[shared[most][0]]
    return (
        f"By {METHOD_NAMES[method]}, over the {len(shared)} words that both {held_by} hold, "
        f"{alike}. The largest change is at {quoted(word.text, 40)} in the {word.where}: "
        f"{effect(float(a[most]))} on screen, {effect(float(b[most]))} to compare."
    )
