"""Questions in the layouts that people keep them in, as examples: SQuAD's JSON, the flat rows of
Hugging Face datasets, and a table of question, context and answer.

    SQuAD             {"data": [{"title", "paragraphs": [{"context", "qas": [...]}]}]}
    flat rows         {"id", "title", "context", "question", "answers": {"text": [...],
                      "answer_start": [...]}}, one a line of JSON, or in a list
    CSV, TSV          columns question, context, answer; id, title and answer_start where known

`answers` of a flat row may also be a list: of texts, or of {"text", "answer_start"}. A question
without an answer text has no answer. Where a row does not say where its answer stands, its place is
unknown: scores use the texts, kinds of error the places. Ids are texts or numbers, each once.
"""

import json
from collections.abc import Iterable, Mapping, Sized
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.files.texts import DELIMITERS, json_lines, layout, read_text, table
from qa_demo.core.measuring.remarks import check_ids
from qa_demo.core.measuring.squad import examples_of
from qa_demo.core.types import Answer, Example

NEEDED = ("question", "context", "answer")
OWN = ("id", "title", "question", "context", "answers", "answer", "answer_start", "is_impossible")
LONGEST_COLUMN = 60
"""Characters of a value that can name a group of questions."""


class Questions(NamedTuple):
    """The questions of a file in order, and the numbers (from 1) of the rows that hold nothing."""

    examples: list[Example]
    empty_rows: tuple[int, ...] = ()


def read_questions(path: Path) -> Questions:
    """All questions of a JSON, JSON-lines, CSV or TSV file (also .gz), in order; a byte-order mark
    is skipped.

    Answers may stand elsewhere than their offsets say. Errors: BadInput that names the place.
    """
    text, kind = read_text(path), layout(path)
    if kind in DELIMITERS:
        return from_rows(_table(text, path.name, kind), path.name)
    if kind == ".jsonl":
        return from_rows((row for _, row in json_lines(text, path.name)), path.name)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as fault:
        if kind == ".json" and "\n{" in text.strip():
            return from_rows((row for _, row in json_lines(text, path.name)), path.name)
        raise BadInput(
            f"{path.name} is not readable as JSON: {fault}; questions stand in JSON, or in a file "
            f"that is named .jsonl, .csv, .tsv or .parquet"
        ) from fault
    if isinstance(document, dict) and "question" in document:
        document = [document]
    data: Any = document.get("data") if isinstance(document, dict) else document
    flat = isinstance(data, list) and data and isinstance(data[0], dict) and "question" in data[0]
    if flat or isinstance(document, list):
        return from_rows(data, path.name)
    examples = examples_of(document, path.name, check_offsets=False)
    check_ids(examples, path.name)
    return Questions(examples)


def _table(text: str, name: str, kind: str) -> Iterable[Any]:
    """Rows of a table as flat rows."""
    header, rows = table(text, name, kind)
    missing = [column for column in NEEDED if column not in header]
    if header and missing:
        raise BadInput(
            f"{name}, line 1: the column '{missing[0]}' is missing; needed are question, context "
            f"and answer, found {', '.join(header)[:80]}"
        )
    for _, row in rows:
        known: dict[str, Any] = dict(row)
        answer, start = known["answer"], known.get("answer_start", "").strip()
        with suppress(ValueError):  # pandas writes 14.0; what is no number is refused with its row
            start = float(start or "nan")
        yield known | {
            "answers": {"text": [answer], "answer_start": [start]}
            if answer.strip()
            else {"text": [], "answer_start": []}
        }


def from_rows(rows: Iterable[Any], name: str) -> Questions:
    """Flat rows as examples; a row without an id is called by its number, from 1, and a row that
    holds neither texts nor an answer is left out. Errors: BadInput that names the row.
    """
    examples, empty = [], []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Mapping) and _is_empty(row):
            empty.append(number)
        else:
            examples.append(_example(row, f"{name}, row {number}", str(number)))
    check_ids(examples, name)
    return Questions(examples, tuple(empty))


def _is_empty(row: Mapping[Any, Any]) -> bool:
    """Neither question nor paragraph nor answer, though the row has room for them."""
    texts = [row[field] for field in ("question", "context") if field in row]
    blank = bool(texts) and all(
        text is None or (isinstance(text, str) and not text.strip()) for text in texts
    )
    said = row.get("answers")
    held = said.get("text") if isinstance(said, Mapping) else said
    return blank and (held is None or (isinstance(held, Sized) and not len(held)))


def _example(row: Any, where: str, number: str) -> Example:
    if not isinstance(row, Mapping):
        raise BadInput(
            f"{where} must be an object, got {type(row).__name__}; of a DataFrame give "
            f"to_dict('records'), of datasets one split, without with_format('pandas' or 'arrow')"
        )
    row, texts = {name: _plain(value) for name, value in row.items()}, {}
    for field in ("question", "context"):
        if not isinstance(row.get(field), str):
            raise BadInput(f"{where}: '{field}' must be text, got {type(row.get(field)).__name__}")
        texts[field] = row[field]
    answers = _answers(row.get("answers"), texts["context"], where)
    return Example(
        _id(row.get("id"), number, where),
        texts["question"],
        texts["context"],
        answers,
        not answers,
        str(row.get("title") or ""),
        columns=_others(row),
    )


def _plain(value: Any) -> Any:
    """The number or text that a cell of numpy, torch or jax holds; `datasets` gives them so."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def flat_row(example: Example) -> dict[str, Any]:
    """An example as the flat row that `from_rows` makes it of."""
    return dict(example.columns) | {
        "id": example.id,
        "title": example.title,
        "question": example.question,
        "context": example.context,
        "answers": {
            "text": [a.text for a in example.answers],
            "answer_start": [a.char_start for a in example.answers],
        },
    }


def _others(row: Mapping[Any, Any]) -> tuple[tuple[str, str], ...]:
    """The row's further columns that hold a short text, a number or yes and no."""
    return tuple(
        (str(name), str(value))
        for name, value in row.items()
        if name not in OWN
        and isinstance(value, str | int | float)
        and 0 < len(str(value)) <= LONGEST_COLUMN
    )


def _id(given: Any, number: str, where: str) -> str:
    """0 is an id; a missing one and an empty cell are none."""
    if given is None or given == "":
        return number
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise BadInput(f"{where}: 'id' must be a text or a number, got {type(given).__name__}")
    return str(given)


def _answers(raw: Any, context: str, where: str) -> tuple[Answer, ...]:
    """Answers with their places; a start that is missing is looked up where the text stands only
    once.
    """
    texts, starts = _columns(raw, where)
    starts = starts or [-1] * len(texts)
    if len(texts) != len(starts):
        raise BadInput(f"{where}: {len(texts)} answer texts have {len(starts)} answer_start")
    found = []
    for text, start in zip(map(_plain, texts), map(_plain, starts), strict=True):
        if not isinstance(text, str):
            raise BadInput(f"{where}: an answer's text must be text, got {type(text).__name__}")
        at = _place(start, where)
        if at < 0 and text and context.count(text) == 1:
            at = context.index(text)
        found.append(Answer(text, at))
    return tuple(found)


def _place(start: Any, where: str) -> int:
    """Where an answer begins, -1 where its place is missing: None, or NaN in a table."""
    if start is None or start != start:
        return -1
    if not isinstance(start, int | float) or start % 1:
        raise BadInput(f"{where}: 'answer_start' must be a whole number, got {start!r:.40}")
    return int(start)


def _columns(raw: Any, where: str) -> tuple[list[Any], list[Any]]:
    """Texts and starts, of any of the three layouts of `answers`."""
    if isinstance(raw, list | tuple | np.ndarray):
        each = [a if isinstance(a, Mapping) else {"text": a} for a in raw]
        return [a.get("text") for a in each], [a.get("answer_start", -1) for a in each]
    if not isinstance(raw, Mapping):
        raise BadInput(
            f"{where}: 'answers' must be an object with text and answer_start, or a list of "
            f"answers, got {type(raw).__name__}"
        )
    columns = []
    for field in ("text", "answer_start"):
        # One answer that is not in a list: list("1998") would be four answers.
        held = _plain(raw.get(field))
        one = isinstance(held, str | int | float)
        columns.append([held] if one else [] if held is None else list(held))
    return columns[0], columns[1]
