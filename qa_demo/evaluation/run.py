"""Ask a reader many questions, several at once, and make a line of each."""

import os
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from qa_demo.core import metrics
from qa_demo.core.base import BadInput
from qa_demo.core.predict import limit_of
from qa_demo.core.reader import Reader
from qa_demo.core.spans import check_decode
from qa_demo.core.types import DecodeOptions, Example, Reading, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.evaluation.lines import Evaluation, Row, begun, line_of, outcome_of, run_file, under
from qa_demo.evaluation.questions import from_rows
from qa_demo.files import dumps, write_file

RULES = {"squad1": "1.1", "squad2": "2.0"}
STORED = "stored with the reader"
Made = TypeVar("Made")
OnWindow = Callable[[Example, int, int], None]
"""Told of a question, how many of its windows are read, and how many there are."""


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

    allowed = getattr(os, "sched_getaffinity", None)
    threads = len(allowed(0)) if allowed else os.cpu_count() or 1
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


def nothing(_: Any) -> None:
    """Told of what nobody asked for."""


def judge(
    reader: Reader,
    examples: Sequence[Example],
    rules: str,
    asked: Row,
    *,
    windows: WindowOptions | None = None,
    decode: DecodeOptions | None = None,
    threshold: float | None = None,
    out: Path | None = None,
    on_row: Callable[[Row], object] = nothing,
    on_window: OnWindow | None = None,
    tell: Callable[[str], object] = nothing,
) -> Evaluation:
    """Ask all questions, several at once, and score them. With `out` each line is written there as
    soon as it is known, and a file that was begun is gone on with; `on_row` is told of its lines
    too. `asked` says what the questions are. What is not given is BERT's own, shortened for a
    reader of fewer positions, and the reader's own threshold, else 0. Errors: BadInput, also where
    no question could be read.
    """
    decode, came = decode or DecodeOptions(), asked.get("calibration", STORED)
    check_decode(decode)
    windows = windows or fitting(WindowOptions(), reader.max_seq_length)
    came = came if reader.threshold is not None else "none is stored"
    came, limit = ("given", threshold) if threshold is not None else (came, reader.threshold)
    decode = replace(decode, null_score_diff_threshold=limit or 0.0)
    limit = limit_of(decode) if rules == "2.0" else None
    options = asdict(windows) | asdict(decode)
    del options["null_score_diff_threshold"]
    about = asked | {"rules": rules, "reader": reader.name, "weights": reader.checksum}
    about |= {"threshold": limit, "threshold_from": came, "options": options}
    rows = [] if out is None else begun(out, about, [example.id for example in examples])
    if out is not None and rows:
        tell(f"{out.name} holds {len(rows)} of {len(examples)} questions; going on")
        for row in rows:
            on_row(row)
    left, began = examples[len(rows) :], time.perf_counter()

    def line(example: Example, reading: Reading | str) -> Row:
        row = line_of(example, reading, decode, rules)
        return row | under(row, limit, rules)

    made = read_each(reader, left, windows, line, on_window)
    with closing(made), open(out or os.devnull, "a", encoding="utf-8", newline="\n") as file:
        for example, found in zip(left, made, strict=True):
            rows.append(line(example, str(found)) if isinstance(found, BadInput) else found)
            file.write(dumps(rows[-1]) + "\n")
            file.flush()  # a crash loses no whole question
            on_row(rows[-1])
    if not any(row["windows"] for row in rows):
        raise BadInput(rows[0]["best"]["because"])
    said = {row["id"]: outcome_of(row) for row in rows}
    about["scores"] = metrics.evaluate(examples, said, limit, rules)
    about["seconds"] = round(time.perf_counter() - began, 2)
    if out is not None:
        write_file(run_file(out), dumps(about) + "\n")
    return Evaluation(tuple(rows), about)


def evaluate(
    reader: Reader,
    rows: Iterable[Mapping[str, Any]],
    on_row: Callable[[Row], object] | None = None,
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
    for one in asked.remarks:
        warnings.warn(one, stacklevel=2)
    given: Any = {"windows": windows, "decode": decode, "threshold": threshold}
    given |= {"on_row": on_row or nothing}
    found = judge(reader, asked.examples, version, {"file": "rows"}, **given)
    return replace(found, remarks=asked.remarks)
