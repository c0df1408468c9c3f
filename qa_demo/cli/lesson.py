"""python -m qa_demo lesson check: prove every reveal of lessons with the bundled reader."""

import argparse
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.core.base import QADemoError


def add(commands: Any) -> None:
    """The flags of `lesson check`."""
    command = commands.add_parser("lesson", help="prove every reveal of lessons with the reader")
    command.add_argument("what", choices=["check"], help="check: compute every guess and reveal")
    says = "A folder of lessons. Default: those of the page."
    command.add_argument("folder", type=Path, nargs="?", help=says)
    command.set_defaults(reader="bundled", base=None)
    shared.add_json(command)


def run(args: argparse.Namespace) -> int:
    """Each step with its right guess, its wrong ones and its reveal; 1 where one does not hold.
    Errors: BadInput for a wrong file.
    """
    from qa_demo.lessons.files import OWN, TEACHERS, read_folders, read_lesson
    from qa_demo.lessons.served import Lessons

    lessons = read_folders(args.folder or OWN)
    lessons += () if args.folder else (read_lesson(TEACHERS / "wrong.md"),)
    served, rows = Lessons(shared.pictures(args), lessons), []
    for lesson in lessons:
        for number, step in enumerate(lesson.steps, 1):
            row: dict[str, Any] = {"file": f"{lesson.id}.md", "line": step.line, "step": number}
            try:
                row |= served.proof(step)
            except QADemoError as fault:
                row["fault"] = str(fault)
            rows.append({**row, "title": step.title, "ask": step.ask})
    shared.write({"steps": rows}, args.json, report)
    return int(any("fault" in row for row in rows))


def report(found: dict[str, Any]) -> str:
    """A line for each step; of one that holds, its words."""
    rows, lines = found["steps"], []
    for row in rows:
        lines.append(f"{row['file']}, line {row['line']}, step {row['step']}: {row['title']}")
        if "fault" in row:
            lines.append(f"  does not hold: {row['fault']}")
            continue
        lines += [f"  {row['question']}"] if row["question"] else []
        lines += [f"  right: {row['right']}"] if row["right"] else []
        lines += [f"  {key}: {why}" for key, why in row["wrong"].items()]
        lines.append(f"  > {row['reveal']}")
    bad = sum("fault" in row for row in rows)
    return "\n".join([*lines, f"{len(rows) - bad} of {len(rows)} steps hold"])
