"""Ask a reader many questions, several at once, and make a line of each."""

import os
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qa_demo.core.base import BadInput, usable_cores
from qa_demo.core.predict import limit_of
from qa_demo.core.spans import check_decode
from qa_demo.core.types import DecodeOptions, Example, Reading, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.evaluation.lines import Evaluation, Row, begun, line_of, run_file, under
from qa_demo.evaluation.questions import from_rows
from qa_demo.evaluation.table import Table
from qa_demo.files import dumps, write_file

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

Made = TypeVar("Made")


def rules_for(examples: Sequence[Example], threshold: float | None) -> tuple[str, str]:
    """Which official script scores a file, "1.1" or "2.0", and why in words. Errors: BadInput for a
    threshold where every question has an answer, which would change nothing.
    """
    if silent := sum(not e.answers for e in examples):
        return "2.0", f"{silent:,} of {len(examples):,} questions have no answer"
    if threshold is not None:
        raise BadInput(
            f"every question has an answer, so the rules are those of SQuAD 1.1, by which the best "
            f"span always counts and a threshold, got {threshold:g}, changes nothing; leave it out"
        )
    return "1.1", "every question has an answer"


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
    reader: "BertReader",
    examples: Sequence[Example],
    windows: WindowOptions,
    make: Callable[[Example, Reading | str], Made],
) -> Generator[Made, None, None]:
    """make(example, reading) of every question, in order, several at once; in place of the reading
    the reason where it cannot be read. None is read any more once this is closed.
    """

    def one(example: Example) -> Made:
        try:
            reading: Reading | str = reader.read(example.question, example.context, windows)
        except BadInput as fault:
            reading = str(fault)
        return make(example, reading)

    threads = usable_cores()
    ahead = 64 * threads  # all at once would hold all results in memory
    with ThreadPoolExecutor(threads) as pool:
        for k in range(0, len(examples), ahead):
            yield from pool.map(one, examples[k : k + ahead])


def judge(
    reader: "BertReader",
    examples: Sequence[Example],
    rules: str,
    asked: Row,
    windows: WindowOptions,
    decode: DecodeOptions,
    on_row: Callable[[Row], object],
    out: Path | None = None,
) -> Evaluation:
    """Ask all questions, several at once, and score them. With `out` each line is written there as
    soon as it is known, and a file that was begun is gone on with; `on_row` is told of its lines
    too. `asked` says what the questions are. Errors: BadInput, also where no question could be
    read.
    """
    check_decode(decode)
    windows = fitting(windows, reader.max_seq_length)
    limit = limit_of(decode) if rules == "2.0" else None
    options = asdict(windows) | asdict(decode)
    del options["null_score_diff_threshold"]
    about = asked | {"rules": rules, "reader": reader.name, "weights": reader.checksum}
    about |= {"threshold": limit, "options": options}
    rows = [] if out is None else begun(out, about, [example.id for example in examples])
    for row in rows:
        on_row(row)
    left, began = examples[len(rows) :], time.perf_counter()

    def line(example: Example, reading: Reading | str) -> Row:
        row = line_of(example, reading, decode, rules)
        return row | under(row, limit)

    made = read_each(reader, left, windows, line)
    with closing(made), open(out or os.devnull, "a", encoding="utf-8", newline="\n") as file:
        for row in made:
            rows.append(row)
            file.write(dumps(row) + "\n")
            file.flush()  # a crash loses no whole question
            on_row(row)
    if not any(row["windows"] for row in rows):
        raise BadInput(f"no question could be read; the first: {rows[0]['best']['because']}")
    about["scores"] = Table(rows).official(limit, rules)
    seconds = round(time.perf_counter() - began, 2)
    about["seconds"] = None if len(left) < len(examples) else seconds  # what it took before is lost
    if out is not None:
        write_file(run_file(out), dumps(about) + "\n")
    return Evaluation(tuple(rows), about)


def evaluate(
    reader: "BertReader",
    rows: Iterable[Mapping[str, Any]],
    on_row: Callable[[Row], object] | None = None,
    *,
    windows: WindowOptions | None = None,
    decode: DecodeOptions | None = None,
    threshold: float | None = None,
) -> Evaluation:
    """Score a reader on rows of question, context and answers (`evaluation.questions`), such as a
    split of `datasets`; `on_row` is told of each line as soon as it is judged.

    `windows` None are BERT's, shortened for a reader of fewer positions; `threshold` None takes the
    reader's own; one within `decode` is none. What would bend a total is a warning of Python.
    Errors: BadInput, also for a threshold that would change nothing.
    """
    own = decode or DecodeOptions()
    if own.null_score_diff_threshold not in (0.0, threshold):
        raise BadInput(f"give threshold={own.null_score_diff_threshold} itself, not within decode")
    if own.rule != "logits" and threshold is not None:
        raise BadInput(f"no threshold decides under the rule {own.rule}, got {threshold}")
    if hasattr(rows, "keys"):  # a table of pandas, the splits of a dataset
        said = f"rows are a list of objects, got {type(rows).__name__}"
        raise BadInput(f"{said}; a table's are table.to_dict('records'), of splits give one")
    asked = from_rows(rows, "rows")
    if not asked.examples:
        raise BadInput("the rows hold no question")
    rules, _ = rules_for(asked.examples, threshold)
    for one in asked.remarks:
        warnings.warn(one, stacklevel=2)
    limit = reader.threshold if threshold is None else threshold
    own = replace(own, null_score_diff_threshold=limit or 0.0)
    told, about = on_row or (lambda _: None), {"file": "rows"}
    return judge(reader, asked.examples, rules, about, windows or WindowOptions(), own, told)
