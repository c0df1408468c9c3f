"""python -m qa_demo report LINES: one file of HTML that opens without a network, from the lines
that `evaluate --out` wrote; no model runs.
"""

import argparse
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from qa_demo.cli.shared import visible
from qa_demo.core.base import BadInput
from qa_demo.evaluation.lines import Row, read_lines, read_run, under
from qa_demo.evaluation.report import PAGE, write_report

Lines = tuple[list[Row], Row]


def add(commands: Any) -> None:
    """The flags of `report`."""
    command = commands.add_parser("report", help="make a page of a reader's lines")
    command.add_argument("lines", type=Path, help="What evaluate --out wrote.")
    command.add_argument("--against", type=Path, help="The lines of a second reader.")
    command.add_argument(
        "--threshold",
        type=float,
        help="Judge the first reader's lines by this no-answer threshold.",
    )
    command.add_argument(
        "--out", type=Path, default=Path("report.html"), help="Default: report.html."
    )
    add_page(command)


def add_page(command: argparse.ArgumentParser) -> None:
    """--page."""
    command.add_argument("--page", help=f"Where Spanlight runs, for the links. Default: {PAGE}")


def run(args: argparse.Namespace) -> None:
    """Write the report. Errors: BadInput."""
    if args.page is not None:
        check_page(args.page)
    rows, run = lines_of(args.lines)
    if args.threshold is not None:
        if run["rules"] == "1.1":
            raise BadInput("--threshold changes nothing under the rules of SQuAD 1.1")
        run = run | {"threshold": args.threshold, "threshold_from": "--threshold"}
        rows = [row | under(row, args.threshold, run["rules"]) for row in rows]
    other = None if args.against is None else lines_of(args.against)
    write_report(args.out, (rows, run), other, args.page)


def lines_of(path: Path) -> Lines:
    """The lines of a file, and what they were made with; lines that stand there twice are told.
    Errors: BadInput.
    """
    rows, said = read_lines(path)
    if not rows:
        raise BadInput(f"{path.name} holds no question")
    if said:
        sys.stderr.write(f"{path.name}: {visible(said)}\n")
    return rows, read_run(path)


def check_page(page: str) -> None:
    """Refuse what is no address of a page. Errors: BadInput."""
    parts = urlsplit(page)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.fragment:
        raise BadInput(f"--page must be an address such as {PAGE}, got {page[:80]!r}")
