"""Chapter 8, step 2: the boundary head's arithmetic and the loss; printed sums add up."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.masking.infill import HiddenPiece, Infill, Said, Trace, run_terms
from qa_demo.core.types import Encoding
from qa_demo.figures.numbers import PrintedSum, bracketed, number, rest, sign_of, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import columns, formula, part, table
from qa_demo.figures.prose import quoted
from qa_demo.figures.spanbert.guessed import as_typed, place

TOP = 6
"""Dimensions of the last product that are printed one by one."""
DECIMALS = 3


def steps_data(trace: Trace, encoding: Encoding, found: Infill, said: Said) -> dict[str, Any]:
    """Every vector on the way and the last product as tables; h0's squares and -log p as sums."""
    parts = (trace.x_left, trace.x_right, trace.position)
    squares = total([float(np.sum(np.square(x, dtype=np.float64))) for x in parts])
    return {
        "vectors": columns(
            "Every vector on the way to the guess",
            _vectors(trace, encoding, found),
            {
                "vector": lambda row: row[0],
                "what it is": lambda row: printable(row[1]),
                "shape": lambda row: str(len(row[2])),
                "norm": lambda row: number(float(np.linalg.norm(row[2]))),
                "mean": lambda row: number(float(np.mean(row[2]))),
                "sd": lambda row: number(float(np.std(row[2]))),
            },
        ),
        "squares": [part("The three parts of h₀ in squared norms: "), *_sum(squares)],
        "product": product_table(trace),
        "log": log_parts(trace.logit, said),
    }


def _sum(printed: PrintedSum) -> list[dict[str, str]]:
    """Addends that are never below 0, and their total."""
    return [part(f"{' + '.join(printed.addends)} {printed.sign} "), part(printed.total, "strong")]


def _vectors(trace: Trace, encoding: Encoding, found: Infill) -> list[tuple[str, str, Floats]]:
    """Symbol, description and numbers of every vector, from the three wires to y."""

    def neighbour(wire: str, at: int) -> str:
        word = quoted(
            as_typed(encoding, at)
            if found.masked.true_ids[at] == encoding.context_ids[at]
            else found.tokens[at]
        )
        return (
            "cut: its mean over the pre-training text"
            if wire in trace.cut
            else f"{word}, last layer of the encoder"
        )

    position = (
        "cut: the mean of the rows read in pre-training"
        if "position" in trace.cut
        else f"row {trace.k} of the position table"
    )
    return [
        ("xₛ₋₁", neighbour("left", trace.left_at), trace.x_left),
        ("xₑ₊₁", neighbour("right", trace.right_at), trace.x_right),
        ("pᵢ₋ₛ₊₁", position, trace.position),
        ("h₀", "the three one after another", trace.h0),
        ("W₁ h₀ + b₁", "first linear layer", trace.linear1),
        ("GeLU", "each number for itself", trace.gelu1),
        ("h₁", "LayerNorm over this vector's features, then a learned scale and shift", trace.h1),
        ("W₂ h₁ + b₂", "second linear layer", trace.linear2),
        ("GeLU", "each number for itself", trace.gelu2),
        ("y", "LayerNorm again", trace.y),
    ]


def formula_parts(trace: Trace | None, blank: HiddenPiece) -> list[dict[str, str]]:
    """The boundary head with this blank's places, and its losses; without SBO MLM's alone."""

    i = blank.at
    loss = formula(f"L_{{{i}}} = −log P(x_{{{i}}} | its own place)")
    if trace is None or blank.sbo is None:
        return [*loss, part(" = "), part(number(blank.mlm.loss), "strong")]
    printed = total([blank.mlm.loss, blank.sbo.loss])
    left, right, k = trace.left_at, trace.right_at, trace.k
    return [
        *formula(f"y_{{{i}}} = f([x_{{{left}}}; x_{{{right}}}; p_{{{k}}}])   "),
        part("f: linear, GeLU, LayerNorm, twice   ", "quiet"),
        *loss,
        *formula(f" − log P(x_{{{i}}} | y_{{{i}}}) = "),
        *_sum(printed),
    ]


def product_table(trace: Trace) -> dict[str, Any]:
    """E_word . y + b = logit over the largest dimensions, the others, and the bias, as printed."""
    each = trace.word.astype(np.float64) * trace.y.astype(np.float64)
    top = np.argsort(-np.abs(each), kind="stable")[:TOP]

    def row(name: str, values: Floats, *more: str) -> list[str]:
        return [name, *(number(float(values[k]), DECIMALS) for k in top), *(more or ("", "", ""))]

    others = rest([*(float(each[k]) for k in top), trace.bias], trace.logit, DECIMALS)
    last = others, number(trace.bias, DECIMALS), number(trace.logit, DECIMALS)
    return table(
        "The logit of the true piece = E_word · y + b, with the word vector that the input layer "
        "uses too",
        ["numbers", *(f"dim {k}" for k in top), f"{len(each) - TOP} others", "bias b", "logit"],
        [row("E_word", trace.word), row("y", trace.y), row("product", each, *last)],
    )


def log_parts(logit: float, said: Said) -> list[dict[str, str]]:
    """-log p = log Z - logit, with Z over the whole vocabulary."""
    printed = total([said.loss + logit, -logit], said.loss, DECIMALS)
    return [
        part("−log p = log Z − logit, with Z over the whole vocabulary: "),
        part(f"{printed.addends[0]} − {bracketed(number(logit, printed.decimals))} "),
        part(f"{printed.sign} "),
        part(printed.total, "strong"),
    ]


def loss_data(found: Infill) -> dict[str, Any]:
    """-log p of every blank and run as a table; the code's two means and the paper's sums."""
    rows = []
    for run in run_terms(found.pieces):
        pieces = [p for p in found.pieces if p.run == run]
        rows += [_line(f"{place(p)} {printable(p.token)}", [p]) for p in pieces]
        rows.append(_line(f"run of {len(run)}", pieces))
    mlm, sbo = found.code
    sums = [number(term.value, DECIMALS) for term in found.paper]
    means = [number(term.value, DECIMALS) for term in found.code]
    targets = int(sbo.over) - 1
    x, y = part("x"), part("i", "sub")
    why = dict.fromkeys(p.no_sbo for p in found.pieces if p.no_sbo)
    return {
        "table": table("−log p of the true piece, in nats", ["blank", "MLM", "SBO", "sum"], rows),
        "why": f"No SBO term: {'; '.join(why)}." if why else "",
        "paper": [
            part("The paper adds up everything: L = Σ (−log P("),
            *(x, y, part(" | "), x, y, part(") − log P("), x, y, part(" | y"), y),
            part(")) = "),
            *_sum(total([term.value for term in found.paper], at_least=DECIMALS)),
        ],
        "code": [
            part(
                f"Its code takes two means with two denominators: MLM over the M = {mlm.over:g} "
                f"blanks, {sums[0]} / {mlm.over:g} ≈ {means[0]}; SBO over the S = {targets} "
                f"targets and one more, {sums[1]} / ({targets} + 1) ≈ {means[1]}. L = "
            ),
            *_sum(total([mlm.weight * mlm.value, sbo.weight * sbo.value], at_least=DECIMALS)),
            part(f", SBO with weight {sbo.weight:g}."),
        ],
    }


def _line(name: str, pieces: Sequence[HiddenPiece]) -> list[str]:
    """MLM's and SBO's -log p of some blanks and their sum; ≈ where a column does not add up."""

    def printed(losses: Sequence[float]) -> str:
        value = sum(losses)
        sign = "" if sign_of(losses, value, DECIMALS) == "=" else "≈ "
        return f"{sign}{number(value, DECIMALS)}"

    mlm = [p.mlm.loss for p in pieces]
    sbo = [p.sbo.loss for p in pieces if p.sbo is not None]
    both = [sum(mlm), sum(sbo)] if sbo else mlm
    return [name, printed(mlm), printed(sbo) if sbo else "no term", printed(both)]
