"""picture: a chapter's blocks as JSON; page: all nine chapters as one file of HTML."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.core.base import BadInput
from qa_demo.files import write_file
from qa_demo.saved import pictures_of, saved
from qa_demo.state import CHAPTERS, State, load

ELSEWHERE = ("null_score_diff_threshold", "max_query_length", "rule")
"""Fields of `read` that a page has no flag for."""


def add(commands: Any) -> None:
    """The flags of both."""
    page = commands.add_parser(
        "page", help="save a reading with all nine chapters as one file of HTML"
    )
    shared.add_fields(page, "read", without=ELSEWHERE)
    unset = argparse.SUPPRESS
    page.add_argument("--example", metavar="ID", default=unset, help="In place of the two texts.")
    page.add_argument("--out", type=Path, default="reading.html", help="Default: reading.html.")
    shared.add_reader(page)
    shared.add_json(page)
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
    found = shared.given(args, State.model_fields)
    if "example" not in found and not {"question", "context"} <= found.keys():
        raise BadInput("page needs --question and --context (or --context-file), or --example ID")
    if "example" in found and {"question", "context"} & found.keys():
        raise BadInput("--example brings its own texts; leave out --question and --context")
    state = load({**found, "reader": args.reader})
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
