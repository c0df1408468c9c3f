"""Questions in the layouts that people keep them in, as examples: SQuAD's JSON, the flat rows of
Hugging Face datasets, and a table of question, context and answer.

    SQuAD             {"data": [{"title", "paragraphs": [{"context", "qas": [...]}]}]}
    flat rows         {"id", "title", "context", "question", "answers": {"text": [...],
                      "answer_start": [...]}}, one a line of JSON, or in a list
    CSV               columns question, context, answer; id, title and answer_start where known

A question without an answer text has no answer. Where a row does not say where its answer stands,
its place is unknown: scores use the texts, kinds of error the places.
"""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Answer, Example
from qa_demo.core.measuring.squad import examples_of

SUFFIXES = (".json", ".jsonl", ".csv", ".parquet")
LARGEST_CELL = 10_000_000


def read_bytes(path: Path) -> bytes:
    """A file's bytes, unpacked where its name ends in .gz. Errors: BadInput."""
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error, ValueError) as fault:
        raise BadInput(
            f"{path.name} cannot be read: {getattr(fault, 'strerror', None) or fault}"
        ) from fault


def read_questions(path: Path) -> list[Example]:
    """All questions of a JSON, JSON-lines or CSV file (also .gz), in order; a byte-order mark is
    skipped.

    Answers may stand elsewhere than their offsets say. Errors: BadInput that names the place.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BadInput(f"{path.name} is not UTF-8: byte {fault.start} cannot be decoded") from fault
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    if kind == ".csv":
        return from_rows(_csv_rows(text, path.name), path.name)
    if kind == ".jsonl":
        return from_rows(_lines(text, path.name), path.name)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as fault:
        if kind == ".json" and "\n{" in text.strip():
            return from_rows(_lines(text, path.name), path.name)
        raise BadInput(f"{path.name} is not a readable SQuAD file: {fault}") from fault
    data = document.get("data") if isinstance(document, dict) else document
    if isinstance(data, list) and data and isinstance(data[0], dict) and "question" in data[0]:
        return from_rows(data, path.name)
    return examples_of(document, path.name, check_offsets=False)


def _lines(text: str, name: str) -> Iterable[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as fault:
                raise BadInput(f"{name}, line {number} is not JSON: {fault}") from fault


def _csv_rows(text: str, name: str) -> Iterable[Any]:
    limit = csv.field_size_limit(LARGEST_CELL)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as fault:
        raise BadInput(f"{name} is not a readable CSV file: {fault}") from fault
    finally:
        csv.field_size_limit(limit)
    for number, row in enumerate(rows, 2):
        known = {key: value for key, value in row.items() if key is not None and value is not None}
        for column in ("question", "context", "answer"):
            if column not in known:
                raise BadInput(
                    f"{name}, line {number}: the column '{column}' is missing; needed are "
                    f"question, context and answer, found {', '.join(map(str, row))[:80]}"
                )
        answer, start = known["answer"], known.get("answer_start", "")
        places = [int(start)] if start.strip().isdecimal() else [-1]
        yield known | {
            "answers": {"text": [answer], "answer_start": places}
            if answer.strip()
            else {"text": [], "answer_start": []}
        }


def from_rows(rows: Iterable[Any], name: str) -> list[Example]:
    """Flat rows as examples; a row without an id is called by its number, from 1."""
    return [_example(row, f"{name}, row {k}", str(k)) for k, row in enumerate(rows, 1)]


def _example(row: Any, where: str, number: str) -> Example:
    if not isinstance(row, Mapping):
        raise BadInput(f"{where} must be an object, got {type(row).__name__}")
    texts = {}
    for field in ("question", "context"):
        if not isinstance(row.get(field), str):
            raise BadInput(f"{where}: '{field}' must be text, got {type(row.get(field)).__name__}")
        texts[field] = row[field]
    answers = _answers(row.get("answers"), texts["context"], where)
    return Example(
        str(row.get("id") or number),
        texts["question"],
        texts["context"],
        answers,
        not answers,
        str(row.get("title") or ""),
    )


def _answers(raw: Any, context: str, where: str) -> tuple[Answer, ...]:
    """{"text": [...], "answer_start": [...]}; a start that is missing is looked up where the text
    stands only once.
    """
    if not isinstance(raw, Mapping):
        raise BadInput(
            f"{where}: 'answers' must be an object with text and answer_start, got "
            f"{type(raw).__name__}"
        )
    texts, starts = (list(raw.get(field) or ()) for field in ("text", "answer_start"))
    starts = starts or [-1] * len(texts)
    if len(texts) != len(starts):
        raise BadInput(f"{where}: {len(texts)} answer texts have {len(starts)} answer_start")
    found = []
    for text, start in zip(texts, starts, strict=True):
        if not isinstance(text, str):
            raise BadInput(f"{where}: an answer's text must be text, got {type(text).__name__}")
        at = int(start) if isinstance(start, int) else -1
        if at < 0 and text and context.count(text) == 1:
            at = context.index(text)
        found.append(Answer(text, at))
    return tuple(found)
