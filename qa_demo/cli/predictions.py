"""A file of predictions: one line of JSON for each question, and beside it what the lines depend
on, so that a run that was stopped can go on.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from qa_demo.cli.files import write_file
from qa_demo.core.base import BadInput
from qa_demo.core.files.report import dumps
from qa_demo.core.files.texts import json_lines, read_text

FIELDS = ("id", "question", "context", "kind", "exact", "f1", "n_best", "answer")

SAID = {
    "spanlight": "version of Spanlight",
    "file": "name of the file",
    "sha256": "questions",
    "bf16": "precision",
}
"""What the settings of a run are called in a sentence; the others by their own names."""


def beside(out: Path, word: str) -> Path:
    """predictions.jsonl gives predictions.WORD.jsonl."""
    return out.with_name(f"{out.stem}.{word}{out.suffix}")


def run_file(out: Path) -> Path:
    """Where the reader, the options and the scores of predictions.jsonl stand:
    predictions.run.json.
    """
    return out.with_name(f"{out.stem}.run.json")


class Predictions:
    """Appends lines, each whole: what a stopped run has written is kept and gone on with."""

    def __init__(self, out: Path, about: dict[str, Any]) -> None:
        self._out, self._about = out, about
        self._file: IO[str] | None = None

    def begin(self, ids: Sequence[str]) -> int:
        """How many questions the file already holds; a last line that was cut off is dropped.

        Errors: BadInput where the lines were made with other settings or of other questions.
        """
        try:
            if not self._out.exists() or not self._out.stat().st_size:
                write_file(run_file(self._out), dumps(self._about) + "\n")
                return 0
            self._check_settings()
            raw = self._out.read_bytes()
            whole = raw.rfind(b"\n") + 1
            if whole < len(raw):
                os.truncate(self._out, whole)
        except OSError as fault:
            raise BadInput(f"{self._out.name} cannot be written: {fault.strerror}") from fault
        rows = read_lines(self._out)
        if [row["id"] for row in rows] != list(ids[: len(rows)]) and len(rows) <= len(ids):
            raise BadInput(
                f"{self._out.name} holds other questions than this file begins with; give another "
                f"--out, or delete it"
            )
        return min(len(rows), len(ids))

    def _check_settings(self) -> None:
        stored = read_run(self._out)
        other = [key for key, value in self._about.items() if stored.get(key) != value]
        if other:
            named = ", ".join(SAID.get(key, key) for key in other)
            raise BadInput(
                f"{self._out.name} was made otherwise (different: {named}); give another --out, or "
                f"delete it"
            )

    def __enter__(self) -> "Predictions":
        try:
            self._file = self._out.open("a", encoding="utf-8", newline="\n")
        except OSError as fault:
            raise BadInput(f"{self._out.name} cannot be written: {fault.strerror}") from fault
        return self

    def write(self, row: dict[str, Any]) -> None:
        """Append one line and hand it to the system, so that a crash loses no whole question."""
        assert self._file is not None
        try:
            self._file.write(dumps(row) + "\n")
            self._file.flush()
        except OSError as fault:
            raise BadInput(f"{self._out.name} cannot be written: {fault.strerror}") from fault

    def __exit__(self, *_: object) -> None:
        assert self._file is not None
        self._file.close()

    def rows(self) -> list[dict[str, Any]]:
        """All lines."""
        return read_lines(self._out)

    def finish(self, scores: dict[str, Any]) -> None:
        """Keep the scores beside the lines."""
        about = self._about | {"scores": scores}
        write_file(run_file(self._out), dumps(about) + "\n")


def read_run(out: Path) -> dict[str, Any]:
    """What the lines of a file were made with. Errors: BadInput."""
    path = run_file(out)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise BadInput(
            f"{path.name}, which says what {out.name} was made with, cannot be read"
        ) from fault
    if not isinstance(found, dict):
        raise BadInput(f"{path.name} must hold an object, got {type(found).__name__}")
    return found


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of predictions. Errors: BadInput that names the line."""
    rows = []
    for number, row in json_lines(read_text(path), path.name):
        if not isinstance(row, dict) or not set(FIELDS) <= set(row):
            raise BadInput(
                f"{path.name}, line {number} is no prediction: it needs {', '.join(FIELDS)}"
            )
        rows.append(row)
    return rows
