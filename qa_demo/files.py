"""Files: texts and tables as people save them, JSON, and what commands write, or nothing of it."""

import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from qa_demo.core.base import BadInput

LARGEST_CELL = 10_000_000
PACKED = b"\x1f\x8b"
WIDE = (b"\xff\xfe", b"\xfe\xff")
DELIMITERS = {".csv": ",", ".tsv": "\t"}


def layout(path: Path) -> str:
    """The end of a file's name that says its layout, without .gz: ".csv"."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def read_bytes(path: Path) -> bytes:
    """A file's bytes, unpacked where gzip packed them. Errors: BadInput."""
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if raw.startswith(PACKED) else raw
    except (OSError, EOFError, zlib.error, ValueError) as fault:
        said = getattr(fault, "strerror", None) or fault
        raise BadInput(f"{path.name} cannot be read: {said}") from fault


def read_text(path: Path) -> str:
    """A file's text: UTF-8, without a byte-order mark, line ends as they stand. Errors: BadInput
    that names another encoding.
    """
    return decoded(read_bytes(path), path.name)


def decoded(raw: bytes, name: str) -> str:
    """Bytes as text; `name` is what they are called. Errors: BadInput."""
    if raw.startswith(WIDE):
        raise BadInput(f"{name} is UTF-16 and must be UTF-8; save it as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BadInput(
            f"{name} is not UTF-8: byte {fault.start} cannot be decoded; it may be of a code page "
            f"such as cp1252: save it as UTF-8"
        ) from fault


def json_lines(text: str, name: str) -> Iterator[tuple[int, Any]]:
    """The number, from 1, and the value of each line that is not blank. Errors: BadInput that names
    the line.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as fault:
                raise BadInput(f"{name}, line {number} is not JSON: {fault}") from fault


def table(text: str, name: str, kind: str) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header of a table, and each row with the line, from 1, in which it begins.

    `kind` is ".csv", whose cells may stand in quotation marks, or ".tsv", where a quotation mark is
    a letter like any other. Errors: BadInput that names the line.
    """
    limit, line, found = csv.field_size_limit(LARGEST_CELL), 1, []
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if kind == ".csv" else csv.QUOTE_NONE
    part = DELIMITERS[kind]
    held = io.StringIO(text, newline="")
    rows = csv.reader(held, strict=True, delimiter=part, quoting=quoting)
    try:
        for row in rows:
            found += [(line, row)] if row else []
            line = rows.line_num + 1
    except csv.Error as fault:
        said = f"{name} is not a readable {kind[1:].upper()} file"
        raise BadInput(f"{said}: the row from line {line}: {fault}") from fault
    finally:
        csv.field_size_limit(limit)
    if not found:
        return [], []
    first, header = found[0]
    if len(header) == 1 and ";" in header[0]:
        raise BadInput(
            f"{name}, line {first}: cells are parted by semicolons, and a {kind[1:].upper()} file "
            f"parts them by {'commas' if part == ',' else 'tabs'}; save it so"
        )
    advice = "quote a cell that holds ',' or a line end" if part == "," else "no cell holds a tab"
    for line, row in found[1:]:
        if len(row) != len(header):
            raise BadInput(
                f"{name}, line {line}: the row has {len(row)} cells, the header {len(header)}; "
                f"{advice}"
            )
    return header, [(line, dict(zip(header, row, strict=True))) for line, row in found[1:]]


def write_file(path: Path, text: str) -> int:
    """Write the text as UTF-8; the bytes it holds.

    A plain file gets its name once it is complete: on a full disk what stood there before stays.
    What is no plain file (`/dev/stdout`, a named pipe) is written to as it is. Errors: BadInput.
    """
    raw = text.encode("utf-8")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(raw)
            return len(raw)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            part.write_bytes(raw)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        raise BadInput(f"{path.name} cannot be written: {fault.strerror}") from fault
    return len(raw)


def dumps(report: dict[str, Any]) -> str:
    """One line of ASCII JSON, in which lone surrogates survive; a reader's logits are finite."""
    return json.dumps(report, ensure_ascii=True, allow_nan=False)
