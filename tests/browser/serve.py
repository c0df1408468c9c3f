"""Serve the page with the fake reader: python -m tests.browser.serve PORT."""

import contextlib
import functools
import sys
from collections.abc import Iterator
from typing import Any

from gradio import Blocks

from qa_demo.core.errors import ModelUnavailable
from qa_demo.server.launch import launch
from qa_demo.views.examples import load_menu
from qa_demo.views.page import build
from qa_demo.views.services import Services
from qa_demo.views.session.model_cache import ModelCache
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.ports import free_port

UNKNOWN = "nobody/nothing"
LARGE = {"large/thousand": 1e3, "large/million": 1e6}
"""Readers by the factor of their logits; they have a BIO head."""


def served(reader: FakeReader) -> Services:
    """What stands behind the page of a fake reader."""
    return Services(
        lambda: reader,
        load,
        load_menu(),
        checksum=lambda: reader.checksum,
        infillers=ModelCache(infiller),
    )


def serve(port: int, reader: FakeReader | None = None, **more: Any) -> Any:
    """Start the page on a port; returns what `Blocks.launch` returns."""
    return launch(build(served(reader or FakeReader())), "127.0.0.1", port, **more)


@contextlib.contextmanager
def running(page: Blocks, **more: Any) -> Iterator[str]:
    """The address of a page that runs meanwhile; `more` is handed to `launch`."""
    port = free_port()
    app, _, _ = launch(page, "127.0.0.1", port, prevent_thread_lock=True, **more)
    yield f"http://127.0.0.1:{port}/"
    app.get_blocks().close(verbose=False)


@functools.cache
def load(source: str) -> FakeReader:
    """Another reader a name, large logits for those of `LARGE`, none for an unpublished one."""
    if source == UNKNOWN:
        raise ModelUnavailable(f"{source}: there is no such reader")
    if source in LARGE:
        return FakeReader(name=source, bio=True, factor=LARGE[source])
    return FakeReader(name=source)


def infiller(source: str) -> FakeInfiller:
    """The bundled one with a boundary head, others without, except for one nobody published."""
    if source == UNKNOWN:
        raise ModelUnavailable(f"{source}: there is no such model")
    return FakeInfiller(source, has_sbo=source == "bundled")


if __name__ == "__main__":
    serve(int(sys.argv[1]))
