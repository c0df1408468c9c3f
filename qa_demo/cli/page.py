"""python -m qa_demo page: a reading with all nine chapters as one file of HTML."""

import argparse
from concurrent.futures import Future
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qa_demo.cli import shared
from qa_demo.cli.files import write_file
from qa_demo.cli.report import add_page, check_page
from qa_demo.cli.shared import Progress
from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.options import WindowOptions

if TYPE_CHECKING:
    from qa_demo.core.reader import Reader
    from qa_demo.views.state import Screen


def add(commands: Any) -> None:
    """The flags of `page`."""
    command = commands.add_parser(
        "page", help="save a reading with all nine chapters as one file of HTML"
    )
    command.add_argument("--question", help="The question.")
    shared.add_text(command, "context", "paragraph", required=False)
    command.add_argument("--example", metavar="ID", help="An example, in place of the two texts.")
    command.add_argument(
        "--out", type=Path, default=Path("reading.html"), help="Default: reading.html."
    )
    add_page(command)
    shared.add_options(command)


def run(args: argparse.Namespace) -> None:
    """Read, ask what the page would ask, and write the file. Errors: BadInput."""
    check_page(args.page)
    shared.decoding(args)  # refused before a reader is loaded
    reader, screen = read(args, texts(args))
    from qa_demo.app import services
    from qa_demo.views.page import frame_of, tabs
    from qa_demo.views.saved.file import html, saved
    from qa_demo.views.saved.tape import record

    first: Future[Reader] = Future()
    first.set_result(reader)
    frame = frame_of(services(args.reader, None, first))
    tape = record(frame, screen, Progress("percent"))
    text = html(saved(tape, tabs(), args.page))
    written = {"file": str(args.out), "bytes": write_file(args.out, text)}
    shared.write(written, args.json, lambda said: f"{said['file']}: {said['bytes']:,} bytes")


def texts(args: argparse.Namespace) -> PoolExample | None:
    """The example that is asked for, whose texts and windows become flags. Errors: BadInput."""
    given = args.context is not None or args.context_file is not None
    if args.example is None:
        if args.question is None or not given:
            raise BadInput(
                "page needs --question and --context (or --context-file), or --example ID"
            )
        return None
    if args.question is not None or given:
        raise BadInput("--example brings its own texts; leave out --question and --context")
    from qa_demo.views.examples import load_menu

    examples = load_menu()
    example = examples.get(args.example)
    if example is None:
        raise BadInput(
            f"there is no example '{args.example[:40]}'; there are {', '.join(examples)}"
        )
    args.question, args.context = example.question, example.context
    names = [option.name for option in fields(WindowOptions)]
    if example.windows is not None and all(getattr(args, name, None) is None for name in names):
        for name, value in zip(names, astuple(example.windows), strict=True):
            setattr(args, name, value)
    return example


def read(args: argparse.Namespace, example: PoolExample | None) -> "tuple[Reader, Screen]":
    """The reader, and the screen of a newcomer with these options."""
    reader, reading = shared.read(args)
    decode, merge = shared.decoding(args)
    reading, decode = shared.with_threshold(reading, decode, args)
    from qa_demo.views.new_reading import new_screen
    from qa_demo.views.selection import winner

    gold = () if example is None else example.answers
    known = None if example is None else example.id
    screen = new_screen(None, reading, gold, known, args.reader)
    screen = screen.change(decode=decode, merge=merge)
    chosen = winner(screen)
    return reader, screen if chosen is None else screen.select(chosen)
