"""Two readers on the same questions: what each was run with, and what they differ by under
thresholds that are named.

A difference at each reader's own threshold mixes two things, the reader and its threshold; so it
stands beside the difference at 0 and at the threshold that serves each reader best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Floats
from qa_demo.core.files.report_evaluate import example_of, outcome_of
from qa_demo.core.measuring.bootstrap import Difference, Draws, Estimate, units_of
from qa_demo.core.measuring.metrics import score

Row = Mapping[str, Any]

OF_THE_READER = (
    *("reader", "weights", "threshold", "threshold_from", "calibration", "scores"),
    "attribute",
)
"""What may differ between two runs without making them another comparison."""

MEANING = {
    "own": "each reader at the threshold it was run with",
    "zero": "both at threshold 0",
    "best": "each at its best F1 on these questions, an upper bound",
}


@dataclass(frozen=True)
class Differs:
    """A setting that two runs do not share, with both values."""

    name: str
    a: Any
    b: Any


@dataclass(frozen=True)
class Under:
    """Both readers under one choice of thresholds; limits are None where nothing is withheld.
    F1 and exact in percent, their differences A minus B in points.
    """

    name: str
    meaning: str
    limits: tuple[float | None, float | None]
    f1: tuple[Estimate, Estimate]
    exact: tuple[Estimate, Estimate]
    f1_difference: Difference
    exact_difference: Difference


@dataclass(frozen=True)
class Pair:
    """How many questions each reader has exactly right at its own threshold, and the differences
    under each choice of thresholds. `drawn` says what the intervals draw.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    drawn: str
    under: tuple[Under, ...]


def names_of(a: Row, b: Row) -> tuple[str, str]:
    """What two readers are called side by side: never the same."""
    first, second = str(a["reader"]), str(b["reader"])
    return (first, second) if first != second else (f"{first} (A)", f"{second} (B)")


def differing(a: Row, b: Row) -> tuple[Differs, ...]:
    """The settings that both runs should share and do not, options one by one."""
    flat = [
        {k: v for k, v in run.items() if k not in (*OF_THE_READER, "options")}
        | dict(run.get("options") or {})
        for run in (a, b)
    ]
    keys = dict.fromkeys([*flat[0], *flat[1]])
    return tuple(
        Differs(key, flat[0].get(key), flat[1].get(key))
        for key in keys
        if flat[0].get(key) != flat[1].get(key)
    )


def check_same(a: Row, b: Row) -> None:
    """Refuse two runs that were made under other settings. Errors: BadInput that names them."""
    found = differing(a, b)
    if found:
        said = "; ".join(f"{one.name}: {one.a} and {one.b}" for one in found)
        raise BadInput(
            f"the two files were made under other settings ({said}), so a difference may come from "
            f"them; run both alike, or give --allow-different"
        )


class Judged:
    """The lines of one reader, to be judged under any threshold."""

    def __init__(self, rows: Sequence[Row], run: Row) -> None:
        examples = [example_of(dict(row)) for row in rows]
        said = [outcome_of(dict(row)) for row in rows]
        self._own = np.array([[row["exact"], row["f1"]] for row in rows], dtype=np.float64)
        self.own_limit: float | None = run.get("threshold")
        self._raw: Floats = np.array(
            [score(e, s.text, "2.0") for e, s in zip(examples, said, strict=True)]
        )
        self._has: NDArray[np.bool_] = np.array([bool(e.answers) for e in examples])
        self._diffs: Floats = np.array([s.score_diff or 0.0 for s in said])

    def under(self, name: str) -> tuple[float | None, Floats]:
        """The threshold of a choice of MEANING, and [exact, F1] of each question under it, in
        percent.
        """
        if name == "own":
            return self.own_limit, 100 * self._own
        limit = 0.0 if name == "zero" else self._best()
        withheld = self._diffs > limit
        return limit, 100 * np.where(withheld[:, None], ~self._has[:, None], self._raw)

    def _best(self) -> float:
        """The threshold with the highest F1; one below all differences where no answer is worth
        giving. The official search (metrics.best_threshold) calls that 0 and parts equal
        differences, so at its threshold a reader may score less than it says.
        """
        order = np.argsort(self._diffs, kind="stable")
        diffs, gains = self._diffs[order], (self._raw[:, 1] - ~self._has)[order]
        ends = np.flatnonzero(np.append(np.diff(diffs) > 0, True))
        sums = np.cumsum(gains)[ends]
        best = int(np.argmax(sums))
        return float(diffs[ends[best]] if sums[best] > 0 else np.nextafter(diffs[0], -np.inf))


def check_questions(a: Sequence[Row], b: Sequence[Row]) -> None:
    """Refuse lists of other questions, or in another order. Errors: BadInput."""
    if [row["id"] for row in a] != [row["id"] for row in b] or not a:
        raise BadInput(
            f"two readers are compared on the same questions; the files hold {len(a)} and {len(b)} "
            f"that are not the same"
        )


def paired(a: Sequence[Row], run_a: Row, b: Sequence[Row], run_b: Row) -> Pair:
    """Compare two readers on the same questions in the same order. Errors: BadInput for lists of
    other questions.
    """
    check_questions(a, b)
    units, drawn = units_of([row["title"] for row in a], [row["context"] for row in a])
    draws, sides = Draws(units), (Judged(a, run_a), Judged(b, run_b))
    withholds = run_a["rules"] == "2.0" and None not in (run_a["threshold"], run_b["threshold"])
    right = np.array([[x["exact"] == 1, y["exact"] == 1] for x, y in zip(a, b, strict=True)])
    return Pair(
        both=int((right[:, 0] & right[:, 1]).sum()),
        only_a=int((right[:, 0] & ~right[:, 1]).sum()),
        only_b=int((~right[:, 0] & right[:, 1]).sum()),
        neither=int((~right[:, 0] & ~right[:, 1]).sum()),
        drawn=drawn,
        under=tuple(_under(n, draws, sides) for n in (MEANING if withholds else ("own",))),
    )


def _under(name: str, draws: Draws, sides: tuple[Judged, Judged]) -> Under:
    (limit_a, of_a), (limit_b, of_b) = (side.under(name) for side in sides)
    return Under(
        name,
        MEANING[name],
        (limit_a, limit_b),
        f1=(draws.mean(of_a[:, 1]), draws.mean(of_b[:, 1])),
        exact=(draws.mean(of_a[:, 0]), draws.mean(of_b[:, 0])),
        f1_difference=draws.paired(of_a[:, 1] - of_b[:, 1]),
        exact_difference=draws.paired(of_a[:, 0] - of_b[:, 0]),
    )
