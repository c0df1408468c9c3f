"""What the page shows: picture prints a chapter's blocks as JSON, page saves all chapters as
one file of HTML, lesson proves every reveal of lessons.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.core.base import QADemoError
from qa_demo.files import dumps, file_name, from_json, read_text, write_file
from qa_demo.pictures import CHAPTERS
from qa_demo.saved import pictures_of, saved
from qa_demo.state import State, load


def add(commands: Any) -> None:
    """The flags of all three."""
    page = commands.add_parser("page", help="save a reading with all chapters as one file of HTML")
    others = ("null_score_diff_threshold", "max_query_length", "rule")  # a page has no such flags
    shared.add_fields(page, "read", without=others)
    unset = argparse.SUPPRESS
    page.add_argument("--example", metavar="ID", default=unset, help="In place of the two texts.")
    page.add_argument("--out", type=Path, default="reading.html", help="Default: reading.html.")
    page.add_reader()
    page.set_defaults(run=save)
    picture = commands.add_parser("picture", help="print a chapter's blocks as JSON")
    picture.add_argument("chapter", help=f"One of {', '.join(CHAPTERS)}.")
    says = "A page's state as JSON, or - for standard input: what stands behind # in the page's "
    says += "address. Default: what the chapter opens with."
    picture.add_argument("--state", type=Path, metavar="FILE", help=says)
    picture.add_reader()
    picture.set_defaults(run=print_picture)
    lesson = commands.add_parser("lesson", help="prove every reveal of lessons with the reader")
    lesson.add_argument("what", choices=["check"], help="check: compute every guess and reveal")
    says = "A folder of lessons. Default: those of the page."
    lesson.add_argument("folder", type=Path, nargs="?", help=says)
    lesson.set_defaults(reader="bundled", base=None, run=lessons)


def save(args: argparse.Namespace) -> None:
    """Write all chapters as one file. Errors: BadInput."""
    state = load({**shared.given(args, State.model_fields), "reader": args.reader})
    text = saved(pictures_of(shared.pictures(args), state), state)
    sys.stdout.write(f"{args.out}: {write_file(args.out, text):,} bytes\n")


def print_picture(args: argparse.Namespace) -> None:
    """Print a chapter's blocks. Errors: BadInput."""
    found: Any = {}
    if args.state is not None:
        found = from_json(read_text(args.state), file_name(args.state))
        load(found)  # what is no object is refused by its own sentence
    reader = {} if args.reader == "bundled" else {"reader": args.reader}
    state = load({**found, **reader, "chapter": args.chapter})
    sys.stdout.write(dumps(shared.pictures(args).picture(state)) + "\n")


def lessons(args: argparse.Namespace) -> int:
    """Each step with its right guess, its wrong ones and its reveal; 1 where one does not hold."""
    from qa_demo.lessons.files import OWN, TEACHERS, read_folders, read_lesson
    from qa_demo.lessons.served import Lessons

    found = read_folders(args.folder or OWN)
    found += () if args.folder else (read_lesson(TEACHERS / "wrong.md"),)
    served, hold, steps = Lessons(shared.pictures(args), found), 0, 0
    for lesson in found:
        steps += len(lesson.steps)
        for number, step in enumerate(lesson.steps, 1):
            lines = [f"{lesson.id}.md, line {step.line}, step {number}: {step.title}"]
            try:
                lines += [f"  {said}" for said in served.proof(step) if said]
                hold += 1
            except QADemoError as fault:
                lines.append(f"  does not hold: {fault}")
            sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.write(f"{hold} of {steps} steps hold\n")
    return int(hold < steps)
