"""Chapter 2, step 2 as data: S, E and T dimension by dimension."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.reading.heads import HeadWeights, Lane, anatomy, angle
from qa_demo.figures.columns import telling
from qa_demo.figures.numbers import number, rest
from qa_demo.figures.pack import floats, printable

TOP = 8
LANES: tuple[Lane, Lane] = ("start", "end")


def others(count: int) -> str:
    """What the rest row is called; with every dimension shown it holds what rounding left."""
    if count == 0:
        return "rounding"
    return f"{count} other{'s' if count != 1 else ''} together"


def vectors_data(heads: HeadWeights) -> dict[str, Any]:
    """S and E, drawn as strips over the dimensions, and the angle between them."""
    size = float(max(np.abs(heads.S).max(), np.abs(heads.E).max()))
    lengths = [number(float(np.linalg.norm(v)), 2) for v in (heads.S, heads.E)]
    return {
        "d": len(heads.S),
        "S": floats(heads.S),
        "E": floats(heads.E),
        "size": size,
        "angle": number(angle(heads.S, heads.E), 1),
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
        "token": printable(name),
        "T": floats(np.asarray(token)),
        "size": float(np.abs(token).max()),
        "rows": rows,
        "rest": {"name": others(parts.n_rest), "product": left, "x": parts.rest},
        "bias": {"product": number(parts.bias, decimals), "x": parts.bias},
        "logit": number(logit, decimals),
        "x": logit,
    }
