"""The page with a fake reader in its own process, one Chromium; a console error fails a test."""

import base64
import json
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests.browser.server import main
from tests.ports import free_port, wait_for_page
from tests.run import BROWSERS

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update"]
# the pages of a context share what one of them compiled of the scripts, half the cost of a page
ARGUMENTS += ["--process-per-site"]
# a page here lives for seconds: to optimise its scripts costs more than they then save
ARGUMENTS += ["--js-flags=--no-opt"]
# the page of another origin that a test makes up has no address, so no local one either
ARGUMENTS += ["--disable-features=LocalNetworkAccessChecks"]
TIMEOUT = 30_000
FORKS = multiprocessing.get_context("forkserver")
"""Its one process imports gradio, for seconds; the server is a copy of it, at every start."""
FORKS.set_forkserver_preload(["tests.browser.server"])


class Server:
    """A page's process, which a test may kill and start again on its port."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"

    def start(self) -> "Server":
        self.process = FORKS.Process(target=main, args=(self.port,), daemon=True)
        self.process.start()
        wait_for_page(self.port, self.process.is_alive, 90)
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


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


UNTOUCHED = """() => document.querySelector('.spanlight') && !localStorage.length && !sessionStorage.length
&& !document.querySelector('.pinned:not([hidden]), details[open]')"""
"""Whether a page shows at another address what one opened there shows: it remembers nothing."""

Opener = Callable[..., Page]
Heard = tuple[Page, list[str]]


def listened(context: BrowserContext) -> Heard:
    """A page of the context, and all errors that it tells its console or throws."""
    page, said = context.new_page(), []
    page.set_default_timeout(TIMEOUT)
    page.on("console", lambda told: said.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    return page, said


@pytest.fixture(scope="session")
def kept(chromium: Browser) -> Iterator[Heard]:
    """The page of most tests: to compile its scripts, once, is half of what it takes to open one."""
    with chromium.new_context() as context:
        yield listened(context)


@pytest.fixture
def open_page(chromium: Browser, server: Server, kept: Heard) -> Iterator[Opener]:
    """Opens the page in a state: open_page({"chapter": "spans"}, width=375). Nothing is stored in
    it. The first is `kept`, unless it is to be `fresh` or needs a context of its own, the others
    are beside it; `script` runs before those of the page. `refused`: answers with an error are
    expected, which the browser tells its console; `spoilt`: what page.route takes, before the page
    is opened and not waited for.
    """
    heard = []

    def opened(
        state: Any = None,
        *,
        query: str = "",
        fresh: bool = False,
        refused: bool = False,
        script: str = "",
        spoilt: dict[str, Any] | None = None,
        dark: bool = False,
        width: int = 1280,
        height: int = 800,
        **own: Any,
    ) -> Page:
        page, said = kept
        if heard or fresh or script or own:
            page, said = listened(chromium.new_context(**own) if fresh or own else page.context)
            page.add_init_script(script)
        page.set_viewport_size({"width": width, "height": height})
        looks = {"media": "screen", "forced_colors": "none"}
        page.emulate_media(color_scheme="dark" if dark else "light", **looks)
        if page is kept[0]:
            if spoilt or not page.evaluate(UNTOUCHED):  # else it goes on, for a third of the time
                page.goto(f"{server.url}health")  # of the page's origin, and without its scripts
                page.evaluate("localStorage.clear(); sessionStorage.clear()")
            said.clear()
        heard.append((page, said, refused))
        if spoilt:
            page.route(**spoilt)
            page.goto(f"{server.url}#{link(state)}", wait_until="commit")
        else:
            show(page, server, state, query)
        return page

    yield opened
    for page, _, _ in heard:
        if page.context is not kept[0].context:
            page.context.close()
    kept[0].unroute_all()
    for page in kept[0].context.pages[1:]:
        page.close()
    told = [(text, refused) for _, said, refused in heard for text in said]
    assert [text for text, refused in told if not (refused and "Failed to load" in text)] == []


def link(state: Any) -> str:
    """What stands behind # in the address of a state."""
    if state is None or isinstance(state, str):
        return state or ""
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")


def show(page: Page, server: Server, state: Any = None, query: str = "") -> None:
    """Go to a state and wait for its picture."""
    page.goto(f"{server.url}{query}#{link(state)}")
    ready(page)


def visit(page: Page, server: Server, state: Any) -> None:
    """Come to a state from elsewhere: all of the page is loaded."""
    page.goto("about:blank")
    show(page, server, state)


def ready(page: Page) -> None:
    """Wait until nothing is asked for and the answer stands."""
    page.wait_for_selector("[data-block=answer]")
    page.wait_for_function("document.querySelector('.spanlight').dataset.busy === 'false'")


def word(page: Page, text: str) -> Locator:
    """A word of the text on screen."""
    return page.locator(".segment .word", has_text=text).first


def drawn(page: Page) -> None:
    """Wait until every figure in sight is drawn."""
    page.wait_for_function(
        "[...document.querySelectorAll('#chapter .figure')].every("
        "(f) => !f.checkVisibility() || f.querySelector('.main-svg'))"
    )
