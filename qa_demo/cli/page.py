"""python -m qa_demo page: a reading with all nine chapters as one file of HTML."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.cli.files import write_file
from qa_demo.core.base import BadInput
from qa_demo.state import State, load


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
    shared.add_reader(command)
    shared.add_json(command)
    for name in ("max_seq_length", "doc_stride", "max_answer_length", "n_best_size"):
        about = State.model_fields[name]
        flag = f"--{name.replace('_', '-')}"
        command.add_argument(flag, type=int, help=f"{about.title}. Default: {about.default}.")


def run(args: argparse.Namespace) -> None:
    """Read, draw every step of every chapter, and write the file. Errors: BadInput."""
    state = state_of(args)
    from qa_demo.bundle import plotly_file, script, style
    from qa_demo.examples import load_menu
    from qa_demo.model.loading import load_reader
    from qa_demo.model.source import LOOPBACK
    from qa_demo.model.spanbert_loading import load_spanbert
    from qa_demo.pictures import Pictures
    from qa_demo.saved import pictures_of, saved

    limits = replace(LOOPBACK, base=args.base)
    pictures = Pictures.serving(
        load_menu(),
        lambda source: load_reader(source, limits),
        lambda source: load_spanbert(source, limits),
        lambda example: None,
        (args.reader,),
    )
    found = pictures_of(pictures, state, 600.0)
    text = saved(found, state, script(saved=True), plotly_file().decode(), style(saved=True))
    written = {"file": str(args.out), "bytes": write_file(args.out, text)}
    shared.write(written, args.json, lambda said: f"{said['file']}: {said['bytes']:,} bytes")


def state_of(args: argparse.Namespace) -> State:
    """The state that the flags name. Errors: BadInput."""
    given = args.context is not None or args.context_file is not None
    if args.example is None and (args.question is None or not given):
        raise BadInput("page needs --question and --context (or --context-file), or --example ID")
    if args.example is not None and (args.question is not None or given):
        raise BadInput("--example brings its own texts; leave out --question and --context")
    if args.context_file is not None and args.context_file.resolve() == args.out.resolve():
        raise BadInput("--out names the file that the paragraph is read from; name another")
    names = ("max_seq_length", "doc_stride", "max_answer_length", "n_best_size", "reader")
    fields = {name: getattr(args, name) for name in names}
    if args.example is not None:
        return load({"example": args.example, **fields})
    context = shared.text_of(args.context, args.context_file)
    return load({"question": args.question, "context": context, **fields})
