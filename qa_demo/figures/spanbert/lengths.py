"""How long the spans of step 1 of chapter 8 come out: by the law, and literally clipped."""

from typing import Any

import numpy as np

from qa_demo.core.masking.span_masking import MaskOptions, clipped_law, length_law
from qa_demo.figures.numbers import number, percent
from qa_demo.figures.payload import table


def mean(law: Any, options: MaskOptions) -> float:
    """The mean length of a law over span_lower ... span_upper."""
    return float(np.dot(law, np.arange(options.span_lower, options.span_upper + 1)))


def lengths_data(options: MaskOptions) -> dict[str, Any]:
    """Both laws' chances of each length and their means; a twin of the histogram."""
    laws = {"law": length_law(options), "clipped": clipped_law(options)}
    means = {name: number(mean(law, options), 3) for name, law in laws.items()}
    lengths = range(options.span_lower, options.span_upper + 1)
    rows = [
        [str(n), *(percent(x, 2) for x in p)] for n, *p in zip(lengths, *laws.values(), strict=True)
    ]
    law, clipped = (float(law[-1]) for law in laws.values())
    return {
        "lengths": list(lengths),
        **{name: law.tolist() for name, law in laws.items()},
        "means": means,
        "says": f"“Clipped at {options.span_upper}” is done by truncation: longer draws do not "
        f"exist and the rest is renormalised, so length {options.span_upper} comes with "
        f"{percent(law, 2)}. Cut off literally, all longer draws would pile up there: "
        f"{percent(clipped, 2)}.",
        "table": table(
            "Span lengths in words: the law, and a literal clipping",
            ["words", "law", "literal clipping"],
            [*rows, ["mean", *means.values()]],
        ),
    }
