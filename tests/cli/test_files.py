"""Files are written whole or not at all."""

import errno
import os
import threading
from pathlib import Path

import pytest

from qa_demo.cli.files import write_file
from qa_demo.core.base import BadInput


def test_a_file_is_written_and_written_over(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert write_file(out, "häm") == 4 and out.read_bytes() == "häm".encode()
    assert write_file(out, "a\n") == 2 and out.read_bytes() == b"a\n"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_what_is_no_plain_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    assert write_file(pipe, "through") == 7
    reader.join(10)
    assert heard == ["through"] and not pipe.is_file()
