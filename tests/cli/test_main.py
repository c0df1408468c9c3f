"""The command line as a whole, mostly in this process; two real processes."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

import qa_demo
from qa_demo.cli.main import PIPE_CLOSED, main
from qa_demo.cli.shared import visible


def process(*arguments: str, stdout: Any = subprocess.DEVNULL) -> tuple[int, str]:
    """The exit code of another Python and what it said on stderr."""
    words = [sys.executable, *arguments]
    done = subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


PICTURE = ("-m", "qa_demo", "picture", "spans")  # its reading is stored: no model is loaded


def test_a_closed_pipe_ends_a_command_without_a_word_which_imported_nothing_that_takes_seconds():
    heard, pipe = os.pipe()
    os.close(heard)
    slow = "{'torch', 'transformers', 'captum', 'gradio', 'plotly'} & set(sys.modules)"
    program = f"import sys; from qa_demo.cli.main import main; code = main({PICTURE[2:]!r})"
    assert process("-c", f"{program}; sys.exit({slow} or code)", stdout=pipe) == (PIPE_CLOSED, "")


@pytest.mark.parametrize(("start", "main"), [("__main__", "cli.main"), ("../app", "app")])
@pytest.mark.parametrize("imported", [False, True])
def test_an_interrupted_command_ends_with_130(imported, start, main, monkeypatch, capsys):
    stops = Mock(side_effect=KeyboardInterrupt)
    module = SimpleNamespace(main=stops) if imported else type("", (), {"__getattr__": stops})()
    monkeypatch.setitem(sys.modules, f"qa_demo.{main}", module)
    with pytest.raises(SystemExit, match=r"^130$"):
        runpy.run_path(f"{qa_demo.__path__[0]}/{start}.py", run_name="__main__")
    assert capsys.readouterr().err == "\ninterrupted\n"


def test_streams_may_be_closed_or_without_greek_and_escape_sequences_stay_visible(
    monkeypatch, terminal, tmp_path
):
    assert visible("a\x1b[2Jb\u202ec\ud800é🙂") == "a\\x1b[2Jb\\u202ec\\ud800é🙂"
    monkeypatch.setattr(sys, "stdin", None)
    terminal.refuses("standard input is not JSON", "picture", "spans", "--state", "-")
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["report", "none.jsonl"]) == 2 and sys.stdout.write("") == 0
    monkeypatch.setattr(sys, "stderr", (said := tmp_path / "said").open("w", encoding="ascii"))
    assert main(["report", "Ω.jsonl"]) == 2 and "\\u03a9.jsonl" in said.read_text()


def test_a_fault_of_the_system_is_a_sentence_and_a_full_disk_behind_stderr_keeps_the_code(
    monkeypatch, terminal
):
    fault = PermissionError(13, "Permission denied", "/no/weights")
    monkeypatch.setattr("qa_demo.lessons.files.read_folders", Mock(side_effect=fault))
    terminal.refuses("/no/weights cannot be used: Permission denied", "lesson", "check")
    monkeypatch.setattr("sys.stderr.write", Mock(side_effect=OSError(28, "full")))
    assert main(["report", "none.jsonl"]) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_disk_is_a_sentence():
    with Path("/dev/full").open("wb") as full:
        code, said = process(*PICTURE, stdout=full)
    assert (code, said[27:]) == (2, "the result cannot be written: No space left on device\n")
