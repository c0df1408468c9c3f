"""python -m qa_demo perturb FILE: questions and their changed twins, for `evaluate` to compare."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from qa_demo.cli.files import write_file
from qa_demo.cli.questions import load_questions
from qa_demo.core.errors import BadInput
from qa_demo.core.measuring.perturb import MARK, PERTURBATIONS, others, perturbed
from qa_demo.core.measuring.questions import flat_row


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "perturb", help="change questions and texts in ways whose right answer is known"
    )
    command.add_argument("file", type=Path, help="Questions, in any layout that evaluate reads.")
    command.add_argument(
        "--with",
        dest="rules",
        nargs="+",
        choices=tuple(PERTURBATIONS),
        default=list(PERTURBATIONS),
        metavar="RULE",
        help="; ".join(f"{name}: {rule.says}" for name, rule in PERTURBATIONS.items())
        + ". Default: all.",
    )
    command.add_argument("--limit", type=int, help="Only the first so many questions.")
    command.add_argument("--seed", type=int, default=0, help="Of the draws. Default: 0.")
    command.add_argument("--out", type=Path, help="Default: FILE's name with .perturbed.jsonl.")


def run(args: argparse.Namespace) -> None:
    """Write JSON lines: each question, then its twins. Errors: BadInput."""
    if args.limit is not None and args.limit < 1:
        raise BadInput(f"--limit must be at least 1, got {args.limit}")
    everything = load_questions(args.file)
    examples = everything[: args.limit]
    if not examples:
        raise BadInput(f"{args.file.name} holds no question")
    found = perturbed(examples, args.rules, args.seed, others(everything))
    out = args.out or Path(f"{args.file.name.split('.')[0]}.perturbed.jsonl")
    write_file(out, "".join(json.dumps(flat_row(e), ensure_ascii=False) + "\n" for e in found))
    counts = Counter(e.id.rpartition(MARK)[2] for e in found if MARK in e.id)
    said = ", ".join(f"{name} {counts[name]:,}" for name in args.rules)
    sys.stdout.write(f"{out}: {len(examples):,} questions and their twins: {said}\n")
