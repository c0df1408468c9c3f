"""Open the page: `spanlight` [--lan] [--reader R] [--host H] [--port P] [--root-path P]."""

import argparse
import logging
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.core.store import READERS
from qa_demo.model.source import LOOPBACK, OTHERS, parse_source
from qa_demo.server import start
from qa_demo.server.start import BUNDLED, EVERYWHERE, LOCAL

if TYPE_CHECKING:
    from qa_demo.pictures import Pictures

LISTENS = 1.0
"""Seconds of the open page before its reader is loaded: beside gradio's start both end late."""


def main(argv: Sequence[str] | None = None) -> int:
    """Open the page and serve it until interrupted; 2 and one sentence if it cannot be opened."""
    args = start.parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # gradio asks itself, by another address
    try:
        serve(args)
        return 0
    except QADemoError as fault:
        said = str(fault)
    except OSError as fault:
        said = f"the page cannot be opened: {fault.strerror or fault}"
    except KeyboardInterrupt:
        try:
            logging.info("Spanlight is closed.")
        finally:  # Python would first wait for what is computed, and the page keeps that alive
            os._exit(0)
    from qa_demo.cli.shared import tell  # the sentence may hold what steers a terminal

    tell(f"spanlight: {said}")
    return 2


def serve(args: argparse.Namespace) -> None:
    """Check, open, load, and wait for the end. Errors: QADemoError for an unusable argument."""
    if args.lan and args.host is not None:
        raise BadInput("--lan listens on the whole network; leave --host out")
    from qa_demo.server.guard import frame_ancestors

    host, port = start.free_address(EVERYWHERE if args.lan else args.host, args.port)
    known = start.network_address() if args.lan else LOCAL if host == EVERYWHERE else host
    address = f"http://{known}:{port}/"
    # refused before torch is loaded: no name of a reader, no folder that takes temporary files
    parse_source(args.reader)
    tempfile.gettempdir()
    frame_ancestors()
    pictures, load = made(args, host)
    if args.reader != BUNDLED or args.calibration is not None:
        logging.info("Spanlight loads %s before it opens.", args.reader[:200])
        load()  # an unknown reader is refused before anybody sees a page
    from qa_demo.api.routes import routes as calls
    from qa_demo.lessons.files import OWN, read_folders
    from qa_demo.lessons.served import Lessons
    from qa_demo.lessons.served import routes as lesson_routes
    from qa_demo.page import build, routes
    from qa_demo.server.launch import launch

    lessons = Lessons(pictures, read_folders(OWN, *filter(None, [args.lessons])))
    beside = [*routes(pictures), *lesson_routes(lessons, address if args.lan else None)]
    beside += calls(pictures)
    names, under = start.own_names(port) if args.lan else None, args.root_path
    launch(build(pictures), host, port, names, beside, root_path=under, prevent_thread_lock=True)
    if args.lan:
        start.show(address)
    behind = threading.Timer(LISTENS, load_quietly, (load,))
    behind.daemon = True  # Ctrl-C waits for no reader
    behind.start()
    for_all = " for everybody on this network." if args.lan else ""
    logging.info("Spanlight is open at %s%s", address, for_all)
    wait_for_the_end()


def made(args: argparse.Namespace, host: str) -> "tuple[Pictures, Callable[[], Any]]":
    """What pictures are made from on this host, and what loads the page's own reader. torch and
    transformers are imported when it does, behind the first paint.
    """
    from qa_demo.examples import PoolExample, load_menu
    from qa_demo.pictures import Pictures, filler
    from qa_demo.server.launch import is_public

    own, public = replace(LOOPBACK, base=args.base), is_public(host)
    asked = replace(OTHERS, base=args.base) if public else own

    def load(source: str) -> Any:
        from qa_demo.model.card import with_fit
        from qa_demo.model.loading import load_reader

        loaded = load_reader(source, own if source == args.reader else asked)
        fits = source == args.reader and args.calibration is not None
        return with_fit(loaded, args.calibration) if fits else loaded

    large = (args.lan or not public) and READERS["large"].is_dir() and args.base is not None
    readers = tuple(dict.fromkeys((args.reader, BUNDLED, *(["large"] if large else []))))
    # what was stored is by the bundled reader as it came
    stored = PoolExample.stored if args.calibration is None else lambda _: None
    pictures = Pictures(load_menu(), load, filler, stored, readers=readers)
    return pictures, lambda: pictures.reader(args.reader)


def load_quietly(load: Callable[[], Any]) -> None:
    """Load behind the page; whoever asks for the reader is told what went wrong."""
    try:
        load()
    except QADemoError as fault:
        logging.warning("The reader cannot be loaded: %s", fault)


def wait_for_the_end() -> None:
    """Serve until interrupted, once: a second signal would end the last sentence in the middle."""
    signals = [signal.SIGTERM]  # as process 1 it would be ignored
    signals += [signal.SIGINT] * (signal.getsignal(signal.SIGINT) != signal.SIG_IGN)

    def end(*_: Any) -> None:
        for one in signals:
            signal.signal(one, lambda *_: None)
        raise KeyboardInterrupt

    for one in signals:
        signal.signal(one, end)
    while True:
        time.sleep(1)  # Windows lets nothing interrupt a lock; another thread may take a signal
