"""How long the spans of step 1 of chapter 8 come out: by the law, and literally clipped."""

from typing import Any

import numpy as np

from qa_demo.core.masking.span_masking import MaskOptions, clipped_law, length_law
from qa_demo.figures.numbers import number
from qa_demo.figures.payload import table


def mean(law: Any, options: MaskOptions) -> float:
    """The mean length of a law over span_lower ... span_upper."""
    return float(np.dot(law, np.arange(options.span_lower, options.span_upper + 1)))


def lengths_data(options: MaskOptions) -> dict[str, Any]:
    """Both laws' chances of each length and their means; a twin of the histogram."""
    laws = {"law": length_law(options), "clipped": clipped_law(options)}
    means = {name: number(mean(law, options), 3) for name, law in laws.items()}
    lengths = range(options.span_lower, options.span_upper + 1)
    rows = [[str(n), *map(_share, p)] for n, *p in zip(lengths, *laws.values(), strict=True)]
    law, clipped = (float(law[-1]) for law in laws.values())
    return {
        "lengths": list(lengths),
        **{name: law.tolist() for name, law in laws.items()},
        "means": means,
        "says": f"“Clipped at {options.span_upper}” is done by truncation: longer draws do not "
        f"exist and the rest is renormalised, so {options.span_upper} words come with "
        f"{_share(law)}. Cut off literally, all longer draws would pile up there: "
        f"{_share(clipped)}.",
        "table": table(
            "Span lengths in words: the law, and a literal clipping",
            ["words", "law", "literal clipping"],
            [*rows, ["mean", *means.values()]],
        ),
    }


def _share(p: float) -> str:
    return f"{number(100 * float(p))} %"
