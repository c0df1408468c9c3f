"""How long the spans of step 1 of chapter 8 come out: drawn, by the law, and literally clipped."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.masking.span_masking import MaskOptions, clipped_law, length_law
from qa_demo.figures.numbers import number
from qa_demo.figures.payload import table

COUNTS = (100, 1_000, 10_000)


def mean(law: Any, options: MaskOptions) -> float:
    """The mean length of a law over span_lower ... span_upper."""
    return float(np.dot(law, np.arange(options.span_lower, options.span_upper + 1)))


def lengths_data(counts: Sequence[int], options: MaskOptions) -> dict[str, Any]:
    """Shares of the drawn lengths beside both laws; a twin of the histogram."""
    law, clipped, n = length_law(options), clipped_law(options), sum(counts)
    drawn = [c / n for c in counts] if n else []
    lengths = list(range(options.span_lower, options.span_upper + 1))
    rows = [
        [
            str(length),
            f"{counts[k]:,}" if n else "-",
            _share(drawn[k]) if n else "-",
            _share(float(law[k])),
            _share(float(clipped[k])),
        ]
        for k, length in enumerate(lengths)
    ]
    got = mean(np.array(drawn), options) if n else None
    means: dict[str, str | None] = {
        "law": number(mean(law, options), 3),
        "clipped": number(mean(clipped, options), 3),
        "drawn": None if got is None else number(got, 3),
    }
    rows.append(["mean", "", *(means[name] or "-" for name in ("drawn", "law", "clipped"))])
    return {
        "lengths": lengths,
        "n": n,
        "drawn": drawn,
        "law": law.tolist(),
        "clipped": clipped.tolist(),
        "means": means,
        "says": lengths_says(counts, options),
        "counts": list(COUNTS),
        "table": table(
            "Span lengths in words: drawn, the law, and a literal clipping",
            ["words", "drawn", "share", "law", "literal clipping"],
            rows,
        ),
    }


def _share(p: float) -> str:
    return f"{number(100 * p)} %"


def lengths_says(counts: Sequence[int], options: MaskOptions) -> str:
    """What the draws say about the two laws: which one they are nearer to."""
    law, clipped, n = length_law(options), clipped_law(options), sum(counts)
    last = options.span_upper
    start = (
        f"“Clipped at {last}” is done by truncation: longer draws do not exist and the rest is "
        f"renormalised, so {last} words come with {_share(float(law[-1]))}. Cut off literally, all "
        f"longer draws would pile up there: {_share(float(clipped[-1]))}."
    )
    if not n or options.span_upper == options.span_lower:
        return start
    share = counts[-1] / n
    away = [
        abs(share - float(x[-1])) / max(1e-9, float(np.sqrt(x[-1] * (1 - x[-1]) / n)))
        for x in (law, clipped)
    ]
    said = (
        f" Of {n:,} draws {_share(share)} are that long: {number(away[0], 1)} standard errors from "
        f"the law, {number(away[1], 1)} from the literal clipping."
    )
    return start + said
