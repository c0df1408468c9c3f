"""Questions in the layouts that people keep them in, as examples.

    SQuAD             {"data": [{"title", "paragraphs": [{"context", "qas": [...]}]}]}
    flat rows         {"id", "title", "context", "question", "answers": {"text": [...],
                      "answer_start": [...]}}, one a line of JSON, or in a list
    CSV, TSV          columns question, context, answer; id, title and answer_start where known

`answers` may also be a list: of texts, or of {"text", "answer_start"}. A question without an answer
text has no answer. Ids are texts or numbers, each once. An answer that does not stand where the
file says gets the nearest place where its text does stand; without one it has no place: scores use
the texts, kinds of error and pictures the places.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StrictInt, TypeAdapter, ValidationError

from qa_demo.core.base import BadInput
from qa_demo.core.types import Answer, Example
from qa_demo.files import DELIMITERS, json_lines, layout, read_text, table
from qa_demo.printed import plural

NEEDED = ("question", "context", "answer")
OWN = ("id", "title", "question", "context", "answers", "answer", "answer_start", "is_impossible")
LONGEST_COLUMN = 60
"""Characters of a value that can name a group of questions."""
SHOWN = 40
"""Characters of an id or an answer that a sentence quotes."""
ANSWERS_ALONE = "python -m qa_demo answer --jsonl FILE answers without scoring"
Placed = tuple[str, str, Any]
"""Where a row stands, what it is called without an id, and the row."""


class Questions(NamedTuple):
    """The questions of a file in order, and a sentence for each thing that would bend a total."""

    examples: list[Example]
    remarks: tuple[str, ...] = ()


def read_questions(path: Path) -> Questions:
    """All questions of a JSON, JSON-lines, CSV or TSV file (also gzip), in order. Errors: BadInput
    that names the place.
    """
    kind, name = layout(path), path.name
    if kind == ".parquet":
        raise BadInput(f"{name} is Parquet; save it as JSON lines (datasets: data.to_json)")
    text = read_text(path)
    if kind in DELIMITERS:
        return _gathered(_numbered(_cells(*table(text, name, kind), name), name), name)
    if kind == ".jsonl":
        return _gathered(_numbered((row for _, row in json_lines(text, name)), name), name)
    return _gathered(_document(text, name), name)


def from_rows(rows: Iterable[Any], name: str) -> Questions:
    """Flat rows as examples; a row without an id is called by its number, from 1, and a row that
    holds neither texts nor an answer is left out. Errors: BadInput that names the row.
    """
    return _gathered(_numbered(map(_plain, rows), name), name)


def read_squad(path: str | Path) -> list[Example]:
    """All questions of a SQuAD file for training: every answer stands where the file says. Errors:
    BadInput that names the file, article, paragraph and question.
    """
    path, found = Path(path), []
    for where, number, row in _document(read_text(path), path.name):
        example, moved = _example(row, where, number)
        if moved or any(a.char_start < 0 for a in example.answers):
            raise BadInput(f"{where}: answer_start does not point to the answer in the context")
        found.append(replace(example, spans=_spans(row, where)))
    _check_ids(found, path.name)
    return found


# ---- layouts


def _document(text: str, name: str) -> Iterator[Placed]:
    """The questions of JSON: SQuAD's layout, rows in a list, one row, or rows on lines."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as fault:
        if "\n{" in text.strip():
            yield from _numbered((row for _, row in json_lines(text, name)), name)
            return
        raise BadInput(
            f"{name} is not readable as JSON: {fault}; questions stand in JSON, or in a file that "
            f"is named .jsonl, .csv or .tsv"
        ) from fault
    data = document
    if isinstance(document, dict):
        data = [document] if "question" in document else document.get("data")
    if not isinstance(data, list):
        raise BadInput(f"{name}: 'data' must be a list, got {type(data).__name__}")
    first = data[0] if data and isinstance(data[0], dict) else {}
    if "question" in first or ("paragraphs" not in first and isinstance(document, list)):
        yield from _numbered(data, name)
        return
    for a, article in enumerate(data):
        for p, paragraph in enumerate(_field(article, "paragraphs", list, f"{name}, article {a}")):
            where = f"{name}, article {a}, paragraph {p}"
            about = {"context": _field(paragraph, "context", str, where)}
            about["title"] = article.get("title", "")
            for k, q in enumerate(_field(paragraph, "qas", list, where)):
                row = q | about if isinstance(q, dict) else q
                called = q.get("id", k) if isinstance(q, dict) else k
                yield f"{where}, question {called}", f"{a}-{p}-{k}", row


def _field(holder: Any, name: str, kind: type, where: str) -> Any:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        raise BadInput(f"{where}: '{name}' must be a {kind.__name__}, got {type(value).__name__}")
    return value


def _cells(
    header: list[str], rows: list[tuple[int, dict[str, str]]], name: str
) -> Iterator[dict[str, Any]]:
    """Rows of a table as flat rows."""
    missing = [column for column in NEEDED if column not in header]
    if header and missing == ["answer"]:
        raise BadInput(f"{name} has no column 'answer' to score against; {ANSWERS_ALONE}")
    if header and missing:
        raise BadInput(
            f"{name}: the column '{missing[0]}' is missing; needed are question, context and "
            f"answer, found {', '.join(header)[:80]}"
        )
    for _, row in rows:
        start: Any = row.get("answer_start", "").strip() or None
        with suppress(ValueError, TypeError):  # pandas writes 14.0; what is none is refused below
            start = float(start)
        answers = [{"text": row["answer"], "answer_start": start}]
        yield row | {"answers": answers if row["answer"].strip() else []}


def _numbered(rows: Iterable[Any], name: str) -> Iterator[Placed]:
    for number, row in enumerate(rows, 1):
        yield f"{name}, row {number}", str(number), row


def _plain(value: Any) -> Any:
    """The same without cells of numpy, torch or jax; `datasets` gives them so."""
    if isinstance(value, Mapping):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    return value.tolist() if hasattr(value, "tolist") else value


# ---- one question


def _gathered(rows: Iterable[Placed], name: str) -> Questions:
    examples: list[Example] = []
    odd: dict[str, list[str]] = {}
    empty: list[str] = []
    for where, number, row in rows:
        if isinstance(row, Mapping) and _is_empty(row):
            empty.append(number)
            continue
        example, moved = _example(row, where, number)
        examples.append(example)
        for words in (*_oddities(example), *[MOVED] * moved):
            odd.setdefault(words, []).append(example.id)
    _check_ids(examples, name)
    said = [
        f"{plural(len(ids), 'question')} (first: {ids[0][:SHOWN]!r}): {words}"
        for words, ids in odd.items()
    ]
    if empty:
        them = plural(len(empty), "row is", "rows are")
        said.append(f"{them} empty and left out (first: row {empty[0]})")
    return Questions(examples, tuple(said))


def _is_empty(row: Mapping[Any, Any]) -> bool:
    """Neither question nor paragraph nor answer, though the row has room for them."""
    texts = [row[field] for field in ("question", "context") if field in row]
    said = row.get("answers")
    held = said.get("text") if isinstance(said, Mapping) else said
    return bool(texts) and not held and not any(str(text or "").strip() for text in texts)


def _check_ids(examples: Iterable[Example], name: str) -> None:
    """Outcomes are kept by ids: of two questions that share one, the later would count twice."""
    seen: dict[str, int] = {}
    for number, example in enumerate(examples, 1):
        if seen.setdefault(example.id, number) != number:
            raise BadInput(
                f"{name}: questions {seen[example.id]} and {number} share the id "
                f"{example.id[:SHOWN]!r}; each needs one of its own, and a row without one is "
                f"called by its number"
            )


def _foreign(row: Mapping[Any, Any]) -> str:
    """The layouts of others, each named for what it is, with what to do."""
    if "header" in row and "question" not in row:
        return "is the header of an MRQA file; leave it out"
    if "qas" in row:
        return (
            "is a paragraph with several questions ('qas'), of MRQA or a bare list of paragraphs; "
            'SQuAD\'s layout stands around a list: {"data": [{"title": "", "paragraphs": LIST}]}'
        )
    if "answers" not in row and "detected_answers" in row:
        return (
            "has MRQA's 'detected_answers'; give 'answers', with text and answer_start (the first "
            "of each char_spans)"
        )
    if "answers" not in row and "question" in row:
        said = "has no 'answers' to score against (an empty list says that the text has none)"
        return f"{said}; {ANSWERS_ALONE}"
    return ""


def _example(row: Any, where: str, number: str) -> tuple[Example, bool]:
    """A question, and whether an answer's place was wrong in the file."""
    if not isinstance(row, Mapping):
        raise BadInput(
            f"{where} must be an object, got {type(row).__name__}; of a DataFrame give "
            f"to_dict('records'), of datasets one split, without with_format('pandas' or 'arrow')"
        )
    if foreign := _foreign(row):
        raise BadInput(f"{where} {foreign}")
    for field in ("question", "context"):
        if not isinstance(row.get(field), str):
            raise BadInput(f"{where}: '{field}' must be text, got {type(row.get(field)).__name__}")
    given = row.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int | float | None):
        raise BadInput(f"{where}: 'id' must be a text or a number, got {type(given).__name__}")
    placed = [_placed(*one, row["context"], where) for one in _answers(row.get("answers"), where)]
    columns = [
        (str(name), str(value))
        for name, value in row.items()
        if name not in OWN
        and isinstance(value, str | int | float)
        and 0 < len(str(value)) <= LONGEST_COLUMN
    ]
    example = Example(
        number if given is None or given == "" else str(given),
        row["question"],
        row["context"],
        tuple(answer for answer, _ in placed),
        bool(row.get("is_impossible", not placed)),
        str(row.get("title") or ""),
        columns=tuple(columns),
    )
    return example, any(moved for _, moved in placed)


def _answers(raw: Any, where: str) -> list[tuple[Any, Any]]:
    """Texts and starts, of any of the three layouts of `answers`."""
    if isinstance(raw, list):
        each = [a if isinstance(a, Mapping) else {"text": a} for a in raw]
        return [(a.get("text"), a.get("answer_start")) for a in each]
    if not isinstance(raw, Mapping):
        raise BadInput(
            f"{where}: 'answers' must be an object with text and answer_start, or a list of "
            f"answers, got {type(raw).__name__}"
        )
    # one answer may stand there that is in no list: list("1998") would be four answers
    held = (raw.get(name) for name in ("text", "answer_start"))
    texts, starts = ([] if x is None else x if isinstance(x, list) else [x] for x in held)
    starts = starts or [None] * len(texts)
    if len(texts) != len(starts):
        raise BadInput(f"{where}: {len(texts)} answer texts have {len(starts)} answer_start")
    return [*zip(texts, starts, strict=True)]


def _placed(text: Any, start: Any, context: str, where: str) -> tuple[Answer, bool]:
    """An answer with its place, and whether the file says another; a start that is missing is
    looked up where the text stands only once.
    """
    if not isinstance(text, str):
        raise BadInput(f"{where}: an answer's text must be text, got {type(text).__name__}")
    if start is None or start != start:  # None, or NaN in a table
        start = -1
    if isinstance(start, bool) or not isinstance(start, int | float) or start % 1:
        raise BadInput(f"{where}: 'answer_start' must be a whole number, got {start!r:.40}")
    if start >= 0 and context.startswith(text, int(start)):
        return Answer(text, int(start)), False
    places = [found.start() for found in re.finditer(re.escape(text), context)] if text else []
    if start < 0:
        return Answer(text, places[0] if len(places) == 1 else -1), False
    return Answer(text, min(places, key=lambda at: abs(at - start), default=-1)), bool(places)


SPANS = TypeAdapter(list[Annotated[list[tuple[StrictInt, StrictInt]], Field(min_length=1)]])


def _spans(row: Mapping[str, Any], where: str) -> tuple[Any, ...]:
    """Answers that are lists: [start, end] in characters, one list an annotator, in text order."""
    held, most = row.get("spans", []), len(row["context"])
    with suppress(ValidationError):
        lists = SPANS.validate_python(held)
        if all(0 <= start < end <= most for each in lists for start, end in each):
            return tuple(tuple(sorted(each)) for each in lists)
    raise BadInput(
        f"{where}: 'spans' must hold for each annotator a list of [start, end] with 0 <= start < "
        f"end <= {most}, got {str(held)[:SHOWN]}"
    )


# ---- what would bend a total without a word

MOVED = "answer_start is wrong; the nearest place of the text is taken"
_PLAIN_SIGNS = str.maketrans("’‘‚“”„–—‐\u00a0", "'''\"\"\"---\u0020")
UNLIKE: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("typographic signs", lambda text: text.translate(_PLAIN_SIGNS)),
    ("HTML entities", html.unescape),
    ("white space", lambda text: " ".join(text.split())),
    ("capital letters", str.casefold),
)
"""By what an answer's letters differ from the paragraph's, and what makes them alike."""
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def why_absent(text: str, context: str) -> str:
    """By what an answer differs from the paragraph in which it has no place."""
    if text in context:
        return "stands more than once, and the file does not say where"
    for name, alike in UNLIKE:
        if alike(text) in alike(context):
            return f"differs in {name}"
    return "other words than the paragraph's"


def _oddities(example: Example) -> Iterator[str]:
    """What is counted, and what it does to the totals."""
    answers, context = example.answers, example.context
    if answers and example.is_impossible:
        yield (
            "is_impossible is true though answers are listed; as in the official script it counts "
            "as one that has an answer"
        )
    if answers and not any(answer.text in context for answer in answers):
        why = why_absent(answers[0].text, context)
        end = f": it {why}" if why.startswith("differs") else ", so no span may be right"
        yield f"no gold answer stands in the paragraph letter by letter{end}"
    if any(_NO_BLANKS.search(answer.text) and " " not in answer.text for answer in answers):
        yield "the answer's script puts no blanks between words, so its F1 is exact match"
