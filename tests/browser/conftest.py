"""The page on a free port with the fake reader, one Chromium; console errors fail a test."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from qa_demo.views import explaining, hidden_states
from qa_demo.views.scores import record as scores
from qa_demo.views.session.recent import RecentValues
from tests.browser.listen import listen, replies_due, stay_inside
from tests.browser.serve import serve
from tests.fakes import FakeReader
from tests.ports import free_port
from tests.run import BROWSERS

ARGUMENTS = [
    "--no-sandbox",
    # a process that has run the page's modules opens it again for three quarters of the work
    "--process-per-site",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TIMEOUT = 30_000


@pytest.fixture(scope="session")
def reader() -> FakeReader:
    """With both heads; a reader loaded under another name (`serve.load`) has no BIO head."""
    return FakeReader(bio=True)


@pytest.fixture(scope="session")
def site(reader: FakeReader) -> Iterator[str]:
    """Address of the running page."""
    port = free_port()
    app, _, _ = serve(port, reader, prevent_thread_lock=True)
    yield f"http://127.0.0.1:{port}/"
    app.get_blocks().close(verbose=False)


def system_chromium() -> str | None:
    """The installed browser, or the one that CHROMIUM names; None leaves it to Playwright."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def contexts() -> dict[str, BrowserContext]:
    """One browser context a kind of settings, for its cache; each test wipes what a page keeps."""
    return {}


def forget(page: Page, site: str) -> None:
    """Wipe what earlier tests left in this browser: a lesson begun would open again."""
    asks = page.context.new_cdp_session(page)
    asks.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "local_storage"})
    asks.detach()


@pytest.fixture
def due() -> dict[Page, set[Request]]:
    """What each page of a test waits for."""
    return {}


@pytest.fixture
def open_page(
    chromium: Browser, contexts: dict[str, BrowserContext], due: dict[Page, set[Request]], site: str
) -> Iterator[Callable[..., Page]]:
    """Open the page, with a fragment and browser settings, and wait for a reading."""
    faults: list[str] = []
    pages = []
    wiped = set()

    def open_at(fragment: str = "", **settings: object) -> Page:
        settings = {
            "viewport": {"width": 1280, "height": 800},
            "reduced_motion": "reduce",
            **settings,
        }
        kind = repr(sorted(settings.items()))
        if kind not in contexts:
            contexts[kind] = chromium.new_context(**settings)
            contexts[kind].new_page().goto(site + "health")  # it keeps the process alive
        page = contexts[kind].new_page()
        pages.append(page)
        due[page] = replies_due(page)
        page.set_default_timeout(TIMEOUT)
        listen(page, faults)
        stay_inside(page, faults, site, "data:", "blob:")
        if kind not in wiped:
            wiped.add(kind)
            forget(page, site)
        page.goto(site + fragment)
        expect(page.locator("#asked .asked-question")).not_to_be_empty()
        return page

    yield open_at
    for page in (p for p in pages if not p.is_closed()):  # a test may close its own
        page.evaluate("null")  # whatever the page has said until now arrives before this answer
    said = list(faults)
    # gradio's stream is open while answers are due: closing the page aborts it, and its client may
    # call that an error
    for page in pages:
        page.close()
    assert said == []


@pytest.fixture
def page(open_page: Callable[..., Page], due: dict[Page, set[Request]]) -> Page:
    """The page as a newcomer finds it. A load in a context that is warm takes a second; to bring a
    page back from another test took a third of that, and kept what the other had done.
    """
    page = open_page()
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    end = time.monotonic() + TIMEOUT / 1000
    while due[page]:  # gradio's stream outlives its last answer
        assert time.monotonic() < end, due[page]
        page.wait_for_timeout(20)
    return page


@pytest.fixture(scope="module")
def heard() -> list[str]:
    """What the module's one page has complained of since the last test."""
    return []


@pytest.fixture(scope="module")
def desk(chromium: Browser, site: str, heard: list[str]) -> Iterator[Page]:
    """One page for all tests of a module that mind nothing of what another left on it."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.set_default_timeout(TIMEOUT)
    listen(page, heard)
    stay_inside(page, heard, site, "data:", "blob:")
    page.goto(site)
    expect(page.locator("#picture-answer .four dd").first).to_be_visible()
    yield page
    page.close()


@pytest.fixture
def top(desk: Page, heard: list[str]) -> Iterator[Page]:
    """That page with nothing focused: the next Tab goes to its first control. An error fails the
    test that it belongs to.
    """
    desk.evaluate("window.scrollTo(0, 0)")
    desk.locator("h1").click()
    yield desk
    desk.evaluate("null")  # whatever the page has said until now arrives before this answer
    said, heard[:] = list(heard), []
    assert said == []


@pytest.fixture
def nothing_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """No attention and no explanation of any text is kept yet."""
    for name in ("ATTENTION", "FOUND"):
        monkeypatch.setattr(explaining, name, RecentValues(64))


@pytest.fixture
def nothing_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """No hidden states of any text are kept yet: what needs them is offered first."""
    monkeypatch.setattr(hidden_states, "_STATES", RecentValues(hidden_states.MOST_BYTES))
    monkeypatch.setattr(scores, "_FOUND", RecentValues(8))


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, str], threading.Event]]:
    """hold(owner, name): callers of owner.name wait for the returned event, or the test's end."""
    gates: list[threading.Event] = []

    def held(owner: Any, name: str) -> threading.Event:
        real, go = getattr(owner, name), threading.Event()

        def late(*given: Any) -> Any:
            assert go.wait(TIMEOUT / 1000), f"{name} was held to the end"
            return real(*given)

        monkeypatch.setattr(owner, name, late)
        gates.append(go)
        return go

    yield held
    for go in gates:
        go.set()


@pytest.fixture
def visited(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address; errors, and requests that do not begin as `allowed`, fail the test."""
    faults: list[str] = []
    contexts = []

    def visit(address: str, allowed: str, **settings: Any) -> Page:
        settings = {"viewport": {"width": 1280, "height": 800}, **settings}
        context = chromium.new_context(reduced_motion="reduce", **settings)
        contexts.append(context)
        page = context.new_page()
        listen(page, faults)
        stay_inside(page, faults, allowed, "data:", "blob:")
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        for page in context.pages:
            page.evaluate("null")  # whatever the page has said until now arrives before this answer
        context.close()
    assert faults == []


@pytest.fixture
def opened(visited: Callable[..., Page]) -> Callable[..., Page]:
    """Open a file without a network; it may ask for itself, and for a folder if one is named."""

    def open_file(
        path: Path, fragment: str = "", folder: Path | None = None, **settings: Any
    ) -> Page:
        allowed = (folder or path).as_uri()
        return visited(path.as_uri() + fragment, allowed, offline=True, **settings)

    return open_file
