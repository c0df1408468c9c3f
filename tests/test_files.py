"""Text files: what is read and written, whole or not at all, and one sentence otherwise."""

import errno
import gzip
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from qa_demo.core.base import BadInput
from qa_demo.files import alone, dumps, file_name, read_text, write_file

TEXT = "Zoë sails.\r\nŁódź\rends\n"


def test_a_text_comes_as_it_stands_and_any_letters_can_be_written(tmp_path):
    path = tmp_path / "text"
    for raw in (TEXT.encode(), TEXT.encode("utf-8-sig"), gzip.compress(TEXT.encode())):
        path.write_bytes(raw)
        assert read_text(path) == TEXT
    assert file_name(Path("caf\udce9.json")).encode().startswith(b"caf")  # named before UTF-8
    assert dumps({"a": "é\ud800\n"}) == '{"a": "\\u00e9\\ud800\\n"}'


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (TEXT.encode("utf-16"), "t is not UTF-8: .* it is UTF-16: save it as UTF-8"),
        ("Zoë".encode("cp1252"), "t is not UTF-8: byte 2 .* code page such as cp1252"),
        *((raw, "or no text, as tables of Parquet") for raw in (b"PAR1\0\xff", b"PK\3\4\0")),
        (b'{\0"\0a\0"\0}\0', "t is not UTF-8: byte 1 cannot be decoded; it is UTF-16, or no text"),
        (gzip.compress(b"a" * 99, mtime=0)[:-9], "t cannot be read: Compressed file ended"),
        (None, "t cannot be read: No such file"),
    ],
)
def test_another_encoding_is_named(raw, said, tmp_path):
    path = tmp_path / "t"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(BadInput, match=said):
        read_text(path)


def test_a_file_is_written_and_written_over_and_a_folder_held_by_one_process(tmp_path):
    out, other = tmp_path / "page.html", tmp_path / "page.html.part"
    other.write_text("mine")
    assert write_file(out, "häm") == 4 and out.read_bytes() == "häm".encode()
    first = out.stat().st_ino  # who reads it meanwhile reads a whole one
    assert write_file(out, "a\n") == 2 and out.read_bytes() == b"a\n" and out.stat().st_ino != first
    assert {*tmp_path.iterdir()} == {out, other} and other.read_text() == "mine"
    for link, to in (("link", "page.html"), ("to-nothing-yet", "new.html")):
        (tmp_path / link).symlink_to(to)
        write_file(tmp_path / link, "b\n")
        assert (tmp_path / link).is_symlink() and (tmp_path / to).read_bytes() == b"b\n"
    alone(tmp_path)
    with ProcessPoolExecutor(1) as other:
        assert "another process writes to" in str(other.submit(alone, tmp_path).exception())


@pytest.mark.parametrize("before", [[], ["the last one"]])
def test_a_full_disk_leaves_what_was_there(before, tmp_path, monkeypatch):
    out, write = tmp_path / "page.html", Path.write_bytes

    def half(path, raw):
        write(path, raw[: len(raw) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    for text in before:
        out.write_text(text)
    with pytest.raises(BadInput, match=r"page\.html cannot be written: No space left"):
        write_file(out, "the new one")
    assert [one.read_text() for one in tmp_path.iterdir()] == before


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
