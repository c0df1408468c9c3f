"""Run a reader over the questions of a SQuAD file and score what it says."""

import math
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from qa_demo.core import scales
from qa_demo.core.bio import best_span, null_log_prob
from qa_demo.core.errors import BadInput
from qa_demo.core.metrics import Outcome, evaluate
from qa_demo.core.predict import predict
from qa_demo.core.progress import OnProgress
from qa_demo.core.reader import Reader
from qa_demo.core.report import evaluate_json
from qa_demo.core.scales import check_merge
from qa_demo.core.spans import check_decode
from qa_demo.core.types import DecodeOptions, Example, MergeOptions, Reading, WindowOptions


@dataclass(frozen=True)
class Setup:
    """How questions are read and decoded; `threshold` None takes the reader's own."""

    head: str = "span"
    windows: WindowOptions = field(default_factory=WindowOptions)
    decode: DecodeOptions = field(default_factory=DecodeOptions)
    merge: MergeOptions = field(default_factory=MergeOptions)
    threshold: float | None = None


def outcome(reading: Reading, setup: Setup) -> Outcome:
    """The best non-null span of a head, and its score_diff: null minus best, in logits or (BIO)
    log-probabilities.
    """
    if setup.head == "bio":
        tagged = best_span(reading, setup.decode.max_answer_length)
        return (
            Outcome("")
            if tagged is None
            else Outcome(tagged.text, null_log_prob(reading) - math.log(tagged.marginal))
        )
    prediction = predict(reading, setup.decode, setup.merge)
    return Outcome(
        "" if prediction.best is None else prediction.best.candidate.text, prediction.score_diff
    )


def no_answer_limit(reader: Reader, setup: Setup) -> float | None:
    """The score_diff above which a question counts as unanswered; None where no answer is ever
    withheld.
    """
    if setup.head == "bio":
        return setup.threshold
    return scales.no_answer_limit(
        setup.merge, reader.threshold if setup.threshold is None else setup.threshold
    )


def score_reader(
    reader: Reader,
    examples: Sequence[Example],
    setup: Setup,
    on_progress: OnProgress | None = None,
    threads: int = 1,
) -> tuple[dict[str, Any], list[tuple[Example, str]]]:
    """The official numbers (percent) and seconds; and the questions that could not be read, with
    the reason.

    Each question is read exactly as `read` reads it, several at once, so the numbers do not depend
    on `threads`. A question that the options refuse (too long) counts as unanswered; when all are
    refused, the first reason is raised. The reader's own threshold was tuned on start and end
    logits, so the BIO head abstains only at a threshold that is given.
    """
    if setup.head == "bio" and not reader.has_bio:
        raise BadInput(f"the reader {reader.name} has no BIO head; the bundled reader has one")
    # A question that cannot be read counts as unanswered; options that fit no question must not be
    # met question by question.
    check_decode(setup.decode)
    check_merge(setup.merge)
    began = time.perf_counter()
    said: dict[str, Outcome] = {}
    skipped: list[tuple[Example, BadInput]] = []
    with closing(_outcomes(reader, examples, setup, threads)) as outcomes:
        for done, (example, result) in enumerate(outcomes, 1):
            if isinstance(result, BadInput):
                skipped.append((example, result))
                result = Outcome("")
            said[example.id] = result
            if on_progress is not None:
                on_progress(done, len(examples))
    if len(skipped) == len(examples):
        raise skipped[0][1]
    scores = evaluate(examples, said, no_answer_limit(reader, setup))
    return evaluate_json(scores, round(time.perf_counter() - began, 2)), [
        (example, str(fault)) for example, fault in skipped
    ]


def _outcomes(
    reader: Reader, examples: Sequence[Example], setup: Setup, threads: int
) -> Generator[tuple[Example, Outcome | BadInput], None, None]:
    """Each question's outcome, or why it cannot be read, in order; several are read at once, and
    none any more once this is closed.
    """

    def read(example: Example) -> Outcome | BadInput:
        try:
            return outcome(reader.read(example.question, example.context, setup.windows), setup)
        except BadInput as fault:
            return fault

    pool = ThreadPoolExecutor(threads)
    try:
        yield from zip(examples, pool.map(read, examples), strict=True)
    finally:
        pool.shutdown(cancel_futures=True)
