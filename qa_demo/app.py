"""Open the page: `spanlight` [--lan] [--reader R] [--host H] [--port P] [--root-path P]."""

import argparse
import logging
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.core.store import READERS
from qa_demo.model.source import LOOPBACK, OTHERS, parse_source, sha256
from qa_demo.server.start import (
    BUNDLED,
    EVERYWHERE,
    LOCAL,
    free_address,
    network_address,
    own_names,
    parser,
    path_of,
    show,
)

if TYPE_CHECKING:
    from qa_demo.core.types import Reading
    from qa_demo.examples import PoolExample
    from qa_demo.pictures import Pictures

LISTENS = 1.0
"""Seconds after the page is open when the reader is loaded: beside gradio's own start both would
end late.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Open the page and serve it until interrupted; 2 and one sentence if it cannot be opened."""
    args = parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        serve(args)
        return 0
    except QADemoError as fault:
        said = str(fault)
    except OSError as fault:
        said = f"the page cannot be opened: {fault.strerror or fault}"
    except KeyboardInterrupt:
        return 130
    from qa_demo.cli.shared import visible  # the sentence may hold what steers a terminal

    sys.stderr.write(f"spanlight: {visible(said)}\n")
    return 2


def serve(args: argparse.Namespace) -> None:
    """Check, open, load, and wait for the end. Errors: QADemoError for an unusable argument."""
    if args.lan and args.host is not None:
        raise BadInput("--lan listens on the whole network; leave --host out")
    from qa_demo.server.guard import frame_ancestors

    under = args.root_path and path_of(args.root_path)  # None: GRADIO_ROOT_PATH decides
    host, port = free_address(EVERYWHERE if args.lan else args.host, args.port)
    address = f"http://{others_type(host, args.lan)}:{port}/"
    check_folders(args.reader)
    frame_ancestors()  # refused before anything is loaded
    pictures, load = made(args, host)
    if args.reader != BUNDLED or args.calibration is not None:
        logging.info("Spanlight loads %s before it opens.", args.reader[:200])
        load()  # an unknown reader is refused before anybody sees a page
    from qa_demo.api.routes import routes as calls
    from qa_demo.lessons.files import read_all
    from qa_demo.lessons.routes import routes as lesson_routes
    from qa_demo.lessons.served import Lessons
    from qa_demo.page import build, routes
    from qa_demo.server.launch import launch

    page = build(pictures)
    names = own_names(port) if args.lan else None
    lessons = Lessons(pictures, read_all(args.lessons))
    beside = [*routes(pictures), *lesson_routes(lessons, address if args.lan else None)]
    beside += calls(pictures)
    launch(page, host, port, names, beside, root_path=under, prevent_thread_lock=True)
    if args.lan:
        show(address)
    threading.Timer(LISTENS, load_quietly, (load,)).start()
    for_all = " for everybody on this network." if args.lan else ""
    logging.info("Spanlight is open at %s%s", address, for_all)
    wait_for_the_end()


def made(args: argparse.Namespace, host: str | None) -> "tuple[Pictures, Callable[[], Any]]":
    """What pictures are made from on this host, and what loads the page's own reader. torch and
    transformers are imported when it does, behind the first paint.
    """
    from qa_demo.examples import load_menu
    from qa_demo.pictures import Pictures
    from qa_demo.server.launch import is_public

    public = is_public(host) and not args.lan
    own = replace(LOOPBACK, base=args.base)
    asked = replace(OTHERS, base=args.base) if args.lan or public else own

    def load(source: str) -> Any:
        from qa_demo.model.card import with_fit
        from qa_demo.model.loading import load_reader

        if source != args.reader:
            return load_reader(source, asked)
        loaded = load_reader(source, own)
        return loaded if args.calibration is None else with_fit(loaded, args.calibration)

    def load_filler(source: str) -> Any:
        from qa_demo.model.spanbert import load_spanbert

        return load_spanbert(source, asked)

    # what was stored is by the bundled weights, known before they are loaded, as they came
    manifest = READERS[BUNDLED] / "checksums.json"
    checksum = sha256(manifest) if args.calibration is None and manifest.is_file() else ""
    large = not public and READERS["large"].is_dir() and args.base is not None
    readers = tuple(dict.fromkeys((args.reader, BUNDLED, *(["large"] if large else []))))

    def stored(example: "PoolExample") -> "Reading | None":
        return example.stored(checksum)

    pictures = Pictures(load_menu(), load, load_filler, stored, readers=readers)
    return pictures, lambda: pictures.reader(args.reader)


def load_quietly(load: Callable[[], Any]) -> None:
    """Load behind the page; whoever asks for the reader is told what went wrong."""
    try:
        load()
    except QADemoError as fault:
        logging.warning("The reader cannot be loaded: %s", fault)


def others_type(host: str, lan: bool) -> str:
    """The host in the address that others type. Errors: BadInput for `lan` without a network."""
    try:
        return network_address() if host == EVERYWHERE else host
    except BadInput:
        if lan:
            raise
        return LOCAL


def check_folders(reader: str) -> None:
    """Refuse, before torch is imported, a name that cannot be a reader's, a missing own one, and a
    machine on which no folder takes temporary files: gradio and torch need one.
    """
    source = parse_source(reader)
    if source.own and source.path and not source.path.is_dir():
        raise BadInput(
            f"the {reader} reader is not in this checkout; its folder is assets/{source.path.name},"
            f" and --reader names another one"
        )
    try:
        tempfile.gettempdir()
    except FileNotFoundError as fault:
        raise BadInput(
            "no folder for temporary files can be written to; set TMPDIR to one that can"
        ) from fault


def wait_for_the_end() -> None:
    """Serve until interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as process 1 it would be ignored
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        logging.info("Spanlight is closed.")
