"""Open the page: `spanlight` [--reader R] [--host H] [--port P], or python app.py in a checkout."""

import argparse
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from qa_demo import __version__

if TYPE_CHECKING:
    from qa_demo.core.infill import Infiller
    from qa_demo.core.reader import Reader
    from qa_demo.views.services import Services


def parser() -> argparse.ArgumentParser:
    """The flags of the command."""
    flags = argparse.ArgumentParser(
        prog="spanlight", description="Open the page on which one sees how a reader answers."
    )
    flags.add_argument("--version", action="version", version=f"spanlight {__version__}")
    flags.add_argument(
        "--reader", default="bundled", help="bundled, a folder, or a Hugging Face id with @revision"
    )
    flags.add_argument(
        "--host",
        default=None,
        help="address to listen on; default 127.0.0.1, or GRADIO_SERVER_NAME",
    )
    flags.add_argument(
        "--port", type=int, default=None, help="default: the first free port from 7860"
    )
    return flags


def services(reader: str, host: str | None) -> "Services":
    """What the page may ask of this server. The reader is loaded beside it, so that the first
    example is shown before the weights are there.
    """
    from qa_demo.model.source import LOOPBACK, PUBLIC
    from qa_demo.server import is_public
    from qa_demo.views.examples import load_examples
    from qa_demo.views.services import Services
    from qa_demo.views.session.model_cache import ModelCache

    limits = PUBLIC if is_public(host) else LOOPBACK

    def first_reader() -> "Reader":
        # torch and transformers are imported here, beside the first paint
        from qa_demo.model.loading import load_reader
        from qa_demo.model.workers import set_threads

        set_threads()
        return load_reader(reader)

    def load(source: str) -> "Reader":
        from qa_demo.model.loading import load_reader

        return load_reader(source, limits)

    def infiller(source: str) -> "Infiller":
        from qa_demo.model.spanbert_loading import load_spanbert

        return load_spanbert(source, limits)

    first = ThreadPoolExecutor(1, thread_name_prefix="loading").submit(first_reader)
    readers = ModelCache(load, most=3)  # a class that picks one reader together loads it once
    return Services(
        first.result,
        readers.get,
        load_examples(),
        default=reader,
        checksum=bundled_checksum,
        infillers=ModelCache(infiller),
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Open the page and serve it until the process is interrupted."""
    args = parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    from qa_demo.server import launch  # gradio takes seconds, which --version need not wait for
    from qa_demo.views.page import build

    page = build(services(args.reader, args.host))
    _, address, _ = launch(page, args.host, args.port, prevent_thread_lock=True)
    logging.info("Spanlight is open at %s", address)
    wait_for_the_end()


def bundled_checksum() -> str:
    """The checksum that the bundled reader will carry, from its list of files: known before the
    weights are loaded.
    """
    from qa_demo.model.checks import sha256
    from qa_demo.model.source import bundled_folder

    manifest = bundled_folder() / "checksums.json"
    return sha256(manifest) if manifest.is_file() else ""


def wait_for_the_end() -> None:
    """Serve until the process is interrupted."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        logging.info("Spanlight is closed.")
