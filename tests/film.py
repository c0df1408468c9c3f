"""Film the page as an animated picture: python -m tests.film assets/film.webp.

A question is asked, a span is dragged, two chapters follow it, and a step of a lesson is guessed,
all with the bundled reader in a real Chromium. Each picture is what stands on the screen once the
page is still.
"""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from qa_demo.model.loading import load_reader
from tests.browser.conftest import ARGUMENTS, TIMEOUT, system_chromium
from tests.browser.serve import serve
from tests.ports import free_port

SIZE = {"width": 1100, "height": 720}
MOST = 3_000_000
QUESTION = "Who drew the plans of the bridge?"
PARAGRAPH = (
    "The old ferry was replaced by a bridge in 1931. Its plans were drawn by Karin Holm, an "
    "engineer from Bergen, and the stone came from a quarry across the fjord."
)
Film = list[tuple[Image.Image, int]]
"""Pictures, and how long each is shown, in milliseconds."""


def shot(page: Page, film: Film, seconds: float) -> None:
    """Keep what stands on the screen once nothing is on its way."""
    expect(page.locator(".stale:visible")).to_have_count(0)
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    film.append((image, int(1000 * seconds)))


def asked(page: Page, film: Film) -> None:
    """An own question, typed and answered."""
    shot(page, film, 1.6)
    page.get_by_role("button", name="Ask your own", exact=True).click()
    page.get_by_label("Paragraph", exact=True).fill(PARAGRAPH)
    box = page.get_by_label("Question", exact=True)
    for end in (8, 20, len(QUESTION)):
        box.fill(QUESTION[:end])
        shot(page, film, 0.4)
    page.locator("#ask-answer").click()
    expect(page.locator("#asked .asked-question")).to_have_text(QUESTION)
    page.evaluate("window.scrollTo(0, 0)")
    shot(page, film, 2.4)


def dragged(page: Page, film: Film) -> None:
    """Other words marked with the pointer, and two chapters that follow them."""
    words = page.locator("#picture-answer .reading-text .word")
    first = words.filter(has_text="Karin").bounding_box()
    last = words.filter(has_text="Bergen").bounding_box()
    assert first and last
    page.mouse.move(first["x"] + 4, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 6, last["y"] + 8, steps=6)
    page.mouse.up()
    shot(page, film, 2.0)
    for key in ("3", "4"):
        page.keyboard.press(key)
        page.evaluate("document.querySelector('[role=tab]').scrollIntoView()")
        shot(page, film, 2.4)


def guessed(page: Page, film: Film) -> None:
    """The first step of the first lesson: marked, then shown."""
    address = page.url.partition("#")[0]
    page.evaluate("localStorage.clear()")  # as on a first visit
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("button", name="Start lesson 1").first.click()
    expect(page.get_by_role("button", name="Commit")).to_be_visible()
    shot(page, film, 2.4)
    page.locator("#picture-answer .word", has_text="Dinant").click()
    shot(page, film, 1.2)
    page.get_by_role("button", name="Commit").click()
    expect(page.locator(".strip-decides")).to_be_visible()
    shot(page, film, 3.6)


def main(out: Path) -> None:
    """Film, write, and refuse a file of more than MOST bytes."""
    port, film = free_port(), Film()
    app, _, _ = serve(port, load_reader(), prevent_thread_lock=True)
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(f"http://127.0.0.1:{port}/")
        expect(page.locator("#asked .asked-question")).not_to_be_empty()
        for scene in (asked, dragged, guessed):
            scene(page, film)
        browser.close()
    app.get_blocks().close(verbose=False)
    (first, _), *rest = film
    first.save(
        out,
        save_all=True,
        append_images=[image for image, _ in rest],
        duration=[time for _, time in film],
        loop=0,
        quality=80,
        method=6,
    )
    size = out.stat().st_size
    if size > MOST:
        out.unlink()
        raise SystemExit(f"the film has {size:,} bytes, allowed are {MOST:,}")
    sys.stdout.write(f"{out}: {len(film)} pictures, {size:,} bytes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
