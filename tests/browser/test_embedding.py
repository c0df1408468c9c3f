"""The page in a frame of another origin: shown where the server names it, refused elsewhere."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, expect

from qa_demo.server.embedding import VARIABLE
from tests.browser.serve import serve
from tests.fakes import FakeReader
from tests.ports import free_port

pytestmark = pytest.mark.browser


@pytest.fixture
def course() -> Iterator[ThreadingHTTPServer]:
    """A page of a course that shows what `src` names in a frame."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that http.server calls
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(
                f"<title>Course</title><iframe src='{self.server.shown}'></iframe>".encode()
            )

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.shown = ""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_frame_of_another_origin_needs_a_name(
    chromium: Browser, course: ThreadingHTTPServer, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{course.server_address[1]}"
    monkeypatch.setenv(VARIABLE, f"https://other.example {address}")
    port = free_port()
    app, _, _ = serve(port, FakeReader(), prevent_thread_lock=True)
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    course.shown = f"http://127.0.0.1:{port}/#chapter=spans"
    page.goto(address)
    inside = page.frame_locator("iframe")
    expect(inside.locator("#asked .asked-question")).not_to_be_empty()
    expect(inside.locator("#tab-spans")).to_have_attribute("aria-selected", "true")
    inside.locator("#tab-answer").click()
    expect(inside.locator("#picture-answer .four dd").first).to_be_attached()
    assert not [line for line in said if "Refused" in line or "violates" in line]
    course.shown = site  # a server that names no other origin
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(address)
    page.close()
    app.get_blocks().close(verbose=False)
