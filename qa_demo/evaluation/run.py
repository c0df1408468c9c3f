"""Ask a reader many questions, several at once, and make a line of each."""

import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from qa_demo.core import metrics
from qa_demo.core.base import BadInput
from qa_demo.core.predict import limit_of, predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import check_decode
from qa_demo.core.types import DecodeOptions, Example, Reading, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.evaluation.lines import Row, line_of, outcome_of, refused_line, under
from qa_demo.evaluation.questions import from_rows

RULES = {"squad1": "1.1", "squad2": "2.0"}
STORED = "stored with the reader"
Made = TypeVar("Made")
OnWindow = Callable[[Example, int, int], None]
"""Told of a question, how many of its windows are read, and how many there are."""


@dataclass(frozen=True)
class Setup:
    """How questions are read and judged; `threshold` None never withholds an answer. `fit` is the
    file that threshold and calibration come from where they are not the reader's own.
    """

    rules: str
    windows: WindowOptions
    decode: DecodeOptions
    threshold: float | None
    threshold_from: str = STORED
    fit: str | None = None


def setup_of(
    reader: Reader,
    rules: str,
    windows: WindowOptions | None = None,
    decode: DecodeOptions | None = None,
    threshold: float | None = None,
    fit: str | None = None,
    given: str = "threshold",
) -> Setup:
    """What is not given is BERT's own, shortened for a reader of fewer positions, and the reader's
    own threshold, else 0; `given` names the one that was. Errors: BadInput.
    """
    decode = decode or DecodeOptions()
    check_decode(decode)
    windows = windows or fitting(WindowOptions(), reader.max_seq_length)
    said = given if threshold is not None else fit or STORED
    if threshold is None:
        said = said if reader.threshold is not None else "none is stored"
        threshold = reader.threshold or 0.0
    limit = limit_of(replace(decode, null_score_diff_threshold=threshold))
    return Setup(rules, windows, decode, limit if rules == "2.0" else None, said, fit)


def chosen_rules(
    examples: Sequence[Example], wanted: str, threshold: float | None, flag: str
) -> tuple[str, str]:
    """Which official script scores a file (of squad1, squad2, or auto), and why in words.

    Errors: BadInput for squad1 where a question has no answer, and for a threshold, given by
    `flag`, under rules by which it changes nothing.
    """
    silent = sum(not e.answers for e in examples)
    found = f"{silent:,} of {len(examples):,} questions have no answer"
    if wanted == "squad1" and silent:
        raise BadInput(
            f"the rules of squad1 know no question without an answer, and {found}; take squad2"
        )
    rules = RULES.get(wanted) or metrics.rules_of(examples)
    why = found if silent else "every question has an answer"
    if rules == "1.1" and threshold is not None:
        raise BadInput(
            f"{flag} changes nothing under the rules of SQuAD 1.1 ({why}): the best span always "
            f"counts; leave it out, or take the rules squad2"
        )
    return rules, why if wanted == "auto" else f"as asked for; {why}"


def sampled(
    examples: Sequence[Example], limit: int | None, sample: int | None, seed: int
) -> list[Example]:
    """The first `limit` questions, or `sample` drawn over all articles by a seed, in the order of
    the file.
    """
    if sample is None or sample >= len(examples):
        return list(examples[:limit])
    drawn = np.random.default_rng(seed).permutation(len(examples))[:sample]
    return [examples[k] for k in sorted(drawn.tolist())]


def read_each(
    reader: Reader,
    examples: Sequence[Example],
    windows: WindowOptions,
    make: Callable[[Example, Reading], Made],
    threads: int = 1,
    on_window: OnWindow | None = None,
) -> Generator[Made | BadInput, None, None]:
    """make(example, reading) of every question, in order, several at once; in its place the reason
    where a question cannot be read. None is read any more once this is closed.
    """

    def one(example: Example) -> Made | BadInput:
        told = None if on_window is None else partial(on_window, example)
        try:
            return make(example, reader.read(example.question, example.context, windows, told))
        except BadInput as fault:
            return fault

    # A few questions ahead keep every thread busy; all at once would hold all results in memory.
    pool, ahead = ThreadPoolExecutor(threads), 4 * threads
    try:
        waiting = [pool.submit(one, example) for example in examples[:ahead]]
        for k in range(len(examples)):
            result = waiting.pop(0).result()
            if k + ahead < len(examples):
                waiting.append(pool.submit(one, examples[k + ahead]))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def lines(
    reader: Reader,
    examples: Sequence[Example],
    setup: Setup,
    threads: int = 1,
    on_window: OnWindow | None = None,
) -> Generator[Row, None, None]:
    """A line a question, in order, as soon as it is known; a refused one says why."""
    decode = replace(setup.decode, null_score_diff_threshold=setup.threshold or 0.0)

    def line(example: Example, reading: Reading) -> Row:
        return line_of(reading, example, predict(reading, decode), decode, setup.rules)

    with closing(read_each(reader, examples, setup.windows, line, threads, on_window)) as results:
        for example, made in zip(examples, results, strict=True):
            if isinstance(made, BadInput):
                made = refused_line(example, str(made), setup.rules)
            row: Row = made
            yield row | under(row, setup.threshold, setup.rules)


def about(name: str, asked: bytes, reader: Reader, setup: Setup) -> Row:
    """What the lines depend on: all of it is the same where they can be gone on with. `name` and
    `asked` are those of the questions.
    """
    options = asdict(setup.windows) | asdict(setup.decode)
    options.pop("null_score_diff_threshold")
    return {
        "file": name,
        "sha256": hashlib.sha256(asked).hexdigest(),
        "rules": setup.rules,
        "reader": reader.name,
        "weights": reader.checksum,
        "threshold": setup.threshold,
        "threshold_from": setup.threshold_from,
        "calibration": setup.fit or STORED,
        "options": options,
    }


def scores_of(
    examples: Sequence[Example], rows: Sequence[Row], setup: Setup
) -> dict[str, float | int]:
    """The official script's scores of lines, in percent. Errors: BadInput where no question was
    read.
    """
    if rows and not any(row["windows"] for row in rows):
        raise BadInput(rows[0]["best"]["because"])
    said = {row["id"]: outcome_of(row) for row in rows}
    return metrics.evaluate(examples, said, setup.threshold, setup.rules)


@dataclass(frozen=True)
class Evaluation:
    """The official script's scores, in percent, and a line a question, as `evaluate --out`."""

    scores: dict[str, float | int]
    rows: tuple[Row, ...]
    rules: str
    remarks: tuple[str, ...] = ()
    run: Row = field(default_factory=dict)
    """Reader, settings and scores, as they stand beside a file of lines."""

    def to_pandas(self) -> Any:
        """The lines as a DataFrame, a row for each question. Errors: BadInput without pandas."""
        try:
            from pandas import DataFrame
        except ImportError as fault:
            raise BadInput("to_pandas needs the package pandas (pip install pandas)") from fault
        return DataFrame(list(self.rows))


def evaluate(
    reader: Reader,
    rows: Iterable[Mapping[str, Any]],
    on_row: Callable[[Row], None] | None = None,
    *,
    rules: str = "auto",
    windows: WindowOptions | None = None,
    decode: DecodeOptions | None = None,
    threshold: float | None = None,
) -> Evaluation:
    """Score a reader on rows of question, context and answers (`evaluation.questions`), such as a
    split of `datasets`; `on_row` is told of each line as soon as it is judged.

    `rules` is auto, squad1 or squad2; `threshold` None takes the reader's own. What would bend a
    total is a warning of Python and stands in `remarks`. Errors: BadInput, also for a threshold
    that the rules do not ask for.
    """
    asked = from_rows(rows, "rows")
    if not asked.examples:
        raise BadInput("the rows hold no question")
    version, _ = chosen_rules(asked.examples, rules, threshold, "threshold")
    setup = setup_of(reader, version, windows, decode, threshold)
    for one in asked.remarks:
        warnings.warn(one, stacklevel=2)
    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed else os.cpu_count() or 1
    found, began = [], time.perf_counter()
    with closing(lines(reader, asked.examples, setup, cores)) as made:
        for row in made:
            if on_row is not None:
                on_row(row)
            found.append(row)
    scores = scores_of(asked.examples, found, setup)
    raw = json.dumps([asdict(example) for example in asked.examples]).encode()
    run = about("rows", raw, reader, setup)
    run["scores"] = scores | {"seconds": round(time.perf_counter() - began, 2)}
    return Evaluation(scores, tuple(found), version, asked.remarks, run)
