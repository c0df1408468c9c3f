"""The command line as a whole, mostly in this process; three real processes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from qa_demo.cli.main import PIPE_CLOSED, main
from qa_demo.cli.shared import visible
from qa_demo.core.predict import predict
from qa_demo.core.types import RULES, DecodeOptions
from qa_demo.evaluation.run import evaluate
from tests.fakes import FakeReader


def test_escape_sequences_stay_visible():
    assert visible("a\x1b[2Jb\u202ec\ud800é🙂") == "a\\x1b[2Jb\\u202ec\\ud800é🙂"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("threshold", "null"), [(-100.0, 2.0), (3.0, 8.0), (None, 8.0)])
def test_evaluate_withholds_what_answer_withholds(rule, threshold, null):
    context = "The book was written by Ada Lovelace in London. Charles Babbage read it."
    asked = {"Who wrote it?": ["London"], "Who read it?": []}
    rows = [{"question": q, "context": context, "answers": a} for q, a in asked.items()]
    reader = FakeReader(threshold=threshold, null=null)
    decode = DecodeOptions(null_score_diff_threshold=threshold or 0.0, rule=rule)
    said = [predict(reader.read(question, context), decode).answer for question in asked]
    scores = evaluate(reader, rows, decode=DecodeOptions(rule=rule)).scores
    assert scores["NoAns_exact"] == 100.0 * (said[1] is None)
    assert scores["HasAns_exact"] == 100.0 * (said[0] == "London")


def process(*arguments: str, stdout: Any = subprocess.DEVNULL) -> tuple[int, str]:
    """The exit code of another Python and what it said on stderr."""
    words = [sys.executable, *arguments]
    done = subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


PICTURE = ("-m", "qa_demo", "picture", "spans")
"""Of an example whose reading is stored: no model is loaded."""


def test_no_command_imports_what_takes_seconds_before_it_is_needed():
    slow = "{'torch', 'transformers', 'captum', 'gradio', 'plotly'}"
    program = f"from qa_demo.cli.main import main; main({PICTURE[2:]!r})"
    assert process("-c", f"{program}; import sys; assert not {slow} & set(sys.modules)") == (0, "")


def test_a_closed_pipe_ends_without_a_word():
    heard, pipe = os.pipe()
    os.close(heard)
    assert process(*PICTURE, stdout=pipe) == (PIPE_CLOSED, "")


def test_a_stream_that_is_closed_is_an_empty_one(monkeypatch, terminal):
    monkeypatch.setattr(sys, "stdin", None)
    terminal.refuses("standard input is not JSON", "picture", "spans", "--state", "-")
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["report", "none.jsonl"]) == 2 and sys.stdout.write("") == 0


def test_a_fault_of_the_system_is_a_sentence_that_names_the_file(monkeypatch, terminal):
    fault = PermissionError(13, "Permission denied", "/no/weights")
    monkeypatch.setattr("qa_demo.cli.page.lessons", Mock(side_effect=fault))
    terminal.refuses("/no/weights cannot be used: Permission denied", "lesson", "check")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_disk_is_a_sentence():
    with Path("/dev/full").open("wb") as full:
        code, said = process(*PICTURE, stdout=full)
    assert code == 2 and said.count("\n") == 1
    assert "the result cannot be written: No space left on device" in said
