"""Round trips of links in Chromium: python -m tests.browser.links [--states 200] [--first 0].

A state that a visitor can reach is written as a link and opened; what its page then says of itself
is opened in a new page; both must hold the same fields and show the same chapter. Every difference
is printed. Exit code 1 when there was any.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser, Error, Page, Request, sync_playwright

from qa_demo.views.examples import load_examples
from qa_demo.views.link.fragment import parse
from qa_demo.views.spanbert.lab import KEY, kept_of
from qa_demo.views.state import Screen
from tests.browser.conftest import ARGUMENTS, system_chromium
from tests.browser.listen import replies_due
from tests.browser.serve import serve
from tests.fakes import FakeReader
from tests.ports import free_port
from tests.views.link.states import fragment_of, pack, wander

PATIENCE = 20_000
SETTLED = """() => new Promise((done) => {
  let before = null, same = 0;
  const look = () => {
    const shown = document.querySelector('[role=tab][aria-selected=true]')?.id.slice(4);
    const stage = shown && document.getElementById(`stage-${shown}`);
    const now = JSON.stringify([history.state?.spanlight, stage?.innerHTML.length,
      document.body.classList.contains('busy')]);
    same = now === before && stage?.firstChild && history.state?.spanlight &&
      !document.body.classList.contains('busy') ? same + 1 : 0;
    before = now;
    if (same > 6) done(shown); else setTimeout(look, 100);
  };
  look();
})"""
"""Resolves once address and picture rest for some time: for a command, not for a test."""
SHOWN = """(key) => {
  const panel = document.getElementById(`panel-${key}`);
  const place = (node) => ["x1", "y1", "x", "y", "cx", "cy", "d", "transform"].map(
    (name) => node.getAttribute(name)).join(" ");
  return {
    text: panel.innerText.replace(/\\s+/g, " "),
    marks: [...panel.querySelectorAll("svg *")].map(place).join("\\n"),
    pressed: [...panel.querySelectorAll("[aria-pressed]")].map((b) => b.ariaPressed).join(),
    values: [...panel.querySelectorAll("input, select, textarea")].map(
      (b) => b.type === "checkbox" || b.type === "radio" ? b.checked : b.value).join("|"),
    asked: document.querySelector("#asked").innerText,
    verdict: document.querySelector("#verdict").innerText,
  };
}"""


def fields_of(fragment: str) -> dict[str, Any]:
    """The fields of a link."""
    found = parse(fragment)
    return {} if found is None else json.loads(json.dumps(dict(found.fields)))


class Trip:
    """Pages that open one link after the other."""

    def __init__(self, browser: Browser, site: str) -> None:
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        )
        self.site, self.faults = site, list[str]()

    def open(self, fragment: str) -> tuple[str, dict[str, Any], dict[str, Any], str]:
        """The chapter, the fields of the address, what is shown, what the page says is missing."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        page.on("console", self._heard)
        due = replies_due(page)
        try:
            page.goto(self.site + fragment)
            key = self._settled(page, due)
            fields = fields_of(page.evaluate("history.state?.spanlight ?? ''"))
            left = " ".join(page.locator(".link-left:visible").all_inner_texts())
            return key, fields, page.evaluate(SHOWN, key), left
        finally:
            page.close()

    def _settled(self, page: Page, due: set[Request]) -> str:
        """The chapter on screen, once nothing moves and no answer is due."""
        page.locator("#asked .asked-question:not(:empty)").wait_for()
        end = time.monotonic() + PATIENCE / 1000
        while True:
            key = str(page.evaluate(SETTLED))
            if not due:
                return key
            if time.monotonic() > end:
                raise Error(f"answers are due still: {[request.url for request in due]}")

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")


def differences(first: Mapping[str, Any], second: Mapping[str, Any], where: str) -> list[str]:
    """What one has and the other has not, shortened."""
    return [
        f"{where}: {name} was {str(first.get(name))[:300]!r}, is {str(second.get(name))[:300]!r}"
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    ]


def around(trip: Trip, screen: Screen) -> list[str]:
    """One state to its link, to a page, to that page's link, to another page."""
    link = fragment_of(screen, load_examples().get(screen.example or ""))
    asked = fields_of(link)
    key, fields, shown, left = trip.open(link)
    known = {name: value for name, value in fields.items() if not name.startswith("page.")}
    wrong = differences(comparable(screen, asked), comparable(screen, known), "address")
    if left.strip():
        wrong.append(f"left out: {left.strip()[:300]}")
    again, fields_again, shown_again, _ = trip.open(pack(fields))
    if (key, again) != (screen.chapter, screen.chapter):
        wrong.append(f"chapter: {screen.chapter} was {key}, is {again}")
    wrong += differences(fields, fields_again, "second address")
    return wrong + differences(shown, shown_again, f"screen of {screen.chapter}")


def comparable(screen: Screen, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without reader and without the blanks that chapter 8 makes when first opened."""
    kept = kept_of(screen)
    opening = screen.chapter == KEY and kept.lab is None and kept.wanted is None
    dropped = {"reader"} | ({"blanks"} if opening else set())
    return {name: value for name, value in fields.items() if name not in dropped}


def main() -> int:
    """Go round, and say what differs."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--states", type=int, default=200)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--steps", type=int, default=12)
    p.add_argument("--seconds", type=float, default=1800)
    a = p.parse_args()
    port = free_port()
    app, _, _ = serve(port, FakeReader(bio=True), prevent_thread_lock=True)
    end, done, bad = time.monotonic() + a.seconds, 0, 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        trip = Trip(browser, f"http://127.0.0.1:{port}/")
        for seed in range(a.first, a.first + a.states):
            if time.monotonic() > end:
                break
            try:
                wrong = around(trip, wander(random.Random(seed), a.steps))
            except Error as fault:
                wrong = [f"not settled: {str(fault)[:200]}"]
            wrong += trip.faults
            trip.faults.clear()
            done += 1
            bad += bool(wrong)
            for line in wrong:
                sys.stdout.write(f"state {seed}: {line}\n")
            sys.stdout.flush()
        browser.close()
    sys.stdout.write(f"{done} states, {bad} of them differ\n")
    app.get_blocks().close(verbose=False)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
