"""Open the page: `spanlight`, whose flags `--help` lists. Where it listens is checked before
anything is loaded.
"""

import argparse
import errno
import logging
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import segno

from qa_demo import __version__
from qa_demo.core.base import BadInput, QADemoError
from qa_demo.core.store import READERS
from qa_demo.model.source import parse_source

if TYPE_CHECKING:
    from qa_demo.pictures import Pictures

BUNDLED = "bundled"
LOCAL, EVERYWHERE = "127.0.0.1", "0.0.0.0"
FIRST_PORT, PORTS = 7860, 100  # tried where none is named: the first, and how many
LISTENS = 1.0
"""Seconds of the open page before its reader is loaded: beside gradio's start both end late."""


class OneSentence(argparse.ArgumentParser):
    """A parser whose complaint is one sentence, without the usage block before it."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._negative_number_matcher = re.compile(r"(?i)-(\.?\d|inf|nan)")  # -1e-3, -inf: no flags

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's; a command itself refuses what it does not know, not the program above."""
        found, more = super().parse_known_args(args, namespace)
        if more:
            self.error(f"unrecognized arguments: {' '.join(more)}")
        return found, more

    def error(self, message: str) -> NoReturn:
        """Write the complaint to stderr and leave with code 2."""
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help lists what is allowed\n")

    def add_reader(self) -> None:
        """The flags --reader and --base."""
        says = "bundled, large, a folder, or a Hugging Face id owner/name[@revision]."
        self.add_argument("--reader", default=BUNDLED, help=says)
        says = "The encoder that the reader large changes; default: its revision of Hugging Face."
        self.add_argument("--base", type=Path, metavar="FOLDER", help=says)


def parser() -> OneSentence:
    """The flags of the command. Host and port that are not named come from GRADIO_SERVER_NAME and
    GRADIO_SERVER_PORT, as a Space sets them.
    """
    what = "Open the page on which one sees how a reader answers."
    flags = OneSentence(prog="spanlight", description=what)
    add = flags.add_argument
    add("--version", action="version", version=f"spanlight {__version__}")
    lan = "Open the page for everybody on this network, and show the address as a QR code."
    add("--lan", action="store_true", help=lan)
    flags.add_reader()
    lessons = "Lessons of your own beside those of the page; see docs/teaching.md."
    add("--lessons", type=Path, metavar="FOLDER", help=lessons)
    fit = "Threshold and calibration that `python -m qa_demo calibrate` wrote for the reader."
    add("--calibration", type=Path, help=fit)
    add("--host", help="Address to listen on; default: 127.0.0.1, or GRADIO_SERVER_NAME.")
    port = "0 to 65535; default: GRADIO_SERVER_PORT, or the first free port from 7860."
    add("--port", type=int, default=os.environ.get("GRADIO_SERVER_PORT") or None, help=port)
    under = "The path under which a server in front shows the page, as /app."
    add("--root-path", type=path_of, metavar="PATH", help=under)
    return flags


def path_of(text: str) -> str:
    """A path in front of the page as it was typed."""
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", text):
        said = f"a path is a slash and a name, as /app, with no slash behind it; got {text[:80]!r}"
        raise argparse.ArgumentTypeError(said)
    return text


def main(argv: Sequence[str] | None = None) -> int:
    """Open the page and serve it until interrupted; 2 and one sentence if it cannot be opened."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # gradio asks itself, by another address
    try:
        serve(parser().parse_args(argv))
        return 0
    except QADemoError as fault:
        said = str(fault)
    except OSError as fault:
        said = f"{fault.filename or 'the page'} cannot be opened: {fault.strerror or fault}"
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

    host, port = free_address(EVERYWHERE if args.lan else args.host, args.port)
    known = network_address() if args.lan else LOCAL if host == EVERYWHERE else host
    address = f"http://{known}:{port}/"
    # refused before torch is loaded: no name of a reader, no folder that takes temporary files
    parse_source(args.reader)
    if args.base is not None and not args.base.is_dir():
        raise BadInput(f"--base must be a folder with an encoder, got {str(args.base)[:80]!r}")
    tempfile.gettempdir()
    frame_ancestors()
    pictures, load = made(args, host)
    if args.reader != BUNDLED or args.calibration is not None:
        logging.info("Spanlight loads %s before it opens.", args.reader[:200])
        load()  # an unknown reader is refused before anybody sees a page
    from qa_demo.api.routes import routes as calls
    from qa_demo.lessons import served
    from qa_demo.lessons.files import OWN, read_folders
    from qa_demo.page import build, routes
    from qa_demo.server.launch import launch

    lessons = served.Lessons(pictures, read_folders(OWN, *filter(None, [args.lessons])))
    beside = [*routes(pictures), *served.routes(lessons, address if args.lan else None)]
    beside += calls(pictures)
    names, under = own_names(port) if args.lan else None, args.root_path
    launch(build(pictures), host, port, names, beside, root_path=under, prevent_thread_lock=True)
    if args.lan:
        show(address)
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

    public = is_public(host)

    def load(source: str) -> Any:
        from qa_demo.model.card import with_fit
        from qa_demo.model.loading import load_reader

        own = source == args.reader
        loaded = load_reader(source, anywhere=own or not public, base=args.base)
        fits = own and args.calibration is not None
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


# ---- where it listens, and what others type to reach it


def free_address(host: str | None, port: int | None) -> tuple[str, int]:
    """The host and the port to listen on; without a port the first free one from `FIRST_PORT`.
    Errors: BadInput for a host that is none of this machine's, and for a port that is taken.
    """
    name = (host or os.environ.get("GRADIO_SERVER_NAME") or LOCAL).strip("[]")
    shown = f"[{name}]" if ":" in name else name
    for one in range(FIRST_PORT, FIRST_PORT + PORTS) if port is None else [port]:
        try:
            for at in (name, LOCAL):  # gradio asks for this port there too
                family = socket.AF_INET6 if ":" in at else socket.AF_INET
                with socket.create_server((at, one), family=family) as probe:
                    one = int(probe.getsockname()[1])  # chosen by the system for 0
            return shown, one
        except (OSError, OverflowError, TypeError) as fault:  # TypeError: no name in IDNA
            if port is None and getattr(fault, "errno", None) == errno.EADDRINUSE:
                continue
            cause, _, _ = str(getattr(fault, "strerror", None) or fault).partition(" (while")
            raise BadInput(
                f"{name[:80]} cannot be opened at port {one}: {cause}; --host names an address of "
                f"this machine and --port a free port from 1024 to 65535 or 0 for any, in the "
                f"place of GRADIO_SERVER_NAME and GRADIO_SERVER_PORT"
            ) from fault
    last = FIRST_PORT + PORTS - 1
    raise BadInput(f"all ports from {FIRST_PORT} to {last} are taken; name another with --port")


def network_address() -> str:
    """This machine's address in its network, which others type. Errors: BadInput without one."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # chooses the way out and sends nothing: the address is one that nobody has
            probe.connect(("198.51.100.1", 9))
            found = str(probe.getsockname()[0])
    except OSError:
        found = LOCAL
    if found.startswith("127."):
        raise BadInput("this machine is in no network that others reach it by; join one first")
    return found


def own_names(port: int) -> frozenset[str]:
    """What a browser may call this machine; any other name is another page's leading here."""
    name = socket.gethostname().lower()
    hosts = {LOCAL, "localhost", network_address(), name, f"{name.removesuffix('.local')}.local"}
    ends = ("", ":80") if port == 80 else (f":{port}",)  # browsers leave port 80 out
    return frozenset(f"{host}{end}" for host in hosts for end in ends)


def show(address: str) -> None:
    """Draw an address as a QR code on a terminal; nothing where stdout is none."""
    if sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf"):
        segno.make(address, error="m", micro=False).terminal(out=sys.stdout, compact=True)
