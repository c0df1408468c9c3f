"""What fails a test beside its own asserts: errors in the console, dialogs, requests."""

import os
import re

from playwright.sync_api import Page, Request, Route

from qa_demo.views.style import style

MODULE = """window.module = (name) =>
  import(new URL("static/page/page.js", document.baseURI)).then((page) => page.load(name));"""
"""module("shared/store.js"), in a script of a test: one of the page's own modules."""

REPLIES = ("/queue/join", "/queue/data")
"""What asks Python, and the stream that gradio holds open while an answer is due."""

OTHERS = os.environ.get("FONTS", "")
"""FONTS="DejaVu Sans, DejaVu Serif": families of this machine in the place of the page's own, which
are blocked, for a second run of the layout's tests.
"""


def other_fonts(route: Route) -> None:
    """The page's style sheet without its fonts."""
    sans, serif = (name.strip() for name in OTHERS.split(","))
    own = re.sub(r"@font-face \{[^}]*\}", "", style())
    said = f':root, body {{ --sl-sans: "{sans}" !important; --sl-serif: "{serif}" !important; }}'
    route.fulfill(body=f"{own}\n{said}", content_type="text/css")


def listen(page: Page, faults: list[str]) -> None:
    """Put errors of the console and of scripts, and every dialog, into a list."""
    page.add_init_script(MODULE)
    if OTHERS:
        page.route("**/static/page/page.css", other_fonts)
    page.on("pageerror", lambda error: faults.append(f"page error: {error.stack or error}"))
    page.on(
        "console",
        lambda said: faults.append(f"console: {said.text}") if said.type == "error" else None,
    )
    page.on("dialog", lambda box: (faults.append(f"a dialog: {box.message}"), box.dismiss()))


def stay_inside(page: Page, faults: list[str], *allowed: str) -> None:
    """Put every request that does not begin with one of `allowed` into a list."""
    page.on(
        "request",
        lambda request: None if request.url.startswith(allowed) else faults.append(request.url),
    )


def replies_due(page: Page) -> set[Request]:
    """The requests of a page that wait for an answer of Python, as they stand from now on."""
    due: set[Request] = set()
    page.on(
        "request", lambda request: any(part in request.url for part in REPLIES) and due.add(request)
    )
    for ended in ("requestfinished", "requestfailed"):
        page.on(ended, lambda request: due.discard(request))
    return due
