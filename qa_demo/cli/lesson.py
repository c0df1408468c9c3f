"""python -m qa_demo lesson check FOLDER: is every file a lesson, and does each step hold with the
reader?
"""

import argparse
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.cli.shared import visible
from qa_demo.core.course.lesson_folder import TEXT
from qa_demo.core.course.lessons import Lesson
from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Answer
from qa_demo.core.types import Reading
from qa_demo.figures.lessons.proof import Proved, prove

ISOLATES = dict.fromkeys((0x2068, 0x2069))
"""The marks around a quoted text are for pages; a terminal prints them as codes."""


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "lesson", help="check the lessons of a folder: their form, and what each step shows"
    )
    command.add_argument("action", choices=("check",), help="What to do.")
    command.add_argument("folder", type=Path, help="The folder with the files NAME.md.")
    shared.add_reader(command)


def run(args: argparse.Namespace) -> None:
    """Print one line for each step, and for a text of one's own which steps of all lessons hold
    with it. Errors: BadInput for a file that cannot be used, or when a step does not hold.
    """
    from qa_demo.views.examples import load_examples
    from qa_demo.views.lessons.course import SAID, load_course, load_folder
    from qa_demo.views.measured import measured

    folder, examples = load_folder(args.folder), load_examples()
    reader, figures = shared.load(args), measured(args.reader)

    @cache
    def read(key: str) -> tuple[Reading, tuple[Answer, ...]]:
        example = examples[key]
        stored = example.stored(reader.checksum)
        if stored is None:
            stored = reader.read(example.question, example.context, example.options)
        return stored, example.answers

    if folder.text is not None:
        own = reader.read(*folder.text), ()
        for lesson in load_course(args.folder).lessons:
            if lesson.id != SAID:
                write_held(lesson, prove(lesson, lambda key: own, reader, figures, True))
    faults = 0
    for lesson in folder.lessons:
        sys.stdout.write(f"{lesson.file}: {visible(lesson.title)}\n")
        for found in prove(lesson, read, reader, figures):
            faults += found.fault is not None
            said = found.fault or found.decides or "nothing to check"
            mark = "ok   " if found.fault is None else "FAULT"
            bare = said.translate(ISOLATES)
            sys.stdout.write(f"  {mark} line {found.step.line}: {visible(bare)}\n")
    for fault in folder.faults:
        sys.stdout.write(f"FAULT {visible(fault)}\n")
    if folder.faults:
        raise BadInput(f"{len(folder.faults)} of the files in {args.folder} cannot be used")
    if faults:
        raise BadInput(f"{faults} step{'s' if faults > 1 else ''} of {args.folder} do not hold")


def write_held(lesson: Lesson, proved: Iterable[Proved]) -> None:
    """Print which steps of a lesson hold with a text of one's own."""
    told = [found.fault is None for found in proved]
    held = ", ".join(str(k) for k, holds in enumerate(told, 1) if holds) or "none"
    sys.stdout.write(f"{TEXT}: {visible(lesson.title)}, {len(told)} steps; these hold: {held}\n")
