"""Chapter 6, "Break it": search for a reading where a wrong merge rule picks another span."""

from collections.abc import Iterable
from typing import Any

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.merge_rules import RuleResult, run_all
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import probability
from qa_demo.figures.prose import plural, quoted
from qa_demo.figures.windows.compare import LABELS, WHY, printed_value, scale_of


def counterexample(
    readings: Iterable[tuple[str, Reading]], scale: str, decode: DecodeOptions | None = None
) -> dict[str, Any]:
    """The first titled reading in which the rule of `scale` names another pair, as a sentence;
    without one the title is None.
    """
    searched = list(readings)
    for title, reading in searched:
        results = {scale_of(r): r for r in run_all(reading, decode)}
        default, wrong = results["logit"], results[scale]
        if default.winner_doc is not None and not wrong.agrees_with(default):
            said = found_sentence(title, reading, default, wrong)
            return {"rule": scale, "title": title, "says": said}
    said = f"No counterexample in {plural(len(searched), 'reading')}."
    return {"rule": scale, "title": None, "says": said}


def found_sentence(title: str, reading: Reading, default: RuleResult, wrong: RuleResult) -> str:
    """What both rules pick there, in which windows, and the wrong rule's number."""
    best = default.prediction.best if default.prediction is not None else None
    right = (
        "nothing"
        if best is None
        else f"{quoted(best.candidate.text, 60)} (window {best.candidate.window + 1})"
    )
    return (
        f"In {quoted(title)} the winner by {LABELS[scale_of(wrong)].said} is "
        f"{picked(reading, wrong)}; by the logit sum it is {right}."
    )


def picked(reading: Reading, result: RuleResult) -> str:
    """The rule's pick with its value, or the tokens of an illegal pair."""
    if result.prediction is not None and result.prediction.best is not None:
        best = result.prediction.best
        return (
            f"{quoted(best.candidate.text, 60)} (window {best.candidate.window + 1}, "
            f"{printed_value(scale_of(result), best.value)})"
        )
    if result.winner is None or result.winner_doc is None:
        return "nothing"
    start, end = (quoted(reading.encoding.context_tokens[d]) for d in result.winner_doc)
    legal = "" if result.winner.reason is None else f", no legal span: {WHY[result.winner.reason]}"
    return (
        f"the start {start} with the end {end} (window {result.winner.window + 1}, "
        f"{probability(result.value or 0.0)}{legal})"
    )
