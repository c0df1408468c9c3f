"""picture: a chapter's blocks as JSON; page: all nine chapters as one file of HTML."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.core.base import BadInput
from qa_demo.files import decoded, read_text, write_file
from qa_demo.state import CHAPTERS, State, load

NUMBERS = ("max_seq_length", "doc_stride", "max_answer_length", "n_best_size")
PATIENCE = 600.0


def add(commands: Any) -> None:
    """The flags of both."""
    page = commands.add_parser(
        "page", help="save a reading with all nine chapters as one file of HTML"
    )
    page.add_argument("--question", help="The question.")
    shared.add_text(page, "context", "paragraph")
    page.add_argument("--example", metavar="ID", help="An example, in place of the two texts.")
    page.add_argument(
        "--out", type=Path, default=Path("reading.html"), help="Default: reading.html."
    )
    shared.add_reader(page)
    shared.add_json(page)
    for name in NUMBERS:
        about = State.model_fields[name]
        flag = f"--{name.replace('_', '-')}"
        page.add_argument(flag, type=int, help=f"{about.description} Default: {about.default}.")
    picture = commands.add_parser("picture", help="print a chapter's blocks as JSON")
    picture.add_argument("chapter", help=f"One of {', '.join(CHAPTERS)}.")
    picture.add_argument(
        "--state",
        metavar="FILE",
        help="A page's state as JSON, or - for standard input: what stands behind # in the page's "
        "address. Default: what the chapter opens with.",
    )
    picture.add_argument("--step", type=int, help="Default: the state's.")
    shared.add_reader(picture)


def run(args: argparse.Namespace) -> None:
    """Draw, and print or write. Errors: BadInput."""
    if args.command == "picture":
        state = state_of_file(args)
        from qa_demo.saved import waited

        made = waited(shared.pictures(args), state, PATIENCE)
        sys.stdout.write(json.dumps(made, ensure_ascii=True, allow_nan=False) + "\n")
        return
    state = state_of(args)
    from qa_demo.saved import pictures_of, saved

    text = saved(pictures_of(shared.pictures(args), state, PATIENCE), state)
    written = {"file": str(args.out), "bytes": write_file(args.out, text)}
    shared.write(written, args.json, lambda said: f"{said['file']}: {said['bytes']:,} bytes")


def state_of_file(args: argparse.Namespace) -> State:
    """The state of `picture`. Errors: BadInput."""
    given: Any = {}
    if args.state is not None:
        stdin, name = args.state == "-", Path(args.state).name
        text = decoded(sys.stdin.buffer.read(), name) if stdin else read_text(Path(args.state))
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise BadInput(f"{name} is not JSON: {fault}") from fault
        load(given)  # what is no object is refused by its own sentence
    reader = {} if args.reader == "bundled" else {"reader": args.reader}
    step = {} if args.step is None else {"step": args.step}
    return load({**given, **reader, **step, "chapter": args.chapter})


def state_of(args: argparse.Namespace) -> State:
    """The state that the flags of `page` name. Errors: BadInput."""
    given = args.context is not None or args.context_file is not None
    if args.example is None and (args.question is None or not given):
        raise BadInput("page needs --question and --context (or --context-file), or --example ID")
    if args.example is not None and (args.question is not None or given):
        raise BadInput("--example brings its own texts; leave out --question and --context")
    fields = {name: getattr(args, name) for name in (*NUMBERS, "reader")}
    if args.example is not None:
        return load({"example": args.example, **fields})
    context = shared.text_of(args.context, args.context_file)
    return load({"question": args.question, "context": context, **fields})
