"""A file of lines: one line of JSON for each question that was read, and beside it, in
NAME.run.json, what the lines were made with, so that a run that was stopped can go on.

A line holds what was asked, the best spans, and the kind of the best span as if it were given; what
a threshold makes of it follows from `score_diff` alone (`under`). Characters are half-open in the
context as given; scores are logits, exact and F1 from 0 to 1.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.calibration import margin, pair_claim, sureness
from qa_demo.core.metrics import Outcome, judged, score, withheld
from qa_demo.core.predict import Prediction
from qa_demo.core.spans import window_prob
from qa_demo.core.types import Answer, DecodeOptions, Example, Reading
from qa_demo.evaluation.failures import MEANING, gold_spans, kind_of
from qa_demo.evaluation.table import TEMPERATURES
from qa_demo.files import dumps, json_lines, read_text, write_file
from qa_demo.printed import plural

Row = dict[str, Any]
NEEDED = ("id", "question", "context", "gold", "n_best", "score_diff", "best", "probs")
CLAIMS = ("claim", "answerable", "right_if_answerable")
CANDIDATE = ("text", "char_start", "char_end", "window", "score")
UNREAD = ("score_diff", "null_score", "margin", "tokens", *CLAIMS, "in_window", "probs")
"""What a question that is refused has none of."""


def line_of(
    reading: Reading, example: Example, prediction: Prediction, decode: DecodeOptions, rules: str
) -> Row:
    """A question that was read, without the verdict of a threshold (`under` adds it). `probs` are
    P_T of the best span's text at TEMPERATURES, `in_window` is P(start) P(end) as it stands;
    `margin` is the best span's lead over no answer.
    """
    best = None if prediction.best is None else prediction.best.candidate
    found: Row = {
        "score_diff": prediction.score_diff,
        "null_score": prediction.null_score,
        "windows": len(reading.windows),
        "tokens": len(reading.encoding.context_ids),
        "gold_pieces": [[g.start, g.end] for g in gold_spans(reading.encoding, example)],
        "n_best": [
            {name: getattr(r.candidate, name) for name in CANDIDATE}
            | {"pieces": [r.candidate.span.start, r.candidate.span.end]}
            for r in prediction.n_best
        ],
    }
    if best is not None:
        sure, pairs = sureness(reading, best), pair_claim(reading, best)
        at = reading.windows[best.window]
        places = at.to_pos(best.span.start), at.to_pos(best.span.end)
        found |= {
            "margin": margin(reading, best),
            "in_window": window_prob(reading, best.window, *places),
            "probs": pairs and [float(f"{pairs.prob(t):.6g}") for t in TEMPERATURES],
            **{name: None if sure is None else getattr(sure, name) for name in CLAIMS},
        }
    kind, because = kind_of(reading, example, best, decode, rules)
    return _line(example, "" if best is None else best.text, rules, kind, because, found)


def refused_line(example: Example, cause: str, rules: str) -> Row:
    """A question that the reader refuses, with the same fields; it counts as unanswered."""
    return _line(example, "", rules, "not read", cause, {})


def _line(example: Example, text: str, rules: str, kind: str, because: str, found: Row) -> Row:
    exact, f1 = score(example, text, rules)
    asked: Row = {name: getattr(example, name) for name in ("id", "title", "question", "context")}
    asked["gold"] = [{"text": a.text, "char_start": a.char_start} for a in example.answers]
    asked["columns"] = dict(example.columns)
    best = {"exact": exact, "f1": f1, "kind": kind, "because": because}
    none: Row = dict.fromkeys(UNREAD) | {"windows": 0, "n_best": [], "gold_pieces": []}
    return asked | none | {"best": best} | found


def under(row: Row, threshold: float | None, rules: str) -> Row:
    """What a threshold makes of a line: answer, exact, f1, kind and because."""
    said, best = outcome_of(row), row["best"]
    exact, f1 = judged(example_of(row), said, threshold, rules)
    found = {"answer": said.text or None, "exact": exact, "f1": f1}
    found |= {name: best[name] for name in ("kind", "because")}
    if rules == "2.0" and withheld(said, threshold) and best["kind"] != "not read":
        kind = "withheld" if row["gold"] else "right"
        found |= {"answer": None, "kind": kind, "because": ""}
    return found


def outcome_of(row: Mapping[str, Any]) -> Outcome:
    """What the official scores need of a line."""
    return Outcome(row["n_best"][0]["text"] if row["n_best"] else "", row["score_diff"])


def example_of(row: Mapping[str, Any]) -> Example:
    """The question of a line."""
    gold = tuple(Answer(a["text"], a["char_start"]) for a in row["gold"])
    return Example(row["id"], row["question"], row["context"], gold, not gold, row["title"])


# ---- the file


def run_file(out: Path) -> Path:
    """predictions.jsonl gives predictions.run.json."""
    return out.with_name(f"{out.stem}.run.json")


def read_run(out: Path) -> Row:
    """What the lines of a file were made with. Errors: BadInput."""
    path = run_file(out)
    try:
        found = json.loads(read_text(path))
    except (BadInput, ValueError) as fault:
        raise BadInput(
            f"{path.name}, which says what {out.name} was made with, cannot be read"
        ) from fault
    if not isinstance(found, dict) or not {"reader", "rules", "threshold"} <= set(found):
        raise BadInput(f"{path.name} does not say what {out.name} was made with")
    return found


def read_lines(path: Path) -> tuple[list[Row], str]:
    """The lines of a file, and a remark on those that stand there twice, which count once. Errors:
    BadInput that names the line.
    """
    rows: dict[str, Row] = {}
    twice: list[str] = []
    for number, row in json_lines(read_text(path), path.name):
        whole = isinstance(row, dict) and set(NEEDED) <= set(row)
        if not whole or row["best"].get("kind") not in MEANING:
            raise BadInput(
                f"{path.name}, line {number} is no line of this version's evaluate --out: it needs "
                f"{', '.join(NEEDED)}"
            )
        if rows.setdefault(row["id"], row) is row:
            continue
        twice.append(row["id"])
        if rows[row["id"]] != row:
            raise BadInput(
                f"{path.name}, line {number}: the id {row['id'][:40]!r} stands there before, with "
                f"another question or answer"
            )
    if not twice:
        return list(rows.values()), ""
    said = f"{plural(len(twice), 'line stands', 'lines stand')} there twice and count once"
    return list(rows.values()), f"{said} (first: {twice[0][:40]!r})"


class LinesFile:
    """Appends lines, each whole: what a stopped run has written is kept and gone on with."""

    def __init__(self, out: Path, about: Row) -> None:
        self._out, self._about = out, about

    def begin(self, ids: Sequence[str]) -> list[Row]:
        """The lines that stand there already; a last one that was cut off is dropped. Errors:
        BadInput where they were made with other settings or of other questions.
        """
        with _writing(self._out):
            if not self._out.exists() or not self._out.stat().st_size:
                write_file(run_file(self._out), dumps(self._about) + "\n")
                return []
            stored, whole = read_run(self._out), self._out.read_bytes().rfind(b"\n") + 1
            other = [key for key, value in self._about.items() if stored.get(key) != value]
            if other:
                raise BadInput(
                    f"{self._out.name} was made otherwise (different: {', '.join(other)}); give "
                    f"another --out, or delete it"
                )
            os.truncate(self._out, whole)
        rows, _ = read_lines(self._out)
        if [row["id"] for row in rows][: len(ids)] != list(ids[: len(rows)]):
            raise BadInput(
                f"{self._out.name} holds other questions than this run begins with; give another "
                f"--out, or delete it"
            )
        return rows[: len(ids)]

    def write(self, row: Row) -> None:
        """Append one line and hand it to the system, so that a crash loses no whole question."""
        with _writing(self._out), self._out.open("a", encoding="utf-8", newline="\n") as file:
            file.write(dumps(row) + "\n")

    def finish(self, scores: Row) -> None:
        """Keep the scores beside the lines."""
        write_file(run_file(self._out), dumps(self._about | {"scores": scores}) + "\n")


@contextmanager
def _writing(path: Path) -> Any:
    try:
        yield
    except OSError as fault:
        raise BadInput(f"{path.name} cannot be written: {fault.strerror}") from fault
