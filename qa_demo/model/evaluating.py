"""Questions judged one by one: for the command `evaluate`, and for rows that come from Python."""

import json
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from qa_demo.core.attribution import Target
from qa_demo.core.base import BadInput
from qa_demo.core.files.report_evaluate import (
    beside_scores,
    outcome_of,
    question_json,
    refused_json,
)
from qa_demo.core.measuring import metrics
from qa_demo.core.measuring.attributed import ALL, Explain, attributed_json, explain_by
from qa_demo.core.measuring.failures import judge, unread
from qa_demo.core.measuring.listed import HeadLists, summary
from qa_demo.core.measuring.perturb import Survival, survival
from qa_demo.core.measuring.questions import Questions, flat_row, from_rows
from qa_demo.core.measuring.remarks import remarks
from qa_demo.core.predict import Prediction, predict
from qa_demo.core.types import DecodeOptions, Example, Reading, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.model.reader import BertReader
from qa_demo.model.run_settings import about
from qa_demo.model.scoring import (
    OnWindow,
    Setup,
    check_setup,
    no_answer_limit,
    no_threshold,
    read_each,
    threshold_of,
)
from qa_demo.model.work import usable_cores

Row = dict[str, Any]


@dataclass(frozen=True)
class Evaluation:
    """The official script's scores, in percent, and a record a question, as `evaluate --out`."""

    scores: dict[str, float | int]
    rows: tuple[Row, ...]
    rules: str
    remarks: tuple[str, ...] = ()
    run: Row = field(default_factory=dict)
    """Reader, settings and scores, as they stand beside a file of lines."""

    @property
    def survives(self) -> tuple[Survival, ...]:
        """How often a right answer survives each rule of `perturb`; empty without changed twins."""
        return survival(self.rows)

    @property
    def lists(self) -> dict[str, HeadLists]:
        """The scores of answers that are lists, for each head; empty for a file without one."""
        return summary([row["list"] for row in self.rows if row.get("list")])

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
        prediction = predict(reading, decode)
        judged = judge(reading, example, prediction, decode, rules)
        made = question_json(reading, example, prediction, judged, rules)
        return made | _explained(reader, reading, prediction, judged.kind, setup.explain)

    with closing(read_each(reader, examples, setup.windows, row, threads, on_window)) as results:
        for example, made in zip(examples, results, strict=True):
            refused = isinstance(made, BadInput)
            yield refused_json(example, unread(example, rules), str(made)) if refused else made


def _explained(
    reader: BertReader, reading: Reading, prediction: Prediction, kind: str, explain: Explain | None
) -> Row:
    """What the best span's score rested on, where that is wanted."""
    best = prediction.best
    if explain is None or best is None or kind not in explain.kinds:
        return {}
    target = Target("span_score", best.candidate.span, window=best.candidate.window)
    found = reader.attribute(reading, target, explain.method)
    return {"attribution": attributed_json(reading, found)}


def evaluate(
    reader: BertReader,
    rows: Iterable[Mapping[str, Any]],
    on_row: Callable[[Row], None] | None = None,
    *,
    rules: str = "auto",
    windows: WindowOptions | None = None,
    decode: DecodeOptions | None = None,
    threshold: float | None = None,
    attribute: str | None = None,
    kinds: str = ALL,
) -> Evaluation:
    """Score a reader on rows of question, context and answers (core.measuring.questions), such as a
    split of `datasets`; `on_row` is told of each question as soon as it is judged.

    `rules` is auto, squad1 or squad2; `threshold` None takes the reader's own; `attribute` names a
    method that explains the best spans of the questions of `kinds` (`explain_by`). What would bend
    a total is a warning of Python and stands in `remarks`. Errors: BadInput, also for a threshold
    that the rules do not ask for.
    """
    asked = from_rows(rows, "rows")
    examples = asked.examples
    if not examples:
        raise BadInput("the rows hold no question")
    version, why = metrics.chosen_rules(examples, rules)
    metrics.check_threshold(threshold, version, why, "threshold", "rules='squad2'")
    fit = fitting(WindowOptions(), reader.max_seq_length) if windows is None else windows
    setup = Setup(
        windows=fit,
        decode=decode or DecodeOptions(),
        threshold=threshold,
        explain=None if attribute is None else explain_by(attribute, kinds),
    )
    check_setup(reader, setup)
    said = _said_first(asked, reader, setup, version)
    return replace(_scored(reader, examples, setup, version, on_row), remarks=said)


def _scored(
    reader: BertReader,
    examples: Sequence[Example],
    setup: Setup,
    rules: str,
    on_row: Callable[[Row], None] | None,
) -> Evaluation:
    found = []
    with closing(judged_rows(reader, examples, setup, rules, usable_cores())) as judged:
        for row in judged:
            if on_row is not None:
                on_row(row)
            found.append(row)
    said = {row["id"]: outcome_of(row) for row in found}
    scores = metrics.evaluate(examples, said, no_answer_limit(reader, setup), rules)
    raw = json.dumps([flat_row(example) for example in examples]).encode()
    run = about(("rows", raw), reader, setup, rules, given="threshold")
    run["scores"] = scores | beside_scores(found)
    return Evaluation(scores, tuple(found), rules, run=run)


def _said_first(asked: Questions, reader: BertReader, setup: Setup, rules: str) -> tuple[str, ...]:
    """What would bend a total, each as a warning."""
    said = remarks(asked.examples, asked.empty_rows)
    unknown = no_threshold(reader, setup, rules)
    said += () if unknown is None else (unknown,)
    for one in said:
        warnings.warn(one, stacklevel=3)
    return said
