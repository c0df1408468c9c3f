"""Read SQuAD 1.1 and 2.0 files (JSON, or JSON in .gz) into examples."""

import json
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.files.texts import read_text
from qa_demo.core.types import Answer, Example


def _field(holder: Any, name: str, kind: type, where: str) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        raise BadInput(f"{where}: '{name}' must be a {kind.__name__}, got {type(value).__name__}")
    return value


def _answer(raw: Any, context: str, where: str, check_offset: bool) -> Answer:
    text = _field(raw, "text", str, where)
    if not check_offset:
        start = raw.get("answer_start")
        return Answer(text, start if isinstance(start, int) else -1)
    start = _field(raw, "answer_start", int, where)
    if context[start : start + len(text)] != text or start < 0:
        raise BadInput(
            f"{where}: answer_start {start} does not point to the answer {text[:40]!r} in the "
            f"context"
        )
    return Answer(text, start)


def _spans(raw: Any, context: str, where: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Lists of [start, end] in characters, one list for each annotator, in text order."""
    lists = []
    for k, ranges in enumerate(raw):
        here = f"{where}, 'spans' of annotator {k}"
        if not isinstance(ranges, list) or not ranges:
            raise BadInput(f"{here} must be a list of [start, end], got {str(ranges)[:40]}")
        for pair in ranges:
            whole = isinstance(pair, list) and len(pair) == 2 and all(type(x) is int for x in pair)
            if not whole or not 0 <= pair[0] < pair[1] <= len(context):
                raise BadInput(
                    f"{here} must hold [start, end] with 0 <= start < end <= {len(context)}, "
                    f"got {str(pair)[:40]}"
                )
        lists.append(tuple(sorted((start, end) for start, end in ranges)))
    return tuple(lists)


def read_squad(path: str | Path) -> list[Example]:
    """All questions of a SQuAD file, in order; a byte-order mark is skipped.

    A fault raises BadInput that names the file, article, paragraph and question id.
    """
    path = Path(path)
    try:
        document = json.loads(read_text(path))
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"{path.name} is not a readable SQuAD file: {fault}") from fault
    return examples_of(document, path.name)


def examples_of(document: Any, name: str, check_offsets: bool = True) -> list[Example]:
    """The questions of a SQuAD document that is already read; see `read_squad`. Without
    `check_offsets` answers may stand elsewhere than their answer_start says, as scoring uses their
    texts only; the places of a list are checked all the same.
    """
    examples: list[Example] = []
    for a, article in enumerate(_field(document, "data", list, name)):
        for p, paragraph in enumerate(_field(article, "paragraphs", list, f"{name}, article {a}")):
            where = f"{name}, article {a}, paragraph {p}"
            context = _field(paragraph, "context", str, where)
            title = str(article.get("title", ""))
            examples += [
                _example(q, context, title, where, check_offsets)
                for q in _field(paragraph, "qas", list, where)
            ]
    return examples


def _example(q: Any, context: str, title: str, where: str, check_offsets: bool) -> Example:
    here = f"{where}, question {_field(q, 'id', str, where)}"
    question = _field(q, "question", str, here)
    answers = _field(q, "answers", list, here)
    gold = tuple(_answer(x, context, here, check_offsets) for x in answers)
    spans = _spans(_field(q, "spans", list, here), context, here) if "spans" in q else ()
    impossible = bool(q.get("is_impossible", not answers))
    return Example(q["id"], question, context, gold, impossible, title, spans)
