"""Start the page: python app.py [--reader R] [--host H] [--port P]."""

import argparse
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

from qa_demo.core.infill import Infiller
from qa_demo.core.reader import Reader
from qa_demo.model.checks import sha256
from qa_demo.model.source import bundled_folder
from qa_demo.server import is_public, launch
from qa_demo.views.examples import load_examples
from qa_demo.views.page import build
from qa_demo.views.services import Services
from qa_demo.views.session.model_cache import ModelCache


def main() -> None:
    """Build the page at once and load the reader beside it, so that the first example is shown
    before the weights are there.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--reader", default="bundled", help="bundled, a folder, or a Hugging Face id with @revision"
    )
    parser.add_argument(
        "--host",
        default=None,
        help="address to listen on; default 127.0.0.1, or GRADIO_SERVER_NAME",
    )
    parser.add_argument(
        "--port", type=int, default=None, help="default: the first free port from 7860"
    )
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    def first_reader() -> Reader:
        from qa_demo.model.loading import (
            load_reader,
        )  # torch and transformers are imported here, beside the first paint
        from qa_demo.model.workers import set_threads

        set_threads()
        return load_reader(args.reader)

    def load(source: str) -> Reader:
        from qa_demo.model.loading import load_reader
        from qa_demo.model.source import LOOPBACK, PUBLIC

        return load_reader(source, PUBLIC if is_public(args.host) else LOOPBACK)

    def infiller(source: str) -> Infiller:
        from qa_demo.model.source import LOOPBACK, PUBLIC
        from qa_demo.model.spanbert_loading import load_spanbert

        return load_spanbert(source, PUBLIC if is_public(args.host) else LOOPBACK)

    first = ThreadPoolExecutor(1, thread_name_prefix="loading").submit(first_reader)
    readers = ModelCache(load, most=3)  # a class that picks one reader together loads it once
    page = build(
        Services(
            first.result,
            readers.get,
            load_examples(),
            default=args.reader,
            checksum=bundled_checksum,
            infillers=ModelCache(infiller),
        )
    )
    _, address, _ = launch(page, args.host, args.port, prevent_thread_lock=True)
    logging.info("Spanlight is open at %s", address)
    wait_for_the_end()


def bundled_checksum() -> str:
    """The checksum that the bundled reader will carry, from its list of files: known before the
    weights are loaded.
    """
    manifest = bundled_folder() / "checksums.json"
    return sha256(manifest) if manifest.is_file() else ""


def wait_for_the_end() -> None:
    """Serve until the process is interrupted."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        logging.info("Spanlight is closed.")


if __name__ == "__main__":
    main()
