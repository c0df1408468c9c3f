"""python -m qa_demo site: all examples, passages and lessons as files that need no server."""

import argparse
import sys
import time
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qa_demo.cli import shared
from qa_demo.cli.files import write_file
from qa_demo.cli.report import check_page
from qa_demo.core.errors import BadInput

if TYPE_CHECKING:
    from qa_demo.core.reader import Reader
    from qa_demo.core.types import Reading
    from qa_demo.views.saved.site import Edition


def add(commands: Any) -> None:
    """The flags of `site`."""
    command = commands.add_parser(
        "site", help="write the static edition: examples, passages and lessons as plain files"
    )
    command.add_argument("out", type=Path, help="An empty folder, or one that this command made.")
    command.add_argument(
        "--page", default="", help="Where a running page is, for what needs one. Default: nowhere."
    )
    shared.add_reader(command)


def run(args: argparse.Namespace) -> None:
    """Write every file, and say so. Errors: BadInput for a folder that holds something else."""
    from qa_demo.views.saved.site import MARK

    if args.page:
        check_page(args.page)
    check_folder(args.out, MARK)

    began, size, count = time.monotonic(), 0, 0
    for name, text in edition_of(shared.load(args), args.reader, args.page).files():
        written = write(args.out / name, text)
        size, count = size + written, count + 1
        sys.stderr.write(f"{name}: {written:,} bytes\n")
        sys.stderr.flush()
    seconds = round(time.monotonic() - began)
    sys.stdout.write(f"{args.out}: {count} files, {size:,} bytes, {seconds} seconds\n")


def check_folder(out: Path, mark: str) -> None:
    """Refuse a folder that others filled. Errors: BadInput."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out.name} is no folder")
    if out.is_dir() and any(out.iterdir()) and not (out / mark).is_file():
        raise BadInput(
            f"{out.name} holds other files; give an empty folder, or one that this command made"
        )


def write(path: Path, text: str) -> int:
    """Write one file, in its folder; the bytes it holds. Errors: BadInput."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise BadInput(f"{path.parent.name} cannot be made: {fault.strerror}") from fault
    return write_file(path, text)


def edition_of(reader: "Reader", source: str, home: str) -> "Edition":
    """The edition that this reader makes, `source` being its name."""
    from qa_demo.app import services
    from qa_demo.core.files.assets import ASSETS
    from qa_demo.core.files.examples import load_passages
    from qa_demo.core.reading.windows import fitting
    from qa_demo.views.lessons.course import load
    from qa_demo.views.page import CHAPTERS, frame_of, tabs
    from qa_demo.views.saved.site import OWN, Edition

    first: Future[Reader] = Future()
    first.set_result(reader)
    served = services(source, None, first)

    @cache
    def read(key: str) -> "Reading":
        example = served.examples[key]
        stored = example.stored(reader.checksum)
        windows = fitting(example.options, reader.max_seq_length)
        return stored or reader.read(example.question, example.context, windows)

    frames = (
        frame_of(served, [m for m in CHAPTERS if m.CHAPTER.key != OWN]),
        frame_of(served, [m for m in CHAPTERS if m.CHAPTER.key == OWN]),
    )
    passages = load_passages(ASSETS / "passages.json")
    return Edition(frames, read, load(), passages, home, tabs())
