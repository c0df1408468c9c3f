"""Files: texts as people save them, JSON, and what commands write, or nothing of it."""

import gzip
import json
import logging
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput


def file_name(path: Path) -> str:
    """What a file is called in a sentence."""
    if str(path) == "-":
        return "standard input"
    return os.fsencode(path.name).decode(errors="replace")  # it may be older than UTF-8


def read_text(path: Path) -> str:
    """A file's text, see `decoded`. Errors: BadInput."""
    return decoded(read_bytes(path), file_name(path))


def read_bytes(path: Path) -> bytes:
    """A file's bytes, those of standard input for "-"; a pipe has them once. Errors: BadInput."""
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except (OSError, ValueError) as fault:
        said = getattr(fault, "strerror", None) or fault
        raise BadInput(f"{path.name or path} cannot be read: {said}") from fault


def decoded(raw: bytes, name: str) -> str:
    """Bytes as text: UTF-8, without a byte-order mark, unpacked where gzip packed it, line ends as
    they stand; `name` is what they are called. Errors: BadInput that names another encoding.
    """
    try:
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        text = raw.decode("utf-8-sig")
        if (at := raw.find(0)) >= 0:
            raise UnicodeDecodeError("utf-8", raw, at, at + 1, "no letter")
        return text
    except (OSError, EOFError, zlib.error) as fault:
        raise BadInput(f"{name} cannot be read: {fault}") from fault
    except UnicodeDecodeError as fault:
        other = "it may be of a code page such as cp1252"
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            other = "it is UTF-16"
        elif b"\0" in raw:
            other = "it is UTF-16, or no text, as tables of Parquet and Excel are none"
        raise BadInput(
            f"{name} is not UTF-8: byte {fault.start} cannot be decoded; {other}: save it as UTF-8"
        ) from fault


def from_json(text: str, name: str) -> Any:
    """The value of a text in JSON; `name` is what it is called. Errors: BadInput."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"{name} is not JSON: {fault}") from fault


def json_lines(text: str, name: str) -> Iterator[tuple[int, Any]]:
    """The number, from 1, and value of each line that is not blank. Errors: BadInput, naming it."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, from_json(line, f"{name}, line {number}")


def write_file(path: Path, text: str) -> int:
    """Write the text as UTF-8; the bytes it holds. A plain file gets its name once it is complete:
    on a full disk what stood there before stays; a link stays one. What is no plain file
    (`/dev/stdout`, a named pipe) is written to as it is. Errors: BadInput; BrokenPipeError where a
    pipe's reader has gone away.
    """
    raw = text.encode("utf-8")
    try:
        if path.exists() and not path.is_file():
            return path.write_bytes(raw)
        whole = Path(os.path.realpath(path))
        part = whole.with_name(f"{whole.name}.{os.getpid()}.part")
        try:
            part.write_bytes(raw)
            os.replace(part, whole)
        finally:
            part.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise BadInput(f"{path.name or path} cannot be written: {fault.strerror}") from fault
    return len(raw)


def alone(folder: Path) -> None:
    """Hold a folder until this process ends; Windows holds none, nor does a file system without
    locks, which is logged. Errors: BadInput where another one holds it.
    """
    if sys.platform != "win32":
        import fcntl

        held = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as fault:  # a held one is either by POSIX
            raise BadInput(f"another process writes to {folder}: name another") from fault
        except OSError as fault:
            logging.warning("%s cannot be held: %s", folder, fault)


def dumps(report: dict[str, Any]) -> str:
    """One line of ASCII JSON, in which lone surrogates survive; a reader's logits are finite."""
    return json.dumps(report, ensure_ascii=True, allow_nan=False)
