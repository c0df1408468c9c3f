"""From a click to the mark on screen, in the real page in Chromium: python -m
tests.benchmarks.select_latency [--clicks N].

The page runs with the fake reader at 384 positions in one window. Measured in the browser: from the
pointer event to the frame after which the mark stands at its new place; and, apart from that, to
the moment Python's record has been written. Reported as ratios to the budget, with the machine's
load, since a busy machine is slow at everything.
"""

import argparse
import os
import statistics
import sys

from playwright.sync_api import Page, sync_playwright

from qa_demo.views.page import build
from tests.browser.conftest import ARGUMENTS, system_chromium
from tests.browser.listen import MODULE
from tests.browser.serve import running, served
from tests.fakes import FakeReader

BUDGET_MS = 150.0
WORDS = ["The", "keepers", "of", "Kalmar", "told", "Anna", "about", "old", "mills", "near", "Visby"]
MEASURE = """async ([x, y]) => {
  const canvas = document.querySelector(".spans-square .spans-cells");
  const box = canvas.getBoundingClientRect();
  const at = { bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height };
  const mark = () => ["x", "y"].map((side) => document.querySelector("#stage-spans rect.mark-selected")?.getAttribute(side)).join(" ");
  const text = () => document.querySelector("#picture-spans .formula").textContent;
  const [before, said] = [mark(), text()];
  const begun = performance.now();
  canvas.dispatchEvent(new PointerEvent("pointermove", at));
  canvas.dispatchEvent(new MouseEvent("click", at));
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  while (mark() === before) { await frame(); if (performance.now() - begun > 20000) return null; }
  await frame();
  const moved = performance.now() - begun;
  while (text() === said) { await frame(); if (performance.now() - begun > 20000) return null; }
  return [moved, performance.now() - begun];
}"""


def context() -> str:
    """A paragraph that fills one window of 384 positions to the last."""
    # 3 special tokens, 4 of the question
    return " ".join(WORDS[k % len(WORDS)] for k in range(384 - 3 - 4))


def clicks(page: Page, n: int) -> list[tuple[float, float]]:
    """Milliseconds to the moved mark and to Python's record, for n cells along the diagonal."""
    found = []
    for k in range(n):
        at = 0.1 + 0.8 * ((k * 7919) % 101) / 101
        result = page.evaluate(MEASURE, [at + 0.02, at])
        if result is None:
            raise SystemExit("a click moved no mark within 20 seconds")
        found.append(tuple(result))
    return found


def main(arguments: list[str]) -> int:
    """Print median, worst, ratio to the budget, load; exit code 1 for a median over it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clicks", type=int, default=15)
    n = parser.parse_args(arguments).clicks
    with running(build(served(FakeReader()))) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(60_000)
        page.add_init_script(MODULE)
        page.goto(address)
        page.locator("#picture-answer .selected-text").wait_for()
        page.get_by_role("button", name="Ask your own", exact=True).click()
        page.get_by_label("Question", exact=True).fill("Who told Anna?")
        page.get_by_label("Paragraph", exact=True).fill(context())
        page.locator("#ask-answer").click()
        page.locator("#asked", has_text="Who told Anna?").wait_for()
        page.locator("#tab-spans").click()
        page.locator("#stage-spans rect.mark-selected").wait_for(state="attached")
        size = page.evaluate(
            "() => module('shared/store.js').then(({ state }) => state.reading.windows[0].n)"
        )
        clicks(page, 2)  # the first redraws compile
        found = clicks(page, n)
        browser.close()
    report(found, size == 384)
    return int(statistics.median(m for m, _ in found) > BUDGET_MS)


def report(found: list[tuple[float, float]], full: bool) -> None:
    """Two lines of numbers and one of circumstances."""
    moved, recorded = zip(*found, strict=True)
    for name, values in (("mark moved", moved), ("record from Python", recorded)):
        median, worst = statistics.median(values), max(values)
        sys.stdout.write(
            f"{name}: median {median:.0f} ms ({median / BUDGET_MS:.2f} of {BUDGET_MS:.0f} ms), "
            f"worst {worst:.0f} ms ({worst / BUDGET_MS:.2f})\n"
        )
    known = hasattr(os, "getloadavg")
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg()) if known else "unknown"
    cells = "384 × 384 cells" if full else "NOT at 384 positions"
    machine = f"{os.cpu_count()} logical processors, load {load}"
    sys.stdout.write(f"{len(found)} clicks, {cells}, {machine}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
