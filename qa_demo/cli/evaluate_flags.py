"""The flags of `evaluate`, and which of them would change nothing together."""

import argparse
from pathlib import Path
from typing import Any

from qa_demo.cli import limits, shared
from qa_demo.cli import report as cli_report
from qa_demo.core.attribution import METHODS
from qa_demo.core.base import BadInput
from qa_demo.core.measuring.attributed import ALL, WRONG
from qa_demo.core.measuring.metrics import RULES

SPAN_ONLY = ("out", "attribute", "calibration", "rule", "n_best_size")
"""What the tags do not use."""


def add(commands: Any) -> None:
    """The flags of `evaluate`."""
    command = commands.add_parser("evaluate", help="score a reader on a file of questions")
    command.add_argument(
        "file",
        type=Path,
        help="Questions: SQuAD 1.1 or 2.0 (JSON), the same in flat rows (JSON lines, Parquet), or "
        "CSV or TSV with the columns question, context, answer; .gz is unpacked. No id stands "
        "twice.",
    )
    command.add_argument(
        "--head",
        choices=("span", "bio"),
        default="span",
        help="Start and end logits, or B, I, O tags, which withhold an answer only where "
        "--null-score-diff-threshold is given. Default: span.",
    )
    _add_rules(command)
    command.add_argument("--limit", type=int, help="Only the first so many questions.")
    command.add_argument(
        "--out",
        type=Path,
        help="Write every question as a line of JSON: n-best, null score, window, gold, exact, F1, "
        "kind of error. A file that is there is gone on with.",
    )
    _add_second(command)
    _add_attribute(command)
    command.add_argument(
        "--report", type=Path, help="Also write report.html from the lines (needs --out)."
    )
    limits.add(command)
    cli_report.add_page(command)
    cli_report.add_slice(command)
    command.set_defaults(page=None)
    shared.add_options(command)


def _add_rules(command: argparse.ArgumentParser) -> None:
    """The flag for what counts."""
    command.add_argument(
        "--rules",
        choices=("auto", *RULES),
        default="auto",
        help="The official script that counts: by 1.1 the best span always does, by 2.0 no answer "
        "may. auto: 2.0 where a question of the file has no answer. Default: auto.",
    )


def _add_attribute(command: argparse.ArgumentParser) -> None:
    """The flags of explanations."""
    command.add_argument(
        "--attribute",
        choices=METHODS,
        help="Explain the best span's score of each question by this method, word by word in its "
        "line (needs --out). Integrated gradients cost 60 passes or more; see --kinds, --limit.",
    )
    command.add_argument(
        "--kinds",
        help=f"Which questions are explained: {ALL}, {WRONG}, or kinds of error with commas. "
        f"Default: {ALL}.",
    )


def _add_second(command: argparse.ArgumentParser) -> None:
    """The flags of a second reader."""
    command.add_argument(
        "--against", help="A second reader, written beside the first (needs --out)."
    )
    command.add_argument(
        "--against-calibration",
        type=Path,
        help="Threshold and calibration that calibrate wrote for the second reader.",
    )
    cli_report.add_different(command)


def check_flags(args: argparse.Namespace) -> None:
    """Refuse what is out of range, and what would change nothing. Errors: BadInput."""
    if args.limit is not None and args.limit < 1:
        raise BadInput(f"--limit must be at least 1, got {args.limit}")
    for flag in ("against", "report", "attribute"):
        if getattr(args, flag) is not None and args.out is None:
            raise BadInput(f"--{flag} belongs to lines of questions; give --out, where they stand")
    if args.kinds is not None and args.attribute is None:
        raise BadInput("--kinds says which questions are explained; give --attribute too")
    if args.slices and args.report is None:
        raise BadInput("--slice sorts the questions of a report; give --report too")
    for flag in ("against_calibration", "allow_different"):
        if getattr(args, flag) and args.against is None:
            raise BadInput(f"--{flag.replace('_', '-')} belongs to a second reader; give --against")
    if args.page is not None and args.report is None:
        raise BadInput("--page is where the links of a report lead; give --report too")
    if args.page is not None:
        cli_report.check_page(args.page)
    for path in (args.report, args.eval_results):
        if path is not None and not path.parent.is_dir():
            raise BadInput(f"{path.name} cannot be written: there is no folder {path.parent}")
    if args.head == "bio":
        idle = [name for name in SPAN_ONLY if getattr(args, name) not in (None, False)]
        if idle:
            raise BadInput(
                f"--{idle[0].replace('_', '-')} belongs to the answers of start and end; leave it "
                f"out, or leave out --head bio"
            )
    elif args.out is None and args.n_best_size is not None:
        raise BadInput("--n-best-size is how many spans a line lists; give --out, or leave it out")
