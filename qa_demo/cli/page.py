"""picture: a chapter's blocks as JSON; page: all nine chapters as one file of HTML."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.core.base import BadInput
from qa_demo.files import write_file
from qa_demo.state import CHAPTERS, State, load

FIELDS = ("question", "context", "example", "reader")
NUMBERS = ("max_seq_length", "doc_stride", "max_answer_length", "n_best_size")


def add(commands: Any) -> None:
    """The flags of both."""
    page = commands.add_parser(
        "page", help="save a reading with all nine chapters as one file of HTML"
    )
    known = State.model_json_schema()["properties"]
    page.add_argument("--question", default=argparse.SUPPRESS, help="The question.")
    shared.add_text(page, "context", "paragraph")
    page.add_argument(
        "--example",
        metavar="ID",
        default=argparse.SUPPRESS,
        help="An example, in place of the two texts.",
    )
    page.add_argument(
        "--out", type=Path, default=Path("reading.html"), help="Default: reading.html."
    )
    shared.add_reader(page)
    shared.add_json(page)
    for name in NUMBERS:
        shared.add_flag(page, name, known[name])
    picture = commands.add_parser("picture", help="print a chapter's blocks as JSON")
    picture.add_argument("chapter", help=f"One of {', '.join(CHAPTERS)}.")
    picture.add_argument(
        "--state",
        metavar="FILE",
        help="A page's state as JSON, or - for standard input: what stands behind # in the page's "
        "address. Default: what the chapter opens with.",
    )
    shared.add_reader(picture)


def run(args: argparse.Namespace) -> None:
    """Draw, and print or write. Errors: BadInput."""
    if args.command == "picture":
        made = shared.pictures(args).picture(state_of_file(args))
        sys.stdout.write(json.dumps(made, ensure_ascii=True, allow_nan=False) + "\n")
        return
    state = state_of(args)
    from qa_demo.saved import pictures_of, saved

    text = saved(pictures_of(shared.pictures(args), state), state)
    written = {"file": str(args.out), "bytes": write_file(args.out, text)}
    shared.write(written, args.json, lambda said: f"{said['file']}: {said['bytes']:,} bytes")


def state_of_file(args: argparse.Namespace) -> State:
    """The state of `picture`. Errors: BadInput."""
    found: Any = {}
    if args.state is not None:
        text, name = shared.text_of(args.state)
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise BadInput(f"{name} is not JSON: {fault}") from fault
        load(found)  # what is no object is refused by its own sentence
    reader = {} if args.reader == "bundled" else {"reader": args.reader}
    return load({**found, **reader, "chapter": args.chapter})


def state_of(args: argparse.Namespace) -> State:
    """The state that the flags of `page` name. Errors: BadInput."""
    found = shared.given(args, (*FIELDS, *NUMBERS))
    texts = found.keys() & {"question", "context"}
    if "example" not in found and len(texts) < 2:
        raise BadInput("page needs --question and --context (or --context-file), or --example ID")
    if "example" in found and texts:
        raise BadInput("--example brings its own texts; leave out --question and --context")
    return load({**found, "reader": args.reader})
