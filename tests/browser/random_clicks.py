"""Use the page at random and report every error: python -m tests.browser.random_clicks [--url URL]
[--seconds 300] [--seed 1].

Without an address the page runs with the fake reader. Reported are errors of the console and of
scripts, requests that leave the machine, and attributes set to NaN, undefined or Infinity with the
place that set them. Exit code 1 when there was any.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from playwright.sync_api import Error, Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, system_chromium
from tests.browser.serve import serve
from tests.fakes import FakeReader
from tests.ports import free_port

CHAPTERS = ("answer", "scores", "start_end", "spans", "loss", "windows", "bio", "spanbert", "why")
KEYS = (
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "Enter",
    "Tab",
    "Escape",
    "Home",
    "End",
    "Shift+ArrowRight",
    "Shift+Tab",
)
TEXTS = (
    "One.",
    "Łódź 🙂🙂 is a city. Its river is dry.",
    "שלום עולם. The city of Haifa is old.",
    "a b c d e f " * 200,
    "<b>&amp;</b> ${x} {{y}}",
)
LEAVE = ("link", "Spanlight")
"""Buttons that copy the address or reload the page."""
WATCH = """(() => {
  const set = Element.prototype.setAttribute;
  window.broken = [];
  Element.prototype.setAttribute = function (name, value) {
    const trace = () => new Error().stack.split("\\n").slice(4, 9).join(" < ");
    if (/NaN|undefined|Infinity/.test(String(value))) window.broken.push(`${name}=${String(value).slice(0, 60)} ${trace()}`);
    return set.call(this, name, value);
  };
})()"""


def acts(page: Page, dice: random.Random) -> dict[str, tuple[int, Callable[[], object]]]:
    """What a visitor may do, and how often."""

    def place() -> tuple[int, int]:
        size = page.viewport_size or {"width": 1280, "height": 800}
        return dice.randrange(size["width"]), dice.randrange(60, size["height"])

    def click() -> None:
        x, y = place()
        page.mouse.move(x, y)
        over = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('a, button')?.textContent ?? ''",
            [x, y],
        )
        if over.strip() not in LEAVE:
            page.mouse.down()
            if dice.random() < 0.3:
                page.mouse.move(*place(), steps=3)
            page.mouse.up()

    def other_text() -> None:
        page.evaluate("window.scrollTo(0, 0)")
        page.get_by_role("button", name="Ask your own", exact=True).first.click(timeout=2000)
        page.get_by_label("Paragraph", exact=True).fill(dice.choice(TEXTS))
        page.locator("#ask-answer").click(timeout=2000)

    return {
        "tab": (3, lambda: page.locator(f"#tab-{dice.choice(CHAPTERS)}").click(timeout=3000)),
        "point": (12, lambda: page.mouse.move(*place(), steps=dice.choice([1, 4]))),
        "click": (8, click),
        "key": (4, lambda: page.keyboard.press(dice.choice(KEYS))),
        "scroll": (3, lambda: page.mouse.wheel(0, dice.randrange(-800, 800))),
        "resize": (
            1,
            lambda: page.set_viewport_size(
                {"width": dice.choice([375, 640, 900, 1280, 1920]), "height": 800}
            ),
        ),
        "text": (1, other_text),
    }


def use(page: Page, site: str, seconds: float, seed: int) -> list[str]:
    """Every different fault, each printed once when it is first seen."""
    dice, heard, faults = random.Random(seed), list[str](), dict[str, str]()
    page.on(
        "console",
        lambda said: heard.append(f"console: {said.text}") if said.type == "error" else None,
    )
    page.on("pageerror", lambda error: heard.append(f"page error: {error.stack or error}"))
    page.on(
        "request",
        lambda sent: (
            None
            if sent.url.startswith((site, "data:", "blob:"))
            else heard.append(f"request: {sent.url}")
        ),
    )
    page.add_init_script(WATCH)
    page.goto(site)
    page.locator("#asked .asked-question").wait_for()
    choice, done = acts(page, dice), list[str]()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (name,) = dice.choices(list(choice), [weight for weight, _ in choice.values()])
        done.append(name)
        try:
            choice[name][1]()
        except Error:
            done[-1] += " (not possible)"
        for fault in [
            *heard,
            *page.evaluate(
                "(() => { const found = window.broken ?? []; window.broken = []; return found; })()"
            ),
        ]:
            if faults.setdefault(fault[:120], fault) is fault:
                sys.stdout.write(f"act {len(done)}, after {', '.join(done[-5:])}: {fault[:900]}\n")
                sys.stdout.flush()
        heard.clear()
    missed = sum("not possible" in act for act in done)
    sys.stdout.write(
        f"{len(done)} acts, {missed} of them not possible, {len(faults)} different faults\n"
    )
    return list(faults)


def main() -> int:
    """Open the page, use it, say what went wrong."""
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--url", help="a page that is running already, ending with /")
    p.add_argument("--seconds", type=float, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--width", type=int, default=1280)
    a = p.parse_args()
    site, app = a.url, None
    if site is None:
        port = free_port()
        app, _, _ = serve(port, FakeReader(bio=True), prevent_thread_lock=True)
        site = f"http://127.0.0.1:{port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": a.width, "height": 800})
        page.set_default_timeout(20_000)
        faults = use(page, site, a.seconds, a.seed)
        browser.close()
    if app is not None:
        app.get_blocks().close(verbose=False)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
