"""Run a reader over many questions, several at once, and score what it says."""

import math
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from qa_demo.core.base import BadInput, OnProgress
from qa_demo.core.files.report import evaluate_json
from qa_demo.core.measuring.attributed import Explain
from qa_demo.core.measuring.listed import is_list, listed, lists_json
from qa_demo.core.measuring.metrics import Outcome, evaluate
from qa_demo.core.predict import limit_of, predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import check_decode
from qa_demo.core.tagging import best_span, null_log_prob
from qa_demo.core.types import DecodeOptions, Example, Reading, WindowOptions

Made = TypeVar("Made")


@dataclass(frozen=True)
class Setup:
    """How questions are read and decoded; `threshold` None takes the reader's own."""

    head: str = "span"
    windows: WindowOptions = field(default_factory=WindowOptions)
    decode: DecodeOptions = field(default_factory=DecodeOptions)
    threshold: float | None = None
    explain: Explain | None = None
    """Which questions are explained; None for none."""


def outcome(reading: Reading, setup: Setup) -> Outcome:
    """A head's best span, and its score_diff: null minus best, in logits or (BIO) logs of p."""
    if setup.head == "bio":
        tagged = best_span(reading, setup.decode.max_answer_length)
        if tagged is None:
            return Outcome("")
        return Outcome(tagged.text, null_log_prob(reading) - math.log(tagged.marginal))
    prediction = predict(reading, setup.decode)
    return Outcome(
        "" if prediction.best is None else prediction.best.candidate.text, prediction.score_diff
    )


def no_answer_limit(reader: Reader, setup: Setup) -> float | None:
    """The score_diff above which a question counts as unanswered; None where no answer is ever
    withheld. A reader that comes without a threshold takes 0.
    """
    if setup.head == "bio":
        return setup.threshold
    return limit_of(replace(setup.decode, null_score_diff_threshold=threshold_of(reader, setup)))


def threshold_of(reader: Reader, setup: Setup) -> float:
    """The given threshold, else the reader's own, else 0."""
    return (reader.threshold or 0.0) if setup.threshold is None else setup.threshold


def no_threshold(reader: Reader, setup: Setup, rules: str) -> str | None:
    """What is to be said where no threshold is known and the rules ask for one."""
    if rules != "2.0" or setup.threshold is not None:
        return None
    if setup.head == "bio":
        return (
            "no threshold is stored for the tags, so every question is answered; give "
            "--null-score-diff-threshold to withhold some"
        )
    if reader.threshold is not None:
        return None
    return (
        f"no threshold is stored with the reader {reader.name}, so no answer is given where it "
        f"scores higher than the best span (threshold 0); python -m qa_demo calibrate fits one"
    )


def check_setup(reader: Reader, setup: Setup) -> None:
    """Options that fit no question must not be met question by question. Errors: BadInput."""
    if setup.head == "bio" and reader.heads().W is None:
        raise BadInput(f"the reader {reader.name} has no BIO head; the bundled reader has one")
    check_decode(setup.decode)


OnWindow = Callable[[Example, int, int], None]
"""Told of a question, how many of its windows are read, and how many there are."""


def read_each(
    reader: Reader,
    examples: Sequence[Example],
    windows: WindowOptions,
    make: Callable[[Example, Reading], Made],
    threads: int = 1,
    on_window: OnWindow | None = None,
) -> Generator[Made | BadInput, None, None]:
    """make(example, reading) of every question, in order, several at once; in its place the reason
    where a question cannot be read. Each is read exactly as `read` reads it;
    none is read any more once this is closed. `on_window` is told of every window of each.
    """

    def one(example: Example) -> Made | BadInput:
        told = None if on_window is None else partial(on_window, example)
        try:
            return make(example, reader.read(example.question, example.context, windows, told))
        except BadInput as fault:
            return fault

    # A few questions ahead keep every thread busy; all at once would hold all results in memory.
    pool = ThreadPoolExecutor(threads)
    ahead = 4 * threads
    try:
        waiting = [pool.submit(one, example) for example in examples[:ahead]]
        for k in range(len(examples)):
            result = waiting.pop(0).result()
            if k + ahead < len(examples):
                waiting.append(pool.submit(one, examples[k + ahead]))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def score_reader(
    reader: Reader,
    examples: Sequence[Example],
    setup: Setup,
    on_progress: OnProgress | None = None,
    threads: int = 1,
    rules: str | None = None,
    on_window: OnWindow | None = None,
) -> tuple[dict[str, Any], list[tuple[Example, str]]]:
    """The official numbers (percent) and seconds, and those of the lists where the file has some;
    and the questions that could not be read, with the reason.

    The numbers do not depend on `threads`. A question that the options refuse (too long) counts as
    unanswered; when all are refused, the first reason is raised. The reader's own threshold was
    tuned on start and end logits, so the BIO head abstains only at a threshold that is given.
    """
    check_setup(reader, setup)
    began = time.perf_counter()
    said: dict[str, Outcome] = {}
    lists: list[dict[str, Any]] = []
    skipped: list[tuple[Example, BadInput]] = []

    def made(example: Example, reading: Reading) -> tuple[Outcome, dict[str, Any] | None]:
        row = listed(reading, example, predict(reading)) if is_list(example) else None
        return outcome(reading, setup), row

    with closing(read_each(reader, examples, setup.windows, made, threads, on_window)) as results:
        for done, (example, result) in enumerate(zip(examples, results, strict=True), 1):
            if isinstance(result, BadInput):
                skipped.append((example, result))
                result = Outcome(""), None
            said[example.id], row = result
            lists += [] if row is None else [row]
            if on_progress is not None:
                on_progress(done, len(examples))
    if len(skipped) == len(examples):
        raise skipped[0][1]
    scores = evaluate(examples, said, no_answer_limit(reader, setup), rules)
    result = evaluate_json(scores, round(time.perf_counter() - began, 2)) | lists_json(lists)
    return result, [(example, str(fault)) for example, fault in skipped]
