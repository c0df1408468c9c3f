"""A running page with a fake reader, for what others send to it over HTTP."""

from collections.abc import Iterator

import pytest

from tests.browser.serve import serve
from tests.fakes import FakeReader
from tests.ports import free_port


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The page's address without a last slash; its fake reader has a BIO head."""
    port = free_port()
    app, _, _ = serve(port, FakeReader(bio=True), prevent_thread_lock=True)
    yield f"http://127.0.0.1:{port}"
    app.get_blocks().close(verbose=False)
