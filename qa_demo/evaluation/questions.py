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
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import normalize
from qa_demo.core.types import Answer, Example
from qa_demo.files import DELIMITERS, json_lines, layout, read_bytes, read_text, table

NEEDED = ("question", "context", "answer")
OWN = ("id", "title", "question", "context", "answers", "answer", "answer_start", "is_impossible")
LONGEST_COLUMN = 60
"""Characters of a value that can name a group of questions."""
SHOWN = 40
"""Characters of an id or an answer that a sentence quotes."""
ANSWERS_ALONE = "python -m qa_demo answer --jsonl FILE answers without scoring"


class Questions(NamedTuple):
    """The questions of a file in order, and a sentence for each thing that would bend a total."""

    examples: list[Example]
    remarks: tuple[str, ...] = ()


def read_questions(path: Path) -> Questions:
    """All questions of a JSON, JSON-lines, CSV, TSV or Parquet file (also gzip), in order. Errors:
    BadInput that names the place.
    """
    kind, name = layout(path), path.name
    if kind == ".parquet":
        return from_rows(_parquet(path), name)
    text = read_text(path)
    if kind in DELIMITERS:
        return from_rows(_cells(*table(text, name, kind), name), name)
    if kind == ".jsonl":
        return from_rows((row for _, row in json_lines(text, name)), name)
    return _gathered(_document(text, name, kind), name)


def read_squad(path: str | Path) -> list[Example]:
    """All questions of a SQuAD file for training: every answer stands where the file says. Errors:
    BadInput that names the file, article, paragraph and question.
    """
    path = Path(path)
    found = list(_document(read_text(path), path.name, ".json"))
    for example, where, moved in found:
        if moved or any(a.char_start < 0 for a in example.answers):
            raise BadInput(f"{where}: answer_start does not point to the answer in the context")
    _check_ids([example for example, _, _ in found], path.name)
    return [example for example, _, _ in found]


Found = tuple[Example, str, bool]
"""An example, where it stands, and whether an answer's place was wrong in the file."""


def _document(text: str, name: str, kind: str) -> Iterator[Found]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as fault:
        if kind == ".json" and "\n{" in text.strip():
            yield from _examples((row for _, row in json_lines(text, name)), name)
            return
        raise BadInput(
            f"{name} is not readable as JSON: {fault}; questions stand in JSON, or in a file that "
            f"is named .jsonl, .csv, .tsv or .parquet"
        ) from fault
    data = document.get("data") if isinstance(document, dict) else document
    if isinstance(document, dict) and "question" in document:
        data = [document]
    if not isinstance(data, list):
        raise BadInput(f"{name}: 'data' must be a list, got {type(data).__name__}")
    first = data[0] if data and isinstance(data[0], dict) else {}
    if "paragraphs" not in first and (isinstance(document, list) or "question" in first):
        if "qas" in first:
            raise BadInput(
                f"{name} is a bare list of paragraphs; SQuAD's layout stands around it: "
                '{"data": [{"title": "", "paragraphs": THE LIST}]}'
            )
        yield from _examples(data, name)
        return
    for a, article in enumerate(data):
        for p, paragraph in enumerate(_field(article, "paragraphs", list, f"{name}, article {a}")):
            where = f"{name}, article {a}, paragraph {p}"
            context = _field(paragraph, "context", str, where)
            for k, q in enumerate(_field(paragraph, "qas", list, where)):
                known = q if isinstance(q, dict) else {}
                here = f"{where}, question {known.get('id', k)}"
                row = {**known, "context": context, "title": article.get("title", "")}
                yield _example(row, here, f"{a}-{p}-{k}", _spans(row, context, here))


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
        start: Any = row.get("answer_start", "").strip()
        with suppress(ValueError):  # pandas writes 14.0; what is no number is refused with its row
            start = float(start or "nan")
        texts = [row["answer"]] if row["answer"].strip() else []
        yield row | {"answers": {"text": texts, "answer_start": [start] * len(texts)}}


def _parquet(path: Path) -> list[Any]:
    try:
        import pyarrow.parquet
    except ImportError as fault:
        raise BadInput(
            f"{path.name} is Parquet, which needs the package pyarrow (pip install pyarrow); or "
            f"save it as JSON lines (datasets: data.to_json)"
        ) from fault
    try:
        rows: list[Any] = pyarrow.parquet.read_table(io.BytesIO(read_bytes(path))).to_pylist()
    except (OSError, ValueError) as fault:  # ArrowInvalid is a ValueError
        raise BadInput(f"{path.name} is not a readable Parquet file: {fault}") from fault
    return rows


# ---- rows


def from_rows(rows: Iterable[Any], name: str) -> Questions:
    """Flat rows as examples; a row without an id is called by its number, from 1, and a row that
    holds neither texts nor an answer is left out. Errors: BadInput that names the row.
    """
    empty: list[int] = []
    found = _gathered(_examples(rows, name, empty), name)
    if not empty:
        return found
    them = "1 row is" if len(empty) == 1 else f"{len(empty):,} rows are"
    said = f"{them} empty and left out (first: row {empty[0]})"
    return Questions(found.examples, (*found.remarks, said))


def _gathered(found: Iterable[Found], name: str) -> Questions:
    examples: list[Example] = []
    odd: dict[str, list[str]] = {}
    for example, _, wrong in found:
        examples.append(example)
        moved = ["answer_start is wrong; the nearest place of the text is taken"] * wrong
        for words in (*_oddities(example), *moved):
            odd.setdefault(words, []).append(example.id)
    _check_ids(examples, name)
    said = []
    for words, ids in odd.items():
        them = "1 question" if len(ids) == 1 else f"{len(ids):,} questions"
        said.append(f"{them} (first: {ids[0][:SHOWN]!r}): {words}")
    return Questions(examples, tuple(said))


def _check_ids(examples: Iterable[Example], name: str) -> None:
    """Outcomes are kept by ids: of two questions that share one, the later would count twice."""
    seen: dict[str, int] = {}
    for number, example in enumerate(examples, 1):
        if example.id in seen:
            raise BadInput(
                f"{name}: questions {seen[example.id]} and {number} share the id "
                f"{example.id[:SHOWN]!r}; each needs one of its own, and a row without one is "
                f"called by its number"
            )
        seen[example.id] = number


def _examples(rows: Iterable[Any], name: str, empty: list[int] | None = None) -> Iterator[Found]:
    for number, row in enumerate(rows, 1):
        if empty is not None and isinstance(row, Mapping) and _is_empty(row):
            empty.append(number)
        else:
            yield _example(row, f"{name}, row {number}", str(number))


def _is_empty(row: Mapping[Any, Any]) -> bool:
    """Neither question nor paragraph nor answer, though the row has room for them."""
    texts = [row[field] for field in ("question", "context") if field in row]
    said = row.get("answers")
    held = said.get("text") if isinstance(said, Mapping) else said
    return (
        bool(texts)
        and all(text is None or (isinstance(text, str) and not text.strip()) for text in texts)
        and (held is None or len(held) == 0)
    )


def _example(row: Any, where: str, number: str, spans: Any = ()) -> Found:
    if not isinstance(row, Mapping):
        raise BadInput(
            f"{where} must be an object, got {type(row).__name__}; of a DataFrame give "
            f"to_dict('records'), of datasets one split, without with_format('pandas' or 'arrow')"
        )
    row = {name: _plain(value) for name, value in row.items()}
    _refuse_layout(row, where)
    for field in ("question", "context"):
        if not isinstance(row.get(field), str):
            raise BadInput(f"{where}: '{field}' must be text, got {type(row.get(field)).__name__}")
    answers, moved = _answers(row.get("answers"), row["context"], where)
    given = row.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int | float | None):
        raise BadInput(f"{where}: 'id' must be a text or a number, got {type(given).__name__}")
    example = Example(
        number if given is None or given == "" else str(given),
        row["question"],
        row["context"],
        answers,
        bool(row.get("is_impossible", not answers)),
        str(row.get("title") or ""),
        spans,
        columns=tuple(
            (str(name), str(value))
            for name, value in row.items()
            if name not in OWN
            and isinstance(value, str | int | float)
            and 0 < len(str(value)) <= LONGEST_COLUMN
        ),
    )
    return example, where, moved


def _plain(value: Any) -> Any:
    """The number or text that a cell of numpy, torch or jax holds; `datasets` gives them so."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def _refuse_layout(row: Mapping[Any, Any], where: str) -> None:
    """Name the layouts of others for what they are, with what to do."""
    each = 'one line {"id", "question", "context", "answers"} for each of its questions'
    if "header" in row and "question" not in row:
        raise BadInput(f"{where} is the header of an MRQA file; leave it out, and write {each}")
    if "qas" in row:
        raise BadInput(
            f"{where} is a paragraph with several questions ('qas', as MRQA has); write {each}"
        )
    if "answers" not in row and "detected_answers" in row:
        raise BadInput(
            f"{where} has MRQA's 'detected_answers'; give 'answers', with text and answer_start "
            f"(the first of each char_spans)"
        )
    if "answers" not in row and "question" in row:
        raise BadInput(
            f"{where} has no 'answers' to score against (an empty list says that the text has "
            f"none); {ANSWERS_ALONE}"
        )


def _answers(raw: Any, context: str, where: str) -> tuple[tuple[Answer, ...], bool]:
    """Answers with their places, and whether one stood elsewhere than the file says; a start that
    is missing is looked up where the text stands only once.
    """
    texts, starts = _columns(raw, where)
    starts = starts or [-1] * len(texts)
    if len(texts) != len(starts):
        raise BadInput(f"{where}: {len(texts)} answer texts have {len(starts)} answer_start")
    found, moved = [], False
    for text, start in zip(map(_plain, texts), map(_plain, starts), strict=True):
        if not isinstance(text, str):
            raise BadInput(f"{where}: an answer's text must be text, got {type(text).__name__}")
        if start is None or start != start:  # None, or NaN in a table
            start = -1
        if isinstance(start, bool) or not isinstance(start, int | float) or start % 1:
            raise BadInput(f"{where}: 'answer_start' must be a whole number, got {start!r:.40}")
        at = int(start)
        if at < 0 and text and context.count(text) == 1:
            at = context.index(text)
        elif at >= 0 and context[at : at + len(text)] != text:
            places = [m.start() for m in re.finditer(re.escape(text), context)] if text else []
            at, moved = min(places, key=lambda k: abs(k - at), default=-1), moved or bool(places)
        found.append(Answer(text, max(at, -1)))
    return tuple(found), moved


def _columns(raw: Any, where: str) -> tuple[list[Any], list[Any]]:
    """Texts and starts, of any of the three layouts of `answers`."""
    if not isinstance(raw, Mapping) and (hasattr(raw, "tolist") or isinstance(raw, list | tuple)):
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


def _spans(row: Mapping[str, Any], context: str, where: str) -> tuple[Any, ...]:
    """Answers that are lists: [start, end] in characters, one list an annotator, in text order."""
    lists = []
    for k, ranges in enumerate(_field(row, "spans", list, where) if "spans" in row else ()):
        here = f"{where}, 'spans' of annotator {k}"
        if not isinstance(ranges, list) or not ranges:
            raise BadInput(f"{here} must be a list of [start, end], got {str(ranges)[:SHOWN]}")
        for pair in ranges:
            whole = isinstance(pair, list) and len(pair) == 2 and all(type(x) is int for x in pair)
            if not whole or not 0 <= pair[0] < pair[1] <= len(context):
                raise BadInput(
                    f"{here} must hold [start, end] with 0 <= start < end <= {len(context)}, "
                    f"got {str(pair)[:SHOWN]}"
                )
        lists.append(tuple(sorted((start, end) for start, end in ranges)))
    return tuple(lists)


# ---- what would bend a total without a word

_PLAIN_SIGNS = str.maketrans("’‘‚“”„–—‐\u00a0", "'''\"\"\"---\u0020")
UNLIKE: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("typographic signs", lambda text: text.translate(_PLAIN_SIGNS)),
    ("HTML entities", html.unescape),
    ("white space", lambda text: " ".join(text.split())),
    ("capital letters", str.casefold),
)
"""By what an answer's letters differ from the paragraph's, and what makes them alike."""


def why_absent(text: str, context: str) -> str:
    """By what an answer differs from the paragraph in which it has no place."""
    if text in context:
        return "stands more than once, and the file does not say where"
    for name, alike in UNLIKE:
        if alike(text) in alike(context):
            return f"differs in {name}"
    return "other words than the paragraph's"


def _apart(example: Example) -> bool:
    """Two gold answers of other words at places that do not touch."""
    placed = sorted(
        (a.char_start, a.char_end, normalize(a.text))
        for a in example.answers
        if a.char_start >= 0 and a.text.strip()
    )
    return any(a[1] <= b[0] and a[2] != b[2] for k, a in enumerate(placed) for b in placed[k:])


_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def _oddities(example: Example) -> Iterator[str]:
    """What is counted, and what it does to the totals."""
    answers, context = example.answers, example.context
    if not example.question.strip() or not context.strip():
        yield "the question or the paragraph is empty, so it counts as unanswered"
    if not answers:
        return
    if example.is_impossible:
        yield (
            "is_impossible is true though answers are listed; as in the official script it counts "
            "as one that has an answer"
        )
    if any(not answer.text.strip() for answer in answers):
        yield "a gold answer is empty, yet the question counts as one that has an answer"
    if not any(answer.text in context for answer in answers):
        why = why_absent(answers[0].text, context)
        end = f": it {why}" if why.startswith("differs") else ", so no span may be right"
        yield f"no gold answer stands in the paragraph letter by letter{end}"
    elif all(answer.char_start < 0 for answer in answers):
        yield (
            "answer_start is missing of a text that stands more than once; scores use the text, "
            "kinds of error need its place"
        )
    if _apart(example):
        yield (
            "gold answers at separate places; each alone counts as fully right, as if annotators "
            "had disagreed, also where they are the parts of a list"
        )
    if any(_NO_BLANKS.search(answer.text) and " " not in answer.text for answer in answers):
        yield "the answer's script puts no blanks between words, so its F1 is exact match"
