"""A file of lines: one line of JSON for each question that was read, and beside it, in
NAME.run.json, what the lines were made with, so that a run that was stopped can go on.

A line holds what was asked, the best spans, and the kind of the best span as if it were given; what
a threshold makes of it follows from `score_diff` alone (`under`). Characters are half-open in the
context as given; scores are logits, exact and F1 from 0 to 1.

Every question gets one kind, by rules that are asked in a fixed order. A is the best span, g a gold
answer of any annotator (both as tokens of the paragraph, `doc`); right is exact match with some
gold answer after SQuAD's normalisation. Each rule looks at spans and texts only; none asks a model.
"""

import html
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, Field, model_validator

from qa_demo.core.base import BadInput
from qa_demo.core.calibration import RANGE, margin_of, pair_claim, sureness
from qa_demo.core.losses import count_labels
from qa_demo.core.metrics import score, withheld
from qa_demo.core.predict import predict
from qa_demo.core.spans import Candidate, best_span, window_prob
from qa_demo.core.types import DecodeOptions, Example, Reading, Span
from qa_demo.files import decoded, dumps, from_json, json_lines, read_bytes, read_text, write_file
from qa_demo.records import read

Row = dict[str, Any]
TEMPERATURES: tuple[float, ...] = tuple(np.geomspace(*RANGE, 31).tolist())
"""At which a line keeps P_T, so that a fit needs no model."""
OF_A_READING = ("score_diff", "null_score", "margin", "tokens", "claim", "in_window", "probs")
"""What a question that is refused has none of."""
MEANING = {
    "right": "Exactly right after SQuAD's normalisation; without an answer in the file: withheld.",
    "border": "The answer overlaps a right one; start or end is off.",
    "elsewhere": "The answer stands at another place: it overlaps no right one.",
    "lost in the merge": "One window's own best span was right, another window's span won.",
    "gold not reachable": "No right answer could be returned: too long, cut by its window, or its "
    "border lies inside a token.",
    "withheld": "The file has an answer, the reader gave none.",
    "answered although unanswerable": "The file has no answer, the reader gave one.",
    "gold without a place": "No right answer stands in the paragraph at a known place.",
    "not read": "The reader refuses the texts, for example a question that is too long.",
}
"""Every kind, in the order of a report."""


# ---- what must stand in a line, so that a report can be made of it; more may stand there


class Held(BaseModel, strict=True, allow_inf_nan=False):
    """A part of a line: numbers are numbers, and finite."""


Share = Annotated[float, Field(ge=0, le=1)]
Logit = Annotated[float, Field(ge=-1e6, le=1e6)]
Letters = Annotated[str, AfterValidator(str.encode)]  # half a surrogate pair is none


class Placed(Held):
    text: Letters
    char_start: int = Field(ge=-1, lt=2**53)  # as a browser counts


class Listed(Placed):
    char_end: int = Field(ge=0, lt=2**53)
    window: int
    score: Logit


class Best(Held):
    exact: Share
    f1: Share
    because: Letters
    kind: Literal[*MEANING]  # type: ignore[valid-type]


class Line(Held):
    """The fields that report, calibrate and --not-worse-than look at."""

    id: Letters
    title: Letters
    question: Letters
    context: Letters
    columns: dict[str, Letters]
    gold: list[Placed]
    n_best: list[Listed]
    best: Best
    exact: Share
    f1: Share
    score_diff: Logit | None
    margin: Logit | None
    claim: Share | None
    in_window: Share | None
    probs: Annotated[list[Share], Field(min_length=31, max_length=31)] | None
    tokens: int | None

    @model_validator(mode="after")
    def _measured(self) -> Self:
        if (self.score_diff is None) == bool(self.n_best):
            raise ValueError("score_diff is null where n_best is empty, and there alone")
        return self


class Run(Held):
    """What stands beside the lines."""

    reader: Letters
    rules: Literal["1.1", "2.0"]
    threshold: Logit | None
    file: Letters = "rows"
    weights: str | None = None
    options: dict[Letters, int | Letters] = {}


@dataclass(frozen=True)
class Evaluation:
    """A line a question, as `evaluate --out` writes them, and what stands beside a file of lines:
    reader, settings and scores.
    """

    rows: tuple[Row, ...]
    run: Row

    @property
    def scores(self) -> dict[str, float | int]:
        """The official script's, in percent."""
        return dict(self.run["scores"])


def line_of(example: Example, reading: Reading | str, decode: DecodeOptions, rules: str) -> Row:
    """The line of a question, without the verdict of a threshold (`under` adds it); a text in place
    of the reading says why the question is refused. `probs` are P_T of the best span's text at
    TEMPERATURES, `in_window` is P(start) P(end) as it stands; `margin` is the best span's over no
    answer.
    """
    line: Row = {name: getattr(example, name) for name in ("id", "title", "question", "context")}
    line["gold"] = [{"text": a.text, "char_start": a.char_start} for a in example.answers]
    line |= {"columns": dict(example.columns), **dict.fromkeys(OF_A_READING)}
    line |= {"windows": 0, "n_best": []}
    text, kind, because = "", "not read", reading
    if not isinstance(reading, str):
        found = predict(reading, decode)
        line |= {"score_diff": found.score_diff, "null_score": found.null_score}
        line |= {"windows": len(reading.windows), "tokens": len(reading.encoding.context_ids)}
        spans = [ranked.candidate for ranked in found.n_best]
        line["n_best"] = [{name: getattr(x, name) for name in Listed.model_fields} for x in spans]
        best = spans[0] if spans else None
        if best is not None:
            text, w = best.text, reading.windows[best.window]
            pairs, sure = pair_claim(reading, best), sureness(reading, best)
            line["margin"], line["claim"] = margin_of(reading, best), sure and sure.claim
            line["in_window"] = window_prob(reading, w.index, *w.positions(best.span))
            line["probs"] = pairs and [float(f"{pairs.prob(t):.6g}") for t in TEMPERATURES]
        kind, because = kind_of(reading, example, best, decode, rules)
    exact, f1 = score(example, text, rules)
    return line | {"best": {"exact": exact, "f1": f1, "kind": kind, "because": because}}


def under(row: Row, threshold: float | None) -> Row:
    """What a threshold makes of a line: answer, exact, f1, kind and because. By version 1.1 there
    is none, and the best span always counts.
    """
    diff = np.inf if row["score_diff"] is None else row["score_diff"]
    found = {"answer": best_text(row) or None, **row["best"]}
    if withheld(diff, threshold):
        found |= dict.fromkeys(("exact", "f1"), float(not row["gold"]))
        if row["n_best"]:
            found |= {"answer": None, "kind": "withheld" if row["gold"] else "right", "because": ""}
    return found


def best_text(row: Row) -> str:
    """The text of a line's best span, "" without one."""
    return next((span["text"] for span in row["n_best"]), "")


# ---- the kind of an answer

PLAIN_SIGNS = str.maketrans("’‘‚“”„–—‐\u00a0", "'''\"\"\"---\u0020")
UNLIKE: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("HTML entities", html.unescape),
    ("typographic signs", lambda text: text.translate(PLAIN_SIGNS)),
    ("white space", lambda text: " ".join(text.split())),
    ("accents written as one sign or two", partial(unicodedata.normalize, "NFC")),
    ("capital letters", str.casefold),
)
"""By what an answer's letters differ from the paragraph's, and what makes them alike."""


def kind_of(
    reading: Reading, example: Example, best: Candidate | None, decode: DecodeOptions, rules: str
) -> tuple[str, str]:
    """(kind, because) of the best span as if it were given, whatever "no answer" scores: the first
    rule that holds. `rules` are "1.1" or "2.0".
    """

    def right(text: str) -> bool:
        return score(example, text, rules)[0] == 1

    def shut_out(gold: Span) -> str:
        """What keeps a gold span from being returned; "" when it is a legal candidate."""
        if not right(reading.encoding.text(gold)):
            return "tokens"
        if len(gold) > decode.max_answer_length:
            return "max_answer_length"
        return "" if reading.windows[int(reading.owners[gold.start])].holds(gold) else "window"

    if right("" if best is None else best.text):
        return "right", ""
    if not example.answers:
        return "answered although unanswerable", ""
    placed = [answer for answer in example.answers if answer.char_start >= 0]
    golds = sorted(x.span for x in count_labels(reading.encoding, placed) if x.span is not None)
    if not golds:
        return "gold without a place", why_absent(example.answers[0].text, example.context)
    causes = [shut_out(gold) for gold in golds]
    if best is None or all(causes):
        return "gold not reachable", causes[0]
    alone = (best_span(reading, w, decode) for w in reading.windows)
    if any(own is not None and right(own.text) for own in alone):
        return "lost in the merge", ""
    if any(best.span.start <= gold.end and gold.start <= best.span.end for gold in golds):
        return "border", ""
    return "elsewhere", ""


def why_absent(text: str, context: str) -> str:
    """By what an answer differs from the paragraph in which it has no place; of several things the
    last of UNLIKE.
    """
    if text in context:
        return "stands more than once, and the file does not say where"
    for name, alike in UNLIKE:
        text, context = alike(text), alike(context)
        if text in context:
            return f"differs in {name}"
    return "other words than the paragraph's"


# ---- the file


def run_file(out: Path) -> Path:
    """predictions.jsonl gives predictions.run.json."""
    return out.with_name(f"{out.stem}.run.json")


def read_lines(path: Path) -> Evaluation:
    """The lines of a file and what they were made with. Errors: BadInput that names the line, also
    where an id stands there twice, and where it holds none.
    """
    rows = dict[str, Row]()
    for number, row in json_lines(read_text(path), path.name):
        read(Line, row, f"{path.name}, line {number} is no line of this version's evaluate --out")
        if rows.setdefault(row["id"], row) is not row:
            raise BadInput(f"{path.name}, line {number}: the id {row['id'][:40]!r} stands before")
    if not rows:
        raise BadInput(f"{path.name} holds no question")
    return Evaluation(tuple(rows.values()), read_run(path))


def read_run(out: Path) -> Row:
    """What the lines of a file were made with. Errors: BadInput."""
    path = run_file(out)
    try:
        found: Row = from_json(read_text(path), "it")
        read(Run, found)
        return found
    except BadInput as fault:
        raise BadInput(f"{path.name}, which says how {out.name} was made: {fault}") from fault


def begun(out: Path, about: Row, ids: Sequence[str]) -> list[Row]:
    """The lines that a stopped run left, to go on with; a last one that was cut off, text or not,
    is dropped. Errors: BadInput where they were made with other settings or of other questions.
    """
    if out.exists() and not out.is_file():
        raise BadInput(f"{out.name} must be a plain file: to go on, it is read again")
    if not out.exists() or not out.stat().st_size:
        write_file(run_file(out), dumps(about) + "\n")
        return []
    stored, rows = read_run(out), list[Row]()
    other = [key for key, value in about.items() if stored.get(key) != value]
    if not other:
        whole = decoded(read_bytes(out).rpartition(b"\n")[0], out.name)
        write_file(out, f"{whole}\n" if whole else "")
        rows = list(read_lines(out).rows) if whole else []
        if [row["id"] for row in rows] != list(ids[: len(rows)]):
            other = [f"the first {len(rows):,} questions"]
    if other:
        said = f"{out.name} was made otherwise (different: {', '.join(other)})"
        raise BadInput(f"{said}; give another --out, or delete it")
    return rows
