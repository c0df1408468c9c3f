"""Questions judged one by one: for the command `evaluate`, and for rows that come from Python."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.files.report_evaluate import outcome_of, question_json, refused_json
from qa_demo.core.learning.golds import Example
from qa_demo.core.measuring import metrics
from qa_demo.core.measuring.failures import judge, unread
from qa_demo.core.measuring.questions import from_rows
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.windows import fitting
from qa_demo.core.types import Reading
from qa_demo.model.reader import BertReader
from qa_demo.model.scoring import (
    OnWindow,
    Setup,
    check_setup,
    no_answer_limit,
    read_each,
    threshold_of,
)
from qa_demo.model.workers import usable_cores

Row = dict[str, Any]


@dataclass(frozen=True)
class Evaluation:
    """The official script's scores, in percent, and a record a question, as `evaluate --out`."""

    scores: dict[str, float | int]
    rows: tuple[Row, ...]
    rules: str

    def to_pandas(self) -> Any:
        """The records as a DataFrame, a row for each question. Errors: BadInput without pandas."""
        try:
            from pandas import DataFrame
        except ImportError as fault:
            raise BadInput("to_pandas needs the package pandas (pip install pandas)") from fault
        return DataFrame(list(self.rows))


def judged_rows(
    reader: BertReader,
    examples: Sequence[Example],
    setup: Setup,
    rules: str,
    threads: int = 1,
    on_window: OnWindow | None = None,
) -> Generator[Row, None, None]:
    """A record a question, in order, as soon as known; a refused one says why."""
    decode = replace(setup.decode, null_score_diff_threshold=threshold_of(reader, setup))

    def row(example: Example, reading: Reading) -> Row:
        prediction = predict(reading, decode, setup.merge)
        judged = judge(reading, example, prediction, decode, setup.merge, rules)
        return question_json(reading, example, prediction, judged, rules)

    with closing(read_each(reader, examples, setup.windows, row, threads, on_window)) as results:
        for example, made in zip(examples, results, strict=True):
            refused = isinstance(made, BadInput)
            yield refused_json(example, unread(example, rules), str(made)) if refused else made


def evaluate(
    reader: BertReader,
    rows: Iterable[Mapping[str, Any]],
    on_row: Callable[[Row], None] | None = None,
    *,
    rules: str = "auto",
    windows: WindowOptions | None = None,
    decode: DecodeOptions | None = None,
    merge: MergeOptions | None = None,
    threshold: float | None = None,
) -> Evaluation:
    """Score a reader on rows of question, context and answers (core.measuring.questions), such as a
    split of `datasets`; `on_row` is told of each question as soon as it is judged.

    `rules` is auto, squad1 or squad2; `threshold` None takes the reader's own. Errors: BadInput.
    """
    examples = from_rows(rows, "rows").examples
    if not examples:
        raise BadInput("the rows hold no question")
    version, _ = metrics.chosen_rules(examples, rules)
    fit = fitting(WindowOptions(), reader.max_seq_length) if windows is None else windows
    setup = Setup(
        windows=fit,
        decode=decode or DecodeOptions(),
        merge=merge or MergeOptions(),
        threshold=threshold,
    )
    check_setup(reader, setup)
    found: list[Row] = []
    with closing(judged_rows(reader, examples, setup, version, usable_cores())) as judged:
        for row in judged:
            found.append(row)
            if on_row is not None:
                on_row(row)
    said = {row["id"]: outcome_of(row) for row in found}
    scores = metrics.evaluate(examples, said, no_answer_limit(reader, setup), version)
    return Evaluation(scores, tuple(found), version)
