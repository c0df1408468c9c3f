"""The page in a process of its own with the fake reader, one Chromium; console errors fail a
test.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.ports import free_port
from tests.run import BROWSERS, ROOT

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TIMEOUT = 30_000


@dataclass
class Server:
    """A page's process, which a test may kill and start again on its port; on the port `course` a
    page of another origin may show it.
    """

    port: int = field(default_factory=free_port)
    course: int = field(default_factory=free_port)
    process: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> "Server":
        command = [sys.executable, "-m", "tests.browser.server", str(self.port)]
        env = {**os.environ, "SPANLIGHT_FRAME_ANCESTORS": f"http://localhost:{self.course}"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=env)
        end = time.monotonic() + 90
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}health", timeout=2).close()
                return self
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the page did not start")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    made = Server().start()
    yield made
    made.kill()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=TIMEOUT)
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


Opener = Callable[..., Page]


@pytest.fixture
def open_page(chromium: Browser, server: Server) -> Iterator[Opener]:
    """Opens the page in a state: open_page({"chapter": "spans"}, width=375). `refused`: whether
    answers with an error are expected, which the browser tells its console.
    """
    contexts, said = [], []

    def opened(state: Any = None, *, refused: bool = False, **how: Any) -> Page:
        size = {"width": how.pop("width", 1280), "height": how.pop("height", 800)}
        context = chromium.new_context(viewport=size, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)

        def heard(message: Any) -> None:
            if message.type == "error" and not (refused and "Failed to load" in message.text):
                said.append(message.text)

        page.on("console", heard)
        page.on("pageerror", lambda error: said.append(str(error)))
        show(page, server, state)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def link(state: Any) -> str:
    """What stands behind # in the address of a state."""
    if state is None or isinstance(state, str):
        return state or ""
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")


def show(page: Page, server: Server, state: Any = None) -> None:
    """Go to a state and wait for its picture."""
    page.goto(f"{server.url}#{link(state)}")
    ready(page)


def ready(page: Page) -> None:
    """Wait until nothing is asked for and the answer stands."""
    page.wait_for_selector("[data-block=answer]")
    page.wait_for_function("document.querySelector('.spanlight').dataset.busy === 'false'")


def drawn(page: Page) -> None:
    """Wait until every figure in sight is drawn."""
    page.wait_for_function(
        "[...document.querySelectorAll('#chapter .figure')].every("
        "(f) => !f.checkVisibility() || f.querySelector('.main-svg'))"
    )
