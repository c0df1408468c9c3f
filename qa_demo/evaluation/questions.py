"""Questions in the layouts that people keep them in, as examples.

    SQuAD         {"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question",
                  "answers": [{"text", "answer_start"}]}]}]}]}
    JSON lines    {"id", "title", "context", "question", "answers": {"text": [...],
                  "answer_start": [...]}}, or a list of answers, or of their texts; also as a list
    CSV, TSV      columns question, context, answer; id, title and answer_start where known

A question without an answer text has no answer; one without an id is called by its number. An
answer that does not stand where the file says gets the nearest place where its text does stand;
without one it has no place: scores use the texts, kinds of error and pictures the places.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, StrictInt

from qa_demo.core.base import BadInput
from qa_demo.core.types import Answer, Example
from qa_demo.evaluation.lines import why_absent
from qa_demo.files import decoded, json_lines, read_text
from qa_demo.printed import plural
from qa_demo.records import read, received

LONGEST_COLUMN = 60  # characters of a value that can name a group of questions
SHOWN = 40  # characters of what was received that a sentence quotes
NO_BLANKS = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff\uff66-\uff9f\U00020000-\U0003ffff]"
)
"""A letter of a script that puts no blanks between words."""
Placed = tuple[str, Any]  # where a row stands, and the row


class Questions:
    """The questions of a file in order, and a sentence for each thing that would bend a total.
    Errors: BadInput where two share an id, by which what is said is kept.
    """

    def __init__(self, rows: Iterable[Placed], name: str) -> None:
        self.examples, odd, seen = list[Example](), dict[str, list[str]](), dict[str, int]()
        for number, (where, row) in enumerate(rows, 1):
            example, moved = _example(where, row, str(number))
            if (first := seen.setdefault(example.id, number)) != number:
                raise BadInput(
                    f"{name}: questions {first} and {number} share the id {example.id[:SHOWN]!r}; "
                    "each needs one of its own, and a row without one is called by its number"
                )
            self.examples.append(example)
            for words in oddities(example, moved, row.get("is_impossible")):
                odd.setdefault(words, []).append(example.id)
        self.remarks = tuple(
            f"{plural(len(ids), 'question')} (first: {ids[0][:SHOWN]!r}): {words}"
            for words, ids in odd.items()
        )


def read_questions(raw: bytes, name: str) -> Questions:
    """All questions of a JSON, JSON-lines, CSV or TSV file (also gzip), in order, from its bytes.
    Errors: BadInput that names the place.
    """
    kind, text = Path(name.lower().removesuffix(".gz")).suffix, decoded(raw, name)
    return Questions(_cells(text, name, kind) if kind in PARTED else _json(text, name), name)


def from_rows(rows: Iterable[Any], name: str) -> Questions:
    """Rows, as a line of JSON holds them, as examples. Errors: BadInput that names the row."""
    return Questions(((f"{name}, row {k}", row) for k, row in enumerate(rows, 1)), name)


def read_squad(path: str | Path) -> list[Example]:
    """All questions of a SQuAD file for training: every answer stands where the file says. Errors:
    BadInput that names the file, article, paragraph and question.
    """
    found = []
    for k, (where, row) in enumerate(_json(read_text(Path(path)), Path(path).name), 1):
        example, moved = _example(where, row, str(k))
        if moved or any(a.char_start < 0 for a in example.answers):
            raise BadInput(f"{where}: answer_start does not point to the answer in the context")
        found.append(example)
    return found


# ---- layouts

PARTED: dict[str, tuple[str, Literal[0, 3]]] = {
    ".csv": ("commas", csv.QUOTE_MINIMAL),
    ".tsv": ("tabs", csv.QUOTE_NONE),
}
SIGNS = {"commas": ",", "semicolons": ";", "tabs": "\t"}
csv.field_size_limit(10_000_000)


def _cells(text: str, name: str, kind: str) -> Iterator[Placed]:
    """Rows that are not blank; quotation marks enclose a cell of CSV, and are letters in TSV."""
    apart, quoting = PARTED[kind]
    first, held = text.partition("\n")[0], io.StringIO(text, newline="")
    for other, sign in SIGNS.items():
        if sign in first and SIGNS[apart] not in first:
            raise BadInput(f"{name}: cells are parted by {other}; save it parted by {apart}")
    rows = csv.DictReader(held, delimiter=SIGNS[apart], quoting=quoting, strict=True)
    try:
        lines = (row for row in rows.reader if any(row) and row[0][:4].lower() != "sep=")  # Excel's
        rows.fieldnames = header = [column.strip() for column in next(lines, ())]
        if twice := [column for column in header if column and header.count(column) > 1]:
            raise BadInput(f"{name}: two columns are called {twice[0][:SHOWN]!r}")
        if {"answer", "answers"} <= {*header}:
            raise BadInput(f"{name} has a column 'answer' and one 'answers'; leave one out")
        if header and not {"question", "context", "answer"} <= {*header}:
            raise BadInput(
                f"{name} needs the columns question, context and answer (empty where the text has "
                f"none), {received(dict.fromkeys(header))}; python -m qa_demo answer --jsonl FILE "
                "answers without scoring"
            )
        for row in rows:
            where = f"{name}, line {rows.line_num}"
            if None in row or None in row.values():
                raise BadInput(
                    f"{where}: the row needs {len(header)} cells, as the header has; only in CSV "
                    f"and in quotation marks a cell may hold {apart} or a line end"
                )
            if not any(cell.strip() for cell in row.values()):
                continue
            answer, start = row.pop("answer"), row.pop("answer_start", "").strip() or None
            if answer.strip() and start and not re.fullmatch(r"-?\d{1,9}(\.0*)?", start):
                said = "answer_start must be a whole number (characters before the answer) or empty"
                raise BadInput(f"{where}: {said}, {received(start)}")
            row["answers"] = [{"text": answer, "answer_start": start}] if answer.strip() else []
            yield where, row
    except csv.Error as fault:
        raise BadInput(
            f"{name}: the row after line {rows.line_num}: {fault}; a cell in quotation marks ends "
            "with one, and those inside it are doubled"
        ) from fault


def _json(text: str, name: str) -> Iterator[Placed]:
    """The questions of SQuAD's layout, or of rows in a list or on lines."""
    try:
        document = json.loads(text) if text.strip() else []
    except (ValueError, RecursionError) as fault:
        if "\n{" not in text.strip():
            raise BadInput(
                f"{name} is not readable as JSON: {fault}; the name of a table ends in .csv or .tsv"
            ) from fault
        yield from ((f"{name}, line {number}", row) for number, row in json_lines(text, name))
        return
    if not isinstance(document, dict) or "data" not in document:
        unit, rows = ("row", document) if isinstance(document, list) else ("line", [document])
        yield from ((f"{name}, {unit} {number}", row) for number, row in enumerate(rows, 1))
        return
    for a, article in enumerate(_list(document, "data", name)):
        for p, paragraph in enumerate(_list(article, "paragraphs", f"{name}, article {a}")):
            where = f"{name}, article {a}, paragraph {p}"
            for k, asked in enumerate(_list(paragraph, "qas", where)):
                about = {"context": paragraph.get("context"), "title": article.get("title")}
                row = asked | about if isinstance(asked, dict) else {}
                yield f"{where}, question {row.get('id', k)}", row


def _list(holder: Any, name: str, where: str) -> list[Any]:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, list):
        got = received(holder if value is None else value)
        raise BadInput(f"{where} needs a list {name!r}, as SQuAD's layout has, {got}")
    return value


# ---- one question


def _each(raw: Any) -> Any:
    """Answers of each of the layouts as a list of objects; tables of pandas hold arrays."""

    def listed(value: Any) -> Any:
        return value.tolist() if isinstance(value, np.ndarray) else value

    if isinstance(raw, dict):
        texts, starts = listed(raw.get("text")), listed(raw.get("answer_start")) or []
        if isinstance(texts, list) and isinstance(starts, list):
            return [{"text": t, "answer_start": s} for t, s in zip_longest(texts, starts)]
    if isinstance(raw := listed(raw), list):
        return [{"text": a} if isinstance(a, str) else a for a in raw]
    raise ValueError("must be a list of answers or an object of two lists, text and answer_start")


def _key(raw: Any) -> Any:
    """A whole number as an id is read as text; numpy's too."""
    return str(raw) if isinstance(raw, int | np.integer) and not isinstance(raw, bool) else raw


class Gold(BaseModel):
    """An answer."""

    text: str
    answer_start: int | None = None


class Row(BaseModel, extra="allow"):
    """A question as a file holds it; `spans`: answers that are lists of [start, end] in characters,
    one list an annotator. What else it says can name a group.
    """

    question: str
    context: str
    answers: Annotated[list[Gold], BeforeValidator(_each)]
    id: Annotated[str | None, BeforeValidator(_key)] = None
    title: str | None = None
    is_impossible: Any = None  # the answers say it
    spans: list[list[tuple[StrictInt, StrictInt]]] = []


FOREIGN = {
    "header": "is the header of an MRQA file; leave it out",
    "paragraphs": 'is an article; around a list of such stands SQuAD\'s layout: {"data": LIST}',
    "qas": "is a paragraph with several questions ('qas'), as MRQA has them; around a list of such "
    'stands SQuAD\'s layout: {"data": [{"title": "", "paragraphs": LIST}]}',
    "detected_answers": "has MRQA's 'detected_answers'; give 'answers', with text and answer_start "
    "(the first of each char_spans)",
    "gold": "is a line that evaluate --out wrote; report and calibrate work from such",
    "answer": "has 'answer', as tables have; give 'answers', a list of texts",
    "question": "has no 'answers' to score against (an empty list says that the text has none); "
    "python -m qa_demo answer --jsonl FILE answers without scoring",
}
"""By a field of a row without 'answers': what it is, and what to do."""


def oddities(example: Example, moved: bool, impossible: object) -> Iterator[str]:
    """What would bend a total without a word, and what it does to the totals."""
    answers, context = example.answers, example.context
    if impossible is bool(answers):
        yield "is_impossible says otherwise than the answers; the answers count"
    if moved:
        yield "answer_start is wrong; the nearest place of the text is taken"
    if not all(answer.text.strip() for answer in answers):
        yield "an answer is blank; an empty list says that the text has none"
    if answers and not any(answer.text in context for answer in answers):
        why = why_absent(answers[0].text, context)
        end = f": it {why}" if why.startswith("differs") else ", so no span may be right"
        yield f"no gold answer stands in the paragraph letter by letter{end}"
    if any(NO_BLANKS.search(answer.text) and " " not in answer.text for answer in answers):
        yield "the answer's script puts no blanks between words, so its F1 is exact match"


def _example(where: str, row: Any, number: str) -> tuple[Example, bool]:
    """A question, and whether an answer's place was wrong in the file."""
    foreign = [name for name in FOREIGN if isinstance(row, dict) and name in row]
    if foreign and "answers" not in row:
        raise BadInput(f"{where} {FOREIGN[foreign[0]]}")
    given = read(Row, row, where)
    inside = all(0 <= a < b <= len(given.context) for one in given.spans for a, b in one)
    if not (inside and all(given.spans)):
        raise BadInput(f"{where}: spans: must hold [start, end] with 0 <= start < end <= length")
    placed = [_placed(gold.text, gold.answer_start, given.context) for gold in given.answers]
    columns = [
        (name, str(value))
        for name, value in (given.model_extra or {}).items()
        if isinstance(value, str | int | float) and 0 < len(str(value)) <= LONGEST_COLUMN
    ]
    example = Example(
        number if given.id in (None, "") else str(given.id),
        given.question,
        given.context,
        tuple(answer for answer, _ in placed),
        given.title or "",
        tuple(tuple(sorted(one)) for one in given.spans),
        tuple(columns),
    )
    texts = (example.id, example.question, example.context, example.title, *dict(columns).values())
    if re.search("[\ud800-\udfff]", "".join((*texts, *(a.text for a in example.answers)))):
        raise BadInput(f"{where} holds half of a surrogate pair (\\ud800 to \\udfff): no character")
    return example, any(moved for _, moved in placed)


def _placed(text: str, start: int | None, context: str) -> tuple[Answer, bool]:
    """An answer with its place, and whether the file says another."""
    if start is not None and start >= 0 and context.startswith(text, start):
        return Answer(text, start), False
    places = [found.start() for found in re.finditer(re.escape(text), context)] if text else []
    if start is None or start < 0:
        return Answer(text, places[0] if len(places) == 1 else -1), False
    return Answer(text, min(places, key=lambda at: abs(at - start), default=-1)), bool(places)
