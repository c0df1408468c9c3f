"""python -m qa_demo course: what a teacher prints, from the files of plans, lessons, exercises."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qa_demo.cli.files import write_file
from qa_demo.core.course.room_quiz import FORMS
from qa_demo.core.errors import BadInput
from qa_demo.figures.course.exercises import checked_seed
from qa_demo.figures.course.paper import PAPERS
from qa_demo.figures.course.task_sheets import (
    MOST_COPIES,
    exam_sheets,
    homework_sheets,
    quiz_sheets,
)

TASKS: dict[str, Callable[[Any, argparse.Namespace], tuple[str, str]]] = {
    "homework": lambda kinds, a: homework_sheets(kinds, a.seed, a.copies, a.paper),
    "exam": lambda kinds, a: exam_sheets(kinds, a.seed, a.paper),
    "quiz": lambda kinds, a: quiz_sheets(kinds, a.form, a.paper),
}
"""What is printed with its solutions in a second file."""


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "course", help="print a plan of an hour, the aims of the lessons, homework, an exam, a quiz"
    )
    command.add_argument("what", help=f"A plan (45, 90, 2x90), aims, {', '.join(TASKS)}.")
    command.add_argument("--paper", choices=PAPERS, default="A4", help="The size of the paper.")
    command.add_argument(
        "--seed",
        default="1",
        help="Homework and exam: draws the numbers; the same seed, the same numbers. Default: 1.",
    )
    command.add_argument(
        "--copies",
        type=int,
        default=1,
        help="Homework: sheets with other numbers each. Default: 1.",
    )
    command.add_argument("--form", choices=FORMS, default=FORMS[0], help="The form of the quiz.")
    command.add_argument(
        "--out",
        type=Path,
        help="The file to write. Default: WHAT.html; solutions stand beside it in "
        "WHAT-solutions.html.",
    )


def run(args: argparse.Namespace) -> None:
    """Write a file of HTML to print, and one of solutions where there are some. Errors: BadInput
    for what is not there, or a plan or exercise with a fault.
    """
    out = args.out or Path(f"{args.what}.html")
    args.seed = checked_seed(args.seed)
    if not 1 <= args.copies <= MOST_COPIES:
        raise BadInput(f"1 to {MOST_COPIES} copies can be printed, got {args.copies}")
    pages = _tasks(args) if args.what in TASKS else [_plan(args)]
    for name, page in zip((out, out.with_stem(f"{out.stem}-solutions")), pages, strict=False):
        sys.stdout.write(f"{name}: {write_file(name, page):,} bytes\n")


def _tasks(args: argparse.Namespace) -> tuple[str, str]:
    """The exercises and their solutions."""
    from qa_demo.views.lessons.tasks import kinds

    found = kinds()
    for fault in found.faults:
        sys.stderr.write(f"left out: {fault}\n")
    return TASKS[args.what](found, args)


def _plan(args: argparse.Namespace) -> str:
    """A plan, or the aims of the lessons."""
    from qa_demo.figures.course.plans import printed, sheets
    from qa_demo.views.lessons.course import CHAPTERS, load
    from qa_demo.views.lessons.teaching import teaching, texts

    found = teaching(load())
    pages = list(sheets(found, CHAPTERS, texts()))
    for fault in found.faults:
        sys.stderr.write(f"left out: {fault}\n")
    if wanted := [one for one in pages if one.plan == args.what]:
        return printed(wanted, args.paper)
    known = ", ".join([*dict.fromkeys(one.plan for one in pages), *TASKS])
    faults = "".join(f"; {fault}" for fault in found.faults)
    raise BadInput(f"there is no '{args.what[:40]}' to print, only {known}{faults}")
