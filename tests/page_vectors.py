"""Numbers worked out in Python for the tests of the page's modules: python -m tests.page_vectors
writes tests/page/vectors.json.

`tests/test_page_vectors.py` fails where the file is not what this module makes now, `deno test`
where the browser disagrees.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.arrays import logsumexp, softmax
from qa_demo.core.course.pencil import Pencil, another, pencil
from qa_demo.core.learning.losses import cross_entropy
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.legal import reason_matrix
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.types import Reading
from qa_demo.figures.bench.exercise import pencil_data
from qa_demo.figures.numbers import PrintedSum, mean, number, percent, probability, total
from qa_demo.figures.pack import floats, ints
from tests.core.toys import make_reading

TIES = (
    *(0.125, -0.125, 0.5, -0.5, 2.5, 1.005, 0.285, 0.0625, 1e-300, 0.0, -0.0, -0.004),
    *(0.0005, 0.9995, 999.5, 123456.5, 2.0**53, 1e21, -1e21, 1.2345e22, 1.7e308),
)
"""Exact halves, decimals that lie beside one, nothings of both signs, and values without end."""
SHARES = (0.0, 0.001, 0.0005, 0.009999, 0.01, 0.105, 0.125, 0.145, 0.5, 0.985, 0.99, 0.9995, 1.0)
TIED = ([0.125, 1.0], [0.125, 0.125], [-0.125, 0.25], [0.0, -0.0], [1e21, 0.5], [2.5, -2.5])
PATH = Path(__file__).parent / "page" / "vectors.json"
SEED = 20


def vectors() -> dict[str, Any]:
    """Packed arrays, probabilities, losses, printed numbers and sums, matrices and pencils."""
    rng = np.random.default_rng(SEED)
    sizes = (0, 1, 2, 7, 33)
    arrays = [
        (rng.normal(size=n) * 10.0 ** rng.integers(-30, 30, n)).astype(np.float32) for n in sizes
    ]
    whole = [rng.integers(-(2**31), 2**31, n).astype(np.int32) for n in sizes]
    heads = [
        rng.normal(0, 5, n).astype(np.float32).astype(np.float64) * scale
        for n, scale in ((3, 1), (20, 1), (50, 1e3), (9, 1e6))
    ]
    return {
        "floats": [{"packed": floats(a), "values": a.astype(float).tolist()} for a in arrays],
        "ints": [{"packed": ints(a), "values": a.tolist()} for a in whole],
        "heads": [_head(x, rng) for x in heads],
        "numbers": [
            _number(float(x), int(d))
            for x, d in zip(rng.normal(0, 100, 200), rng.integers(0, 6, 200), strict=True)
        ],
        "ties": [_number(x, d) for x in TIES for d in range(4)],
        "shares": [
            {"p": p, "percent": percent(p), "probability": probability(p)}
            for p in (*SHARES, *rng.random(60).tolist())
        ],
        "sums": [
            _sum(rng.normal(0, size, n).tolist())
            for size in (0.01, 5, 1e6)
            for n in (2, 3, 6)
            for _ in range(30)
        ]
        + [_sum(values) for values in TIED],
        "means": [
            _mean(rng.exponential(size, n).tolist())
            for size in (1e-5, 1e-3, 1, 30)
            for n in (2, 3)
            for _ in range(30)
        ],
        "matrices": [_matrices(_three_windows(rng), copies) for copies in ("max_context", "all")],
        "pencils": [_pencil(pencil(), 0), _pencil(another(np.random.default_rng(5)), 5)],
    }


def _three_windows(rng: np.random.Generator) -> Reading:
    """Fourteen words in three windows that overlap."""
    parts = [(0, 8), (4, 12), (6, 14)]
    logits = rng.integers(-40, 40, (2, len(parts), 12)) / 8
    return make_reading([f"w{k}" for k in range(14)], parts, *logits)


def _matrices(reading: Reading, copies: str) -> dict[str, Any]:
    """A reading as it is sent, and of each window why a cell is not legal and the best one."""
    decode = DecodeOptions(max_answer_length=3)
    sent, cells = [], []
    for w in reading.windows:
        s, e = reading.logits(w.index)
        i, j = top_spans(s, e, w, decode, copies, 1)[0].tolist()
        best = [i, j, float(s[i] + e[j])]
        cells.append({"codes": reason_matrix(w, decode, copies).tolist(), "best": best})
        sent.append(
            {
                "index": w.index,
                "docStart": w.doc_start,
                "docStop": w.doc_stop,
                "contextAt": w.context_at,
                "clsAt": w.cls_at,
                "n": len(w),
                "tokens": list(reading.tokens(w.index)),
                "start": s.tolist(),
                "end": e.tolist(),
            }
        )
    return {
        "reading": {"owner": reading.owners.tolist(), "windows": sent},
        "picture": {"longest": decode.max_answer_length, "copies": copies},
        "cells": cells,
    }


def _pencil(exercise: Pencil, number_of: int) -> dict[str, Any]:
    """An exercise as it is sent, and what is said of right numbers, wrong ones and slips."""
    cells = pencil_data(exercise, number_of)["cells"]
    typed = [
        (c["name"], str(v))
        for c in cells
        for v in (round(c["value"], c["decimals"]), c["value"] + 1, -c["value"] - 3)
    ]
    typed += [(c["name"], f"{v:.2f}") for c in cells for _, v in c["slips"]]
    named = {c["name"]: c for c in cells}
    return {
        "cells": [{k: c[k] for k in ("name", "value", "decimals", "slips")} for c in cells],
        "typed": [[name, text, *_said(named[name], float(text))] for name, text in typed],
    }


def _said(cell: dict[str, Any], typed: float) -> tuple[bool, str | None]:
    """Whether a number is right, to one unit of the last digit that is asked for, and its slip."""
    unit = 10.0 ** -cell["decimals"] if cell["decimals"] else 1e-9
    if abs(typed - cell["value"]) < unit:
        return True, None
    wrong = ((s, v) for s, v in cell["slips"] if abs(v - cell["value"]) >= unit)
    return False, next((slip for slip, value in wrong if abs(typed - value) < unit), None)


def _head(logits: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    labels = rng.choice(len(logits), 2, replace=False)
    dense = np.zeros(len(logits))
    dense[labels] = (0.25, 0.75)
    return {
        "logits": logits.tolist(),
        "labels": [[int(p), float(dense[p])] for p in labels],
        "log_z": float(logsumexp(logits)),
        "p": softmax(logits).tolist(),
        "warm": softmax(logits / 2.5).tolist(),
        "loss": float(cross_entropy(logits, dense)),
    }


def _number(x: float, decimals: int) -> dict[str, Any]:
    return {"x": x, "decimals": decimals, "text": number(x, decimals)}


def _mean(values: list[float]) -> dict[str, Any]:
    printed = mean(values)
    return _printed(values, printed) | {"digits": printed.decimals}


def _sum(addends: list[float]) -> dict[str, Any]:
    return _printed(addends, total(addends))


def _printed(values: list[float], sums: PrintedSum) -> dict[str, Any]:
    return {"values": values, "addends": sums.addends, "total": sums.total, "sign": sums.sign}


def text() -> str:
    """The file's text, one kind a line."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(found, ensure_ascii=False)}"
        for name, found in vectors().items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
