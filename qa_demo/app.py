"""Open the page: `spanlight` [--lan] [--reader R] [--lessons FOLDER] [--host H] [--port P]."""

import argparse
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from qa_demo.core.errors import BadInput, QADemoError
from qa_demo.core.files.assets import READERS
from qa_demo.server.address import EVERYWHERE, LOCAL, free_address, network_address, own_names
from qa_demo.server.embedding import frame_ancestors
from qa_demo.server.flags import BUNDLED, OFF, ON, ROOMS, parser

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from qa_demo.core.course.lesson_folder import Folder
    from qa_demo.core.files.examples import PoolExample
    from qa_demo.core.masking.infiller import Infiller
    from qa_demo.core.reader import Reader
    from qa_demo.core.types import Reading
    from qa_demo.model.source import HostLimits
    from qa_demo.server.lull import Lull
    from qa_demo.views.services import Services


def begin_loading(
    reader: str,
    calibration: Path | None = None,
    into: "Future[Reader] | None" = None,
    lull: "Lull | None" = None,
    base: Path | None = None,
) -> "Future[Reader]":
    """Load the page's reader in a thread of its own, so that the first example is shown before
    the weights are there; `into` is a promise of it that was given before, and `lull` is waited
    for: beside the imports of torch and transformers a first picture takes a second longer.
    `base`: the folder of the encoder that an adapter changes.
    """
    first: Future[Reader] = Future() if into is None else into

    def load() -> "Reader":
        if lull is not None:
            lull.wait()
        # torch and transformers are imported here, beside the first paint
        from qa_demo.model.heads import with_fit
        from qa_demo.model.loading import load_reader
        from qa_demo.model.source import LOOPBACK
        from qa_demo.model.workers import set_threads

        set_threads()
        loaded = load_reader(reader, replace(LOOPBACK, base=base))
        return loaded if calibration is None else with_fit(loaded, calibration)

    def hand_over(done: "Future[Reader]") -> None:
        fault = done.exception()
        if fault is None:
            first.set_result(done.result())
        else:
            first.set_exception(fault)

    ThreadPoolExecutor(1, thread_name_prefix="loading").submit(load).add_done_callback(hand_over)
    return first


def services(
    reader: str,
    host: str | None,
    first: "Future[Reader]",
    fitted: bool = False,
    lan: bool = False,
    rooms: str | None = None,
    lull: "Lull | None" = None,
    base: Path | None = None,
) -> "Services":
    """What the page may ask of this server; `first` is the reader named `reader`. One that was
    `fitted` anew shows no stored reading, which holds the old threshold. `rooms`: see `has_rooms`.
    Who asks for the reader ends the `lull` that its loading waits for. `base`: see begin_loading.
    """
    from qa_demo.core.course.rooms import Rooms
    from qa_demo.model.source import LAN, LOOPBACK, PUBLIC
    from qa_demo.server.launch import is_public
    from qa_demo.views.examples import load_menu
    from qa_demo.views.services import Services
    from qa_demo.views.session.model_cache import ModelCache

    public = is_public(host) and not lan
    limits = replace(LAN if lan else PUBLIC if public else LOOPBACK, base=base)

    def load(source: str) -> "Reader":
        from qa_demo.model.loading import load_reader

        return load_reader(source, limits)

    def wanted() -> "Reader":
        if lull is not None:
            lull.end()
        return first.result()

    readers = ModelCache(load, most=3)  # a class that picks one reader together loads it once
    return Services(
        wanted,
        readers.get,
        load_menu(),
        default=reader,
        checksum=(lambda: "") if fitted else bundled_checksum,
        infillers=ModelCache(partial(load_infiller, limits)),
        loaded=first.done,
        rooms=Rooms() if has_rooms(rooms, public) else None,
        sources=("hub",) * limits.hub + ("folder",) * limits.local_folders,
        offered=offered(limits),
    )


def offered(limits: "HostLimits") -> tuple[str, ...]:
    """The readers that can be loaded here: the bundled one, the large one if its base is there."""
    there = limits.hub or limits.base is not None
    return (BUNDLED, *(["large"] if there and READERS["large"].is_dir() else []))


def load_infiller(limits: "HostLimits", source: str) -> "Infiller":
    """A model that fills blanks, by its name. Raises what loading raises."""
    from qa_demo.model.spanbert_loading import load_spanbert

    return load_spanbert(source, limits)


def has_rooms(wanted: str | None, public: bool) -> bool:
    """Whether teachers may open rooms: as the flag says, else as the environment does, else not
    where the page is `public`. Errors: BadInput for another word than on and off.
    """
    said = wanted or os.environ.get(ROOMS) or (OFF if public else ON)
    if said not in (ON, OFF):
        raise BadInput(f"{ROOMS} is {ON} or {OFF}, got {said[:20]!r}")
    return said == ON


def main(argv: Sequence[str] | None = None) -> int:
    """Open the page and serve it until interrupted; 2 and one sentence if it cannot be opened."""
    args = parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        return serve(args)
    except QADemoError as fault:
        said = str(fault)
    except OSError as fault:
        said = f"the page cannot be opened: {fault.strerror or fault}"
    except KeyboardInterrupt:
        return 130
    from qa_demo.cli.shared import visible  # a lesson's file may hold what steers a terminal

    sys.stderr.write(f"spanlight: {visible(said)}\n")
    return 2


def serve(args: argparse.Namespace) -> int:
    """Check, load, open, and wait for the end. Errors: QADemoError for an unusable argument."""
    if args.lan and args.host is not None:
        raise BadInput("--lan listens on the whole network; leave --host out")
    host, port = free_address(EVERYWHERE if args.lan else args.host, args.port)
    address = f"http://{others_type(host, args.lan)}:{port}/"
    check_reader(args.reader)
    check_temporary()
    frame_ancestors()  # refused before anything is loaded
    from qa_demo.cli.shared import visible  # a lesson's file may hold what steers a terminal
    from qa_demo.views.lessons.course import load_course

    course = load_course(args.lessons)
    for fault in course.faults:
        logging.warning("A lesson is left out: %s.", visible(fault))
    first: Future[Reader] = Future()
    waits = args.reader != BUNDLED or args.calibration is not None
    if waits:
        logging.info("Spanlight loads %s before it opens.", args.reader[:200])
        # an unknown reader is refused before anybody sees a page
        begin_loading(args.reader, args.calibration, first, None, args.base).result()
    lull = open_page(args, (host, port), address, course, first)
    if not waits:
        # now: beside gradio's own imports both would end late (the page after 7 s instead of 4)
        begin_loading(args.reader, args.calibration, first, lull, args.base)
    for_all = " for everybody on this network." if args.lan else ""
    logging.info("Spanlight is open at %s%s", address, for_all)
    wait_for_the_end(first)
    return 0


def open_page(
    args: argparse.Namespace,
    at: tuple[str, int],
    address: str,
    course: "Folder",
    first: "Future[Reader]",
) -> "Lull":
    """Build the page and open it `at` host and port; the lull that hears of its requests."""
    from qa_demo.server.join import join, show
    from qa_demo.server.launch import (
        launch,  # gradio takes seconds, which --version need not wait for
    )
    from qa_demo.server.lull import Lull
    from qa_demo.views.api.health import health
    from qa_demo.views.lessons.rooms import looker
    from qa_demo.views.page import build

    lull, fitted = Lull(), args.calibration is not None
    served = services(args.reader, at[0], first, fitted, args.lan, args.rooms, lull, args.base)
    page = build(served, join(address) if args.lan else None, course)
    names = own_names(at[1]) if args.lan else None
    room = None if served.rooms is None else looker(served.rooms)
    launch(
        page, *at, names, health(served), room, lull, next_page(served), prevent_thread_lock=True
    )
    if args.lan:
        show(address)
    return lull


def next_page(served: "Services") -> "list[BaseRoute]":
    """The new page, which grows at /next."""
    from qa_demo.page import beside
    from qa_demo.pictures import Pictures

    def stored(example: "PoolExample") -> "Reading | None":
        return example.stored(served.checksum())

    infillers = served.infillers
    assert infillers is not None
    pictures = Pictures(dict(served.examples), served.reader, infillers.get, stored)
    return beside(pictures, [(name, name) for name in served.offered])


def others_type(host: str, lan: bool) -> str:
    """The host in the address that others type. Errors: BadInput for `lan` without a network."""
    if host != EVERYWHERE:
        return host
    try:
        return network_address()
    except BadInput:
        if lan:
            raise
        return LOCAL


def check_reader(reader: str) -> None:
    """Refuse, before torch is imported, a name that cannot be a reader's and a missing own one."""
    from qa_demo.model.source import parse_source

    folder = READERS.get(parse_source(reader).kind)
    if folder is not None and not folder.is_dir():
        raise BadInput(
            f"the {reader} reader is not in this checkout; its folder is assets/{folder.name}, and "
            f"--reader names another one"
        )


def check_temporary() -> None:
    """Refuse a machine on which no folder takes temporary files: gradio and torch need one."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError as fault:
        raise BadInput(
            "no folder for temporary files can be written to; set TMPDIR to one that can"
        ) from fault


def bundled_checksum() -> str:
    """The bundled reader's checksum from its list of files, known before the weights are loaded."""
    from qa_demo.model.checks import sha256
    from qa_demo.model.source import bundled_folder

    manifest = bundled_folder() / "checksums.json"
    return sha256(manifest) if manifest.is_file() else ""


def wait_for_the_end(first: "Future[Reader]") -> None:
    """Serve until interrupted. Raises what loading the first reader raises."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as process 1 it would be ignored
    first.add_done_callback(lambda done: over.set() if done.exception() else None)
    try:
        over.wait()
    except KeyboardInterrupt:
        logging.info("Spanlight is closed.")
        return
    first.result()
