"""What fails a test beside its own asserts: errors in the console, dialogs, requests."""

from playwright.sync_api import Page

MODULE = """window.module = (name) =>
  import(new URL("static/page/page.js", document.baseURI)).then((page) => page.load(name));"""
"""module("shared/store.js"), in a script of a test: one of the page's own modules."""


def listen(page: Page, faults: list[str]) -> None:
    """Put errors of the console and of scripts, and every dialog, into a list."""
    page.add_init_script(MODULE)
    page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
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
