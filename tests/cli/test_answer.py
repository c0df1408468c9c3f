"""answer --jsonl: a line for each question."""

import io
import json
from pathlib import Path

import pytest

from qa_demo.core.files.report import answer_json
from qa_demo.core.predict import predict
from qa_demo.model.reader import BertReader
from tests.cli.terminal import ASKED, OPTIONS, Terminal
from tests.model import kit

pytestmark = pytest.mark.model


def rows(**more: str) -> str:
    made = [{"question": q, "context": kit.CONTEXT, **more} for q in ASKED]
    return "\n".join(map(json.dumps, made)) + "\n"


@pytest.mark.parametrize("source", ["file", "-"])
def test_a_line_for_each_question_says_what_answer_says(
    source: str,
    reader: BertReader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    terminal: Terminal,
) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text("\ufeff" + rows(id="x"), encoding="utf-8")
    piped = io.TextIOWrapper(io.BytesIO(path.read_bytes()), encoding="cp1252")
    monkeypatch.setattr("sys.stdin", piped)
    out = terminal.read("answer", "--jsonl", path if source == "file" else "-")
    found = [json.loads(line) for line in out.splitlines()]
    for question, row in zip(ASKED, found, strict=True):
        reading = reader.read(question, kit.CONTEXT, OPTIONS)
        wanted = json.loads(json.dumps(answer_json(reading, predict(reading)))) | {"id": "x"}
        assert row["answer"] == wanted["answer"] and row.keys() == wanted.keys()
        assert row["score"] == pytest.approx(wanted["score"])


def test_a_question_that_cannot_be_read_keeps_its_line(tmp_path: Path, terminal: Terminal) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text(rows() + json.dumps({"question": " ", "context": "c"}))
    lines = terminal.read("answer", "--jsonl", path, code=2).splitlines()
    assert len(lines) == 4 and "the question is empty" in json.loads(lines[3])["error"]
    assert "1 of 4 questions could not be read" in terminal.err
