"""answer --jsonl, and output that cannot be written: in real processes where it matters."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from qa_demo.cli.main import PIPE_CLOSED, main
from qa_demo.core.files.report import answer_json
from qa_demo.core.reading.predict import predict
from qa_demo.model.loading import load_reader
from tests.cli.test_main import OPTIONS, SMALL, assert_fails
from tests.model import kit

pytestmark = pytest.mark.model
QUESTIONS = ["Who designed the bridge?", "When was it opened?", "What was painted?"]


def rows(**more: str) -> str:
    made = [{"question": q, "context": kit.CONTEXT, **more} for q in QUESTIONS]
    return "\n".join(map(json.dumps, made)) + "\n"


@pytest.mark.parametrize("source", ["file", "-"])
def test_a_line_for_each_question_says_what_answer_says(
    source: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text("\ufeff" * (source == "file") + rows(id="x"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(rows(id="x")))
    name = str(path) if source == "file" else "-"
    assert main(["answer", "--jsonl", name, "--reader", str(folder), *SMALL]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    reader = load_reader(str(folder))
    for question, row in zip(QUESTIONS, found, strict=True):
        reading = reader.read(question, kit.CONTEXT, OPTIONS)
        wanted = json.loads(json.dumps(answer_json(reading, predict(reading)))) | {"id": "x"}
        assert row["answer"] == wanted["answer"] and row.keys() == wanted.keys()
        assert row["score"] == pytest.approx(wanted["score"])


def test_a_question_that_cannot_be_read_keeps_its_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text(rows() + json.dumps({"question": " ", "context": "c"}))
    assert main(["answer", "--jsonl", str(path), "--reader", str(folder), *SMALL]) == 2
    streams = capsys.readouterr()
    assert len(streams.out.splitlines()) == 4
    assert "the question is empty" in json.loads(streams.out.splitlines()[3])["error"]
    assert "1 of 4 questions could not be read" in streams.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "answer needs --question and --context"),
        (["--question", "q"], "answer needs --question and --context"),
        (["--jsonl", "x", "--question", "q"], "--jsonl brings its own questions"),
        (["--jsonl", "no.jsonl"], "no.jsonl cannot be read"),
    ],
)
def test_flags_that_do_not_go_together(
    flags: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_fails(capsys, ["answer", *flags], words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1 is not JSON"),
        ("[]", "line 1 must be an object with the texts"),
        ('{"question": "q"}', "line 1 must be an object with the texts"),
    ],
)
def test_a_line_that_is_none(
    line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text(line)
    assert_fails(capsys, ["answer", "--jsonl", str(tmp_path / "a.jsonl")], words)


def start(folder: Path, stdout: int) -> subprocess.Popen:
    flags = ["--reader", str(folder), *SMALL, "--jsonl", "-"]
    command = [sys.executable, "-m", "qa_demo", "answer", *flags]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, stdout=stdout, **pipes)


def test_a_closed_pipe_ends_without_a_word(folder: Path) -> None:
    process = start(folder, subprocess.PIPE)
    process.stdout.close()
    _, said = process.communicate(rows().encode(), timeout=120)
    assert process.returncode == PIPE_CLOSED and b"Traceback" not in said
    assert b"Error" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_disk_is_a_sentence(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(folder, full.fileno())
        _, said = process.communicate(rows().encode(), timeout=120)
    assert process.returncode == 2 and b"Traceback" not in said
    assert b"the result cannot be written: No space left on device" in said
