"""python -m qa_demo course: what a teacher prints, from the files of the plans and lessons."""

import argparse
import sys
from pathlib import Path
from typing import Any

from qa_demo.cli.files import write_file
from qa_demo.core.errors import BadInput
from qa_demo.figures.course.paper import PAPERS


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "course", help="print a plan of an hour, or the aims of the lessons"
    )
    command.add_argument("what", help="A plan (45, 90, 2x90), or aims.")
    command.add_argument("--paper", choices=PAPERS, default="A4", help="The size of the paper.")
    command.add_argument("--out", type=Path, help="The file to write. Default: WHAT.html.")


def run(args: argparse.Namespace) -> None:
    """Write one file of HTML to print. Errors: BadInput for what is not there, or a plan with a
    fault.
    """
    from qa_demo.figures.course.plans import printed, printed_aims
    from qa_demo.views.lessons.course import load
    from qa_demo.views.lessons.teaching import CHAPTERS, teaching, texts

    found = teaching(load())
    plans = {plan.id: plan for plan in found.plans}
    if args.what == "aims" and found.aims:
        page = printed_aims(found, args.paper)
    elif args.what in plans:
        page = printed(plans[args.what], CHAPTERS, texts(), args.paper)
    else:
        known = ", ".join([*plans, "aims"])
        faults = "".join(f"; {fault}" for fault in found.faults)
        raise BadInput(f"there is no '{args.what[:40]}' to print, only {known}{faults}")
    for fault in found.faults:
        sys.stderr.write(f"left out: {fault}\n")
    out = args.out or Path(f"{args.what}.html")
    sys.stdout.write(f"{out}: {write_file(out, page):,} bytes\n")
