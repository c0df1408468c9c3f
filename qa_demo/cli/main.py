"""The command line: flags in, JSON or plain lines out, progress on stderr, exit code 2 and one
sentence for bad input.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path

from qa_demo import __version__
from qa_demo.app import OneSentence
from qa_demo.cli import calls, evaluate, page
from qa_demo.cli.shared import tell
from qa_demo.core.base import BadInput, QADemoError
from qa_demo.evaluation.lines import run_file

OUTPUTS = ("out", "eval_results")
"""The flags that name a file to write; every other path is read."""
LINES = ("lines", "against", "not_worse_than")
"""What evaluate --out wrote."""
READERS = ("reader", "model")
"""Flags that take a path or something else."""
PIPE_CLOSED = 141
"""The exit code that a shell gives to a program ended by a closed pipe."""


@cache
def parser() -> argparse.ArgumentParser:
    """The commands; option flags are spelled like the fields of the option records."""
    top = OneSentence(
        prog="python -m qa_demo",
        description="Read an answer out of a paragraph, and see the numbers behind it.",
    )
    top.add_argument("--version", action="version", version=f"spanlight {__version__}")
    commands = top.add_subparsers(dest="command", required=True)
    for module in (calls, page, evaluate):
        module.add(commands)  # each with the function that runs it
    commands.metavar = " | ".join(commands.choices)
    return top


def check_paths(args: argparse.Namespace) -> None:
    """Refuse a command that would write over what it reads, twice into one file, or where no file
    can be. Errors: BadInput.
    """
    given = {n: v for n, v in vars(args).items() if (n in READERS and v) or isinstance(v, Path)}
    writes = [Path(path) for name, path in given.items() if name in OUTPUTS]
    reads = [Path(path) for name, path in given.items() if name not in OUTPUTS]
    reads += [Path("/dev/stdin")] if Path("-") in reads else []  # a shell's < names a file there
    for path in writes:
        if str(path) == "-":
            raise BadInput("the result goes into a file, and - names none; name a file")
        if os.path.isdir(path) or not os.path.isdir(path.parent):
            why = "it is a folder" if os.path.isdir(path) else f"there is no folder {path.parent}"
            raise BadInput(f"{path.name or path} cannot be written: {why}")
    lines = [Path(path) for name, path in given.items() if name in LINES]
    if Path("-") in lines:
        said = "lines need NAME.run.json beside them, which says how they were made, and standard"
        raise BadInput(f"{said} input has none; name the file of the lines, got -")
    reads += map(run_file, filter(os.path.isfile, lines))
    writes += [run_file(args.out)] if args.command == "evaluate" and args.out is not None else []
    printed = [Path("/dev/stdout")] if os.path.isfile("/dev/stdout") else []  # a shell's >
    for one, other in combinations(writes + printed, 2):
        if os.path.realpath(one) == os.path.realpath(other):
            raise BadInput(f"{other.name} would be written twice; name another file")
    for path, read in product(writes, reads):
        old, kept = os.path.isfile(path), os.path.realpath(read)
        same = old and os.path.isfile(read) and os.path.samefile(path, read)
        if same or (old and Path(os.path.realpath(path)).is_relative_to(kept)):
            said = f"the result would be written over {path.name}, which is read"
            raise BadInput(f"{said}; name another file")


def run(args: argparse.Namespace) -> int:
    """Run it and hand all of its output to the system; a reader of a pipe that has gone away ends
    the command without a word, as it does other programs.
    """
    check_paths(args)
    try:
        code: int | None = args.run(args)
        sys.stdout.flush()
        return code or 0
    except OSError as fault:
        if fault.filename is not None:
            raise BadInput(f"{fault.filename} cannot be used: {fault.strerror}") from fault
        # what is left in the buffer would raise again when Python closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(fault, BrokenPipeError):
            return PIPE_CLOSED
        raise BadInput(f"the result cannot be written: {fault.strerror}") from fault


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well, 1 where a score is too low, 2 for bad input or an
    unusable reader; an interrupted one ends in `qa_demo.__main__`.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who started this
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console without Greek must not end the program
            stream.reconfigure(errors="backslashreplace")
    args = parser().parse_args(argv)
    try:
        return run(args)
    except QADemoError as fault:
        tell(f"python -m qa_demo {args.command}: {fault}")
        return 2
