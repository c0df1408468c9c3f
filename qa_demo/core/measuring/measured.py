"""The figures that were measured once and lie beside a reader in metrics.json, as records:
reliability, threshold, and lists of answers.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.abstain import ThresholdPoint
from qa_demo.core.measuring.lists import ListScores, Rates
from qa_demo.core.measuring.metrics import CalibrationBin

FILE = "metrics.json"
HEADS = ("span", "bio")


@dataclass(frozen=True)
class Half:
    """A fit on one half of the articles, and its error on the other half alone."""

    temperature: float
    bias: float
    fitted_on: int
    error: float


@dataclass(frozen=True)
class Reliability:
    """How often a head's best span was exactly right, by its probability, before and after its
    calibration.

    `temperature` and `bias` were fitted on all `measured_on` questions and come with the reader;
    the bins after it use two other fits, `halves`: each question's is the one that saw none of its
    article. An error is the mean distance of probability and accuracy, weighted by questions, 0 to
    1; `chance_error` is what perfectly calibrated probabilities would show.
    """

    temperature: float
    bias: float
    measured_on: int
    halves: tuple[Half, ...]
    before: tuple[CalibrationBin, ...]
    after: tuple[CalibrationBin, ...]
    error_before: float
    error_after: float
    chance_error: float


@dataclass(frozen=True)
class ClaimHalf:
    """Both fits on one half of the articles, and the error of the claim on the other half alone."""

    temperature: float
    bias: float
    slope: float
    intercept: float
    fitted_on: int
    error: float


@dataclass(frozen=True)
class ClaimReliability:
    """How often the best span was exactly right among questions of which some have no answer, by
    the chance that holds where there is one (`conditional`) and by the claim (`bins`).

    `slope` and `intercept` were fitted on all `measured_on` questions, `unanswerable` of them
    without an answer, and come with the reader; both sets of bins use two other fits, `halves`, as
    in `Reliability`.
    """

    slope: float
    intercept: float
    measured_on: int
    unanswerable: int
    halves: tuple[ClaimHalf, ...]
    conditional: tuple[CalibrationBin, ...]
    bins: tuple[CalibrationBin, ...]
    error_conditional: float
    error: float
    chance_error: float


@dataclass(frozen=True)
class ThresholdCurve:
    """What every threshold would do on the SQuAD 2.0 questions, and the one that the reader came
    with.
    """

    answerable: int
    unanswerable: int
    points: tuple[ThresholdPoint, ...]
    chosen: ThresholdPoint


@dataclass(frozen=True)
class Measured:
    """Stored figures by head, `span` and `bio`; a head without figures is missing. `lists` has the
    files with lists of answers first: paragraphs kept apart, the same ones for both heads.
    """

    reliability: dict[str, Reliability]
    curves: dict[str, ThresholdCurve]
    lists: dict[str, dict[str, ListScores]] = field(default_factory=dict)
    claim: ClaimReliability | None = None
    f1: float | None = None
    """Of the start/end head on the answerable questions, in percent."""
    times_as_long: float | None = None
    """As the bundled reader takes for the same questions."""
    parameters: int | None = None


def _halved(raw: dict[str, Any], half: type, *tables: str) -> dict[str, Any]:
    """The fields of a reliability, its halves and tables of bins as records."""
    bins = {name: tuple(CalibrationBin(**row) for row in raw[name]) for name in tables}
    return {**raw, **bins, "halves": tuple(half(**one) for one in raw["halves"])}


def _reliability(raw: dict[str, Any]) -> Reliability:
    return Reliability(**_halved(raw, Half, "before", "after"))


def _curve(raw: dict[str, Any]) -> ThresholdCurve:
    points = tuple(ThresholdPoint(**point) for point in raw["points"])
    return ThresholdCurve(**{**raw, "points": points, "chosen": ThresholdPoint(**raw["chosen"])})


def _lists(raw: dict[str, Any]) -> ListScores:
    rates = {name: Rates(**raw[name]) for name in ("exact", "overlap")}
    return ListScores(**{**raw, **rates})


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Whatever is wrong inside a file of figures is said with the file's name."""
    try:
        yield
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as fault:
        raise BadInput(f"{path.name} holds no figures that can be read: {fault}") from fault


def load_measured(folder: Path) -> Measured | None:
    """The figures of a reader's folder; None when it holds none. Errors: BadInput for a file that
    cannot be read as such.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    with _named(path):
        raw = json.loads(path.read_text(encoding="utf-8"))
        reliability, curves = raw.get("reliability", {}), raw.get("threshold_curve", {})
        return Measured(
            {head: _reliability(reliability[head]) for head in HEADS if head in reliability},
            {head: _curve(curves[head]) for head in HEADS if head in curves},
            {
                file: {head: _lists(found[head]) for head in HEADS}
                for file, found in raw.get("lists", {}).items()
            },
            ClaimReliability(**_halved(raw["claim"], ClaimHalf, "conditional", "bins"))
            if "claim" in raw
            else None,
            raw.get("squad_dev", {}).get("span", {}).get("f1"),
            raw.get("speed", {}).get("times_as_long"),
            raw.get("parameters"),
        )
