"""Text files, tables and JSON: what is read and written, and the one sentence otherwise."""

import gzip

import pytest

from qa_demo.core.base import BadInput
from qa_demo.files import dumps, json_lines, read_text

TEXT = "Zoë sails.\r\nŁódź\rends\n"


@pytest.mark.parametrize(
    "raw", [TEXT.encode(), TEXT.encode("utf-8-sig"), gzip.compress(TEXT.encode(), mtime=0)]
)
def test_a_text_comes_as_it_stands(raw, tmp_path):
    path = tmp_path / "text"
    path.write_bytes(raw)
    assert read_text(path) == TEXT


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (TEXT.encode("utf-16"), "t is not UTF-8: .* it is UTF-16: save it as UTF-8"),
        ("Zoë".encode("cp1252"), "t is not UTF-8: byte 2 .* code page such as cp1252"),
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


def test_lines_of_json_keep_their_numbers():
    assert list(json_lines('1\n\n {"a": 2}\r\n', "f")) == [(1, 1), (3, {"a": 2})]
    with pytest.raises(BadInput, match="f, line 2 is not JSON"):
        list(json_lines("1\n{\n", "f"))


def test_a_text_of_any_letters_is_one_line_of_ascii():
    assert dumps({"a": "é\ud800\n"}) == '{"a": "\\u00e9\\ud800\\n"}'
