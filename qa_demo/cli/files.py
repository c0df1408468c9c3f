"""No command writes over what it reads."""

import argparse
from pathlib import Path

from qa_demo.core.base import BadInput

OUTPUTS = ("out", "report", "eval_results")
"""The flags that name a file to write; every other path is read."""
READERS = ("jsonl", "reader", "model", "state")
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
        writes["run.json"] = writes["out"].with_name(f"{writes['out'].stem}.run.json")
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
