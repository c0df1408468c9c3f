"""A running page with a fake reader, for what others send to it over HTTP."""

import socket
from collections.abc import Iterator

import pytest

from tests.browser.serve import serve
from tests.fakes import FakeReader


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The page's address without a last slash; its fake reader has a BIO head."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app, _, _ = serve(port, FakeReader(bio=True), prevent_thread_lock=True)
    yield f"http://127.0.0.1:{port}"
    app.get_blocks().close(verbose=False)
