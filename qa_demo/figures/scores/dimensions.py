"""Chapter 2, step 2 as data: S, E and T dimension by dimension, and two tokens side by side."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.reading.heads import Comparison, HeadWeights, Lane, anatomy, compare
from qa_demo.figures.columns import telling
from qa_demo.figures.numbers import decimals_for, moved, number, rest
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.prose import quoted

TOP = 8
LANES: tuple[Lane, Lane] = ("start", "end")


def others(count: int) -> str:
    """What the rest row is called; with every dimension shown it holds what rounding left."""
    if count == 0:
        return "rounding"
    return f"{count} other{'s' if count != 1 else ''} together"


def vectors_data(heads: HeadWeights) -> dict[str, Any]:
    """S and E, drawn as strips over the dimensions, their biases and the angle between them."""
    size = float(max(np.abs(heads.S).max(), np.abs(heads.E).max()))
    lengths = [number(float(np.linalg.norm(v)), 2) for v in (heads.S, heads.E)]
    return {
        "d": len(heads.S),
        "S": floats(heads.S),
        "E": floats(heads.E),
        "size": size,
        "bias": [number(heads.b_S, 4), number(heads.b_E, 4)],
        "angle": number(heads.angle, 1),
        "lengths": lengths,
    }


def anatomy_data(
    heads: HeadWeights, token: Floats, lane: Lane, logit: float, name: str
) -> dict[str, Any]:
    """One logit taken apart: dimension, two factors, product; with the rest it adds up."""
    parts = anatomy(heads, token, lane, TOP)
    vector, _ = heads.vector(lane)
    decimals = telling([*parts.products, parts.bias])
    rows = [
        {
            "k": k,
            "v": number(float(vector[k]), decimals),
            "t": number(float(token[k]), decimals),
            "product": number(p, decimals),
            "x": p,
        }
        for k, p in zip(parts.dimensions, parts.products, strict=True)
    ]
    left = rest([*parts.products, parts.bias], logit, decimals)
    return {
        "lane": lane,
        "token": printable(name),
        "T": floats(np.asarray(token)),
        "size": float(np.abs(token).max()),
        "rows": rows,
        "rest": {"name": others(parts.n_rest), "product": left, "x": parts.rest},
        "bias": {"product": number(parts.bias, decimals), "x": parts.bias},
        "logit": number(logit, decimals),
        "x": logit,
    }


def comparison_data(
    heads: HeadWeights,
    first: Floats,
    second: Floats,
    lane: Lane,
    names: tuple[str, str],
    logits: tuple[float, float],
) -> dict[str, Any]:
    """Why one token and not another: what separates them adds up to the printed difference."""
    found = compare(heads, first, second, lane, TOP)
    decimals = telling([*found.first, *found.second, *found.differences])
    a, b = logits
    apart = [moved(q, p, decimals) for p, q in zip(found.first, found.second, strict=True)]
    difference = moved(b, a, decimals)
    rows = [
        {
            "k": k,
            "first": number(p, decimals),
            "second": number(q, decimals),
            "product": number(x, decimals),
            "x": x,
        }
        for k, p, q, x in zip(found.dimensions, found.first, found.second, apart, strict=True)
    ]
    return {
        "lane": lane,
        "names": [printable(n) for n in names],
        "rows": rows,
        "rest": {
            "name": others(found.n_rest),
            "product": rest(apart, difference, decimals),
            "x": found.rest,
        },
        "logits": [number(a, decimals), number(b, decimals)],
        "difference": number(difference, decimals),
        "says": because(found, names),
    }


def because(found: Comparison, names: tuple[str, str]) -> str:
    """How few dimensions carry the difference, or that many share it."""
    total = found.difference
    if abs(total) < 1e-9 or not found.dimensions:
        return "The two logits are equal."
    shown = sum(found.differences)
    ahead = names[0] if total > 0 else names[1]
    share = shown / total
    held = (
        f"the {len(found.dimensions)} dimensions shown hold {number(100 * share, 0)} % of that"
        if 0 <= share <= 1
        else (
            f"the {len(found.dimensions)} dimensions shown add up to {number(shown)}, and "
            f"{others(found.n_rest)} to {number(found.rest)}"
        )
    )
    lead = number(abs(total), decimals_for([total]))
    return f"{quoted(ahead)} is ahead by {lead} in its {found.lane} logit; {held}."


def rival(row: Floats, allowed: Floats, without: int) -> int | None:
    """The highest other position that is allowed; None where there is no other."""
    order = np.argsort(-np.asarray(row), kind="stable").tolist()
    return next((p for p in order if p != without and allowed[p]), None)
