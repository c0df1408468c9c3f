"""Files are written whole or not at all, and never over what a command reads."""

import errno
import os
import threading
from pathlib import Path

import pytest

from qa_demo.core.base import BadInput
from qa_demo.files import write_file


def test_a_file_is_written_and_written_over(tmp_path):
    out, other = tmp_path / "page.html", tmp_path / "page.html.part"
    other.write_text("mine")
    assert write_file(out, "häm") == 4 and out.read_bytes() == "häm".encode()
    assert write_file(out, "a\n") == 2 and out.read_bytes() == b"a\n"
    assert {*tmp_path.iterdir()} == {out, other} and other.read_text() == "mine"
    for link in (tmp_path / "link", tmp_path / "to-nothing-yet"):
        link.symlink_to("page.html" if link.name == "link" else "new.html")
        write_file(link, "b\n")
        assert link.is_symlink() and link.resolve().read_bytes() == b"b\n"


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    out, write = tmp_path / "page.html", Path.write_bytes

    def half(path: Path, raw: bytes) -> int:
        write(path, raw[: len(raw) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    for before in (None, "the last one"):
        if before is not None:
            out.write_text(before)
        with pytest.raises(BadInput, match=r"page\.html cannot be written: No space left"):
            write_file(out, "the new one")
        assert {one.name: one.read_text() for one in tmp_path.iterdir()} == (
            {} if before is None else {"page.html": before}
        )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_plain_file_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    assert write_file(pipe, "through") == 7
    reader.join(10)
    assert heard == ["through"] and not pipe.is_file()


OVER = [
    "page --question q --context-file {a} --out {a}",
    "page --question q --context-file {a} --out {link}",
    "page --example gold --reader model --out model/config.json",
    "evaluate {run} --out {lines}",
    "evaluate {a} --out new --not-worse-than {lines} --report {lines}",
    "evaluate {a} --eval-results {a}",
    "evaluate {a} --calibration {run} --out new --report {run}",
    "report {a} --against {lines} --out {lines}",
    "report {a} --out {hard}",
    "calibrate {a} --out {a}",
]
"""Command lines whose result would go over an input; no reader is loaded for them."""


@pytest.mark.parametrize("line", OVER)
def test_no_output_goes_over_an_input(line, tmp_path, monkeypatch, terminal):
    monkeypatch.chdir(tmp_path)
    names = {"a": "a.txt", "lines": "p.jsonl", "run": "p.run.json", "against": "p.against.jsonl"}
    for name in ("sub", "model"):
        Path(name).mkdir()
    for name in (*names.values(), "model/config.json"):
        Path(name).write_text(name)
    Path("link").symlink_to("a.txt")
    os.link("a.txt", "hard")
    words = line.format(**names, link="link", hard="hard").split()
    terminal.refuses("which is read; name another file", *words)
    for name in (*names.values(), "model/config.json"):
        assert Path(name).read_text() == name


@pytest.mark.parametrize(
    "line", ["evaluate a --out b --report b", "evaluate a --out b --eval-results ./b"]
)
def test_two_results_never_go_into_one_file(line, terminal):
    terminal.refuses("b would be written twice; name another file", *line.split())
