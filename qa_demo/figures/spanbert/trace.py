"""Chapter 8, step 2: the boundary head's arithmetic and the loss; printed sums add up."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.learning.golds import LossTerm
from qa_demo.core.masking.infill import HiddenPiece, Infill, Said, Trace, run_terms
from qa_demo.core.types import Encoding
from qa_demo.figures.numbers import number, rest, sign_of, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import part, table
from qa_demo.figures.prose import quoted
from qa_demo.figures.spanbert.guessed import as_typed, place

TOP = 6
"""Dimensions of the last product that are printed one by one."""
DECIMALS = 3


def steps_data(trace: Trace, encoding: Encoding, found: Infill, said: Said) -> dict[str, Any]:
    """Every vector on the way: shape, norm, mean, spread; h0's squares, product, -log p as sums."""
    rows = [
        {
            "name": name,
            "what": printable(what),
            "shape": str(len(x)),
            "norm": number(float(np.linalg.norm(x))),
            "mean": number(float(np.mean(x))),
            "spread": number(float(np.std(x))),
        }
        for name, what, x in _vectors(trace, encoding, found)
    ]
    squares = total(
        [
            float(np.sum(np.square(x, dtype=np.float64)))
            for x in (trace.x_left, trace.x_right, trace.position)
        ]
    )
    return {
        "rows": rows,
        "squares": {"addends": list(squares.addends), "total": squares.total, "sign": squares.sign},
        "product": product_data(trace),
        "log": log_data(trace.logit, said),
    }


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

    def at(text: str, where: int) -> list[dict[str, str]]:
        return [part(text), part(str(where), "sub")]

    loss = [*at("L", blank.at), *at(" = −log P(x", blank.at), part(" | its own place)")]
    if trace is None or blank.sbo is None:
        return [*loss, part(" = "), part(number(blank.mlm.loss), "strong")]
    printed = total([blank.mlm.loss, blank.sbo.loss])
    head = [
        *at("y", blank.at),
        *at(" = f([x", trace.left_at),
        *at("; x", trace.right_at),
        *at("; p", trace.k),
        part("])   "),
    ]
    return [
        *head,
        part("f: linear, GeLU, LayerNorm, twice   ", "quiet"),
        *loss,
        *at(" − log P(x", blank.at),
        *at(" | y", blank.at),
        part(f") = {' + '.join(printed.addends)} {printed.sign} "),
        part(printed.total, "strong"),
    ]


def product_data(trace: Trace) -> dict[str, Any]:
    """E_word . y + b = logit over the largest dimensions, the others, and the bias, as printed."""
    each = trace.word.astype(np.float64) * trace.y.astype(np.float64)
    top = np.argsort(-np.abs(each), kind="stable")[:TOP]
    shown = [*(float(each[k]) for k in top), trace.bias]
    return {
        "dimensions": [int(k) for k in top],
        "word": [number(float(trace.word[k]), DECIMALS) for k in top],
        "y": [number(float(trace.y[k]), DECIMALS) for k in top],
        "products": [number(float(each[k]), DECIMALS) for k in top],
        "others": len(each) - len(top),
        "rest": rest(shown, trace.logit, DECIMALS),
        "bias": number(trace.bias, DECIMALS),
        "logit": number(trace.logit, DECIMALS),
    }


def log_data(logit: float, said: Said) -> dict[str, str]:
    """-log p = log Z - logit, with Z over the whole vocabulary."""
    printed = total([said.loss + logit, -logit], said.loss, DECIMALS)
    return {
        "log_z": printed.addends[0],
        "logit": number(logit, printed.decimals),
        "loss": printed.total,
        "sign": printed.sign,
    }


def steps_table(found: dict[str, Any], blank: HiddenPiece) -> dict[str, Any]:
    """Table twin of the arithmetic."""
    return table(
        f"SBO's arithmetic for blank {place(blank)}, {quoted(blank.token)}: each vector's norm, "
        f"mean and standard deviation",
        ["vector", "what it is", "shape", "norm", "mean", "sd"],
        [
            [r["name"], r["what"], r["shape"], r["norm"], r["mean"], r["spread"]]
            for r in found["rows"]
        ],
    )


def loss_data(found: Infill) -> dict[str, Any]:
    """-log p of every blank, per run and in all; the code's two means, the paper's sums."""
    runs = []
    for run, terms in run_terms(found.pieces).items():
        pieces = [p for p in found.pieces if p.run == run]
        guessed = [p.sbo.loss for p in pieces if p.sbo is not None]
        sums = [t.value for t in terms]
        runs.append(
            {
                "rows": [_row(p) for p in pieces],
                "name": f"run of {len(run)}",
                "mlm": number(sums[0], DECIMALS),
                "sbo": number(sums[1], DECIMALS),
                "sum": number(sum(sums), DECIMALS),
                "sign": sign_of([p.mlm.loss for p in pieces], sums[0], DECIMALS),
                "sbo_sign": sign_of(guessed, sums[1], DECIMALS),
                "sum_sign": sign_of(sums, sum(sums), DECIMALS),
            }
        )
    mlm, sbo = found.code
    paper = [t.value for t in found.paper]
    printed = total([mlm.weight * mlm.value, sbo.weight * sbo.value], at_least=DECIMALS)
    plain = total(paper, at_least=DECIMALS)
    return {
        "runs": runs,
        "code": {
            "mlm": _mean(mlm, paper[0]),
            "sbo": _mean(sbo, paper[1]),
            "weight": f"{sbo.weight:g}",
            "addends": list(printed.addends),
            "total": printed.total,
            "sign": printed.sign,
            "blanks": len(found.pieces),
            "targets": int(sbo.over) - 1,
        },
        "paper": {"addends": list(plain.addends), "total": plain.total, "sign": plain.sign},
    }


def _row(p: HiddenPiece) -> dict[str, Any]:
    values = [p.mlm.loss] + ([p.sbo.loss] if p.sbo is not None else [])
    return {
        "at": p.at,
        "k": place(p),
        "piece": printable(p.token),
        "mlm": number(p.mlm.loss, DECIMALS),
        "sbo": None if p.sbo is None else number(p.sbo.loss, DECIMALS),
        "sum": number(sum(values), DECIMALS),
        "sign": sign_of(values, sum(values), DECIMALS),
        "why": p.no_sbo or "",
    }


def _mean(term: LossTerm, value: float) -> dict[str, str]:
    return {
        "sum": number(value, DECIMALS),
        "over": f"{term.over:g}",
        "mean": number(term.value, DECIMALS),
    }


def loss_table(found: dict[str, Any]) -> dict[str, Any]:
    """Table twin of the loss: one row a blank, one a run, and the two ways to add them up."""
    rows = []
    for run in found["runs"]:
        rows += [
            [f"{r['k']} {r['piece']}", r["mlm"], r["sbo"] or "no term", r["sum"]]
            for r in run["rows"]
        ]
        rows.append([run["name"], run["mlm"], run["sbo"], run["sum"]])
    code, paper = found["code"], found["paper"]
    rows.append(["the paper's sum", paper["addends"][0], paper["addends"][1], paper["total"]])
    rows.append(
        [
            f"the code's means: over {code['mlm']['over']} blanks and over {code['targets']} + 1",
            *code["addends"],
            code["total"],
        ]
    )
    return table(
        "−log p of the true piece in nats, blank by blank", ["blank", "MLM", "SBO", "sum"], rows
    )
