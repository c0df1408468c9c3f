"""The replay as data: distributions, loss and answer of an example at each recorded step."""

from typing import Any

import numpy as np

from qa_demo.core.learning.losses import Golds, cross_entropy, start_end_targets
from qa_demo.core.learning.replay import ReplayRows
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.spans import top_spans
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import nats
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import plural, quoted


def replay_data(
    reading: Reading, rows: ReplayRows, golds: Golds, decode: DecodeOptions
) -> dict[str, Any] | None:
    """What the scrubber needs; None when the recorded window is not this reading's."""
    if (
        rows.window >= len(reading.windows)
        or len(reading.windows[rows.window]) != rows.start.shape[1]
    ):
        return None
    w = reading.windows[rows.window]
    sides = zip((rows.start, rows.end), start_end_targets(w, golds), strict=True)
    start, end = (cross_entropy(x, t) for x, t in sides)
    losses = np.stack([start, end, (start + end) / 2], axis=1).tolist()
    means = [mean for *_, mean in losses]
    answers, best, spans = zip(
        *(_best(reading, rows, k, decode) for k in range(len(rows.steps))), strict=True
    )
    return {
        "steps": list(rows.steps),
        "window": rows.window,
        "n": len(w),
        "start": floats(rows.start),
        "end": floats(rows.end),
        "loss": means,
        "answers": list(answers),
        "best": list(best),
        "spans": list(spans),
        "says": sentence(rows.steps, means, answers),
        "table": table(
            f"Window {rows.window + 1} at every recorded step of the fine-tuning",
            ["step", "start loss", "end loss", "mean", "answer", "best span of the window"],
            [_step_row(*row) for row in zip(rows.steps, losses, answers, best, strict=True)],
        ),
    }


def _step_row(step: int, losses: list[float], answer: str | None, best: str) -> list[str]:
    said = "no answer" if answer is None else answer
    return [str(step), *(nats(x, 3) for x in losses), said, best]


def _best(
    reading: Reading, rows: ReplayRows, step: int, decode: DecodeOptions
) -> tuple[str | None, str, list[int] | None]:
    """The window's answer at one step (None above the threshold), its text, and place."""
    w = reading.windows[rows.window]
    found = top_spans(rows.start[step], rows.end[step], w, decode, "all", 1)
    if not len(found):
        return None, "no legal span", None
    i, j = (int(x) for x in found[0])
    null = float(rows.start[step, w.cls_at] + rows.end[step, w.cls_at])
    best = float(rows.start[step, i] + rows.end[step, j])
    span = [w.to_doc(i), w.to_doc(j)]
    text = printable(reading.encoding.text(Span(*span)))
    silent = null - best > decode.null_score_diff_threshold
    return None if silent else text, text, span


def sentence(steps: tuple[int, ...], means: list[float], answers: tuple[str | None, ...]) -> str:
    """Where it began, when the final answer first stood and stayed."""
    settled = len(answers) - 1
    while settled and answers[settled - 1] == answers[-1]:
        settled -= 1
    began = "the heads are random" if steps[0] == 0 else "the record begins"
    stands = (
        "came with the last recorded step only"
        if settled and settled == len(answers) - 1
        else f"stands from step {steps[settled]} on"
    )
    final = "no answer" if answers[-1] is None else quoted(answers[-1])
    return (
        f"{plural(len(steps), 'recorded step')}. At step {steps[0]} {began} and the loss is "
        f"{nats(means[0])}; at step {steps[-1]} it is "
        f"{nats(means[-1])}. The final verdict, {final}, {stands}."
    )
