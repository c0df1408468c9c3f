"""How many right answers survive each rule of `perturb`, with intervals, and which do not."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from qa_demo.core.measuring.bootstrap import Draws
from qa_demo.core.measuring.perturb import PERTURBATIONS, survival, twins

Row = dict[str, Any]


def changed(rows: Sequence[Row], draws: Draws) -> list[Row]:
    """A row for each rule, as a result of `evaluate` has it, with what the rule does and `share`:
    the percent of right answers that survive, None where none was right.
    """
    exact = np.array([row["exact"] == 1 for row in rows])
    found = []
    for one, pairs in zip(survival(rows), twins(rows).values(), strict=True):
        part = np.zeros(len(rows), dtype=np.bool_)
        part[[twin for first, twin in pairs if exact[first]]] = True
        share = asdict(draws.mean(100.0 * exact, part)) if part.any() else None
        found.append(asdict(one) | {"says": PERTURBATIONS[one.rule].says, "share": share})
    return found
