"""Files of a command: questions read, results written whole or not at all, never over an input."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from qa_demo.cli.shared import visible
from qa_demo.core.base import BadInput
from qa_demo.core.files.texts import layout, read_bytes
from qa_demo.core.measuring.questions import Questions, from_rows, read_questions
from qa_demo.core.measuring.remarks import remarks
from qa_demo.core.types import Example

OUTPUTS = ("out", "report", "eval_results")
"""The flags that name a file to write; every other path is read."""
READERS = ("jsonl", "reader", "against", "model", "state")
"""Flags that take a path or something else."""


def check_paths(args: argparse.Namespace) -> None:
    """Refuse a command that would write over what it reads, or twice into one file. Errors:
    BadInput.
    """
    given = {name: value for name, value in vars(args).items() if value is not None}
    writes = {name: given[name] for name in OUTPUTS if isinstance(given.get(name), Path)}
    reads = {n: v for n, v in given.items() if n not in writes and isinstance(v, Path)}
    reads |= {n: Path(given[n]) for n in READERS if isinstance(given.get(n), str)}
    if args.command == "evaluate" and "out" in writes:  # what stands beside the lines
        beside = ["run.json"] + [f"against{writes['out'].suffix}"] * ("against" in given)
        for end in beside:
            writes[end] = writes["out"].with_name(f"{writes['out'].stem}.{end}")
    for name, path in writes.items():
        written = [other for kind, other in writes.items() if kind < name]
        if any(path.resolve() == other.resolve() for other in written):
            raise BadInput(f"{path.name} would be written twice; name another file")
        for read in reads.values():
            if path.is_file() and (
                (read.is_file() and path.samefile(read)) or read.resolve() in path.resolve().parents
            ):
                raise BadInput(
                    f"the result would be written over {path.name}, which is read; name another "
                    f"file"
                )


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


def load_questions(path: Path) -> list[Example]:
    """All questions of a file, in order; the end of its name says the layout. What would bend a
    total is said on stderr. Errors: BadInput.
    """
    found = _read(path)
    tell(path.name, found.examples, found.empty_rows)
    return found.examples


def tell(name: str, examples: Sequence[Example], empty_rows: Sequence[int]) -> None:
    """Count and name on stderr what is odd about a file."""
    sys.stderr.write(
        "".join(f"{visible(name)}: {visible(one)}\n" for one in remarks(examples, empty_rows))
    )


def _read(path: Path) -> Questions:
    if layout(path) != ".parquet":
        return read_questions(path)
    try:
        import pyarrow.parquet
    except ImportError as fault:
        raise BadInput(
            f"{path.name} is Parquet, which needs the package pyarrow (pip install pyarrow); or "
            f"save it as JSON lines (datasets: data.to_json)"
        ) from fault
    raw = io.BytesIO(read_bytes(path))
    try:
        rows = pyarrow.parquet.read_table(raw).to_pylist()
    except (OSError, ValueError) as fault:  # ArrowInvalid is a ValueError
        raise BadInput(f"{path.name} is not a readable Parquet file: {fault}") from fault
    return from_rows(rows, path.name)
