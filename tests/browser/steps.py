"""Steps that several tests take: ask, and let axe look; its script is put in a page once."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

RUN = """async ([script, context, rules]) => {
  if (!window.axe) new Function(script)();
  // gradio fades its colours: axe would see them halfway
  await Promise.all(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime < Infinity)
    .map((one) => one.finished.catch(() => {})));
  // no rule of ours asks for the style sheets, which axe would fetch and parse each time
  const asked = { preload: false, resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  return (await window.axe.run(context ?? document, asked)).violations;
}"""


LATE = {"spanbert": ".mask-text .word", "why": ".head-grid"}
"""Pictures that come with a model's answer, after the rest of their chapter."""


def send(page: Page, question: str, paragraph: str) -> None:
    """Type a text and press Ask."""
    page.get_by_role("button", name="Ask your own", exact=True).click()
    page.locator("#ask-question textarea").fill(question)
    page.locator("#ask-paragraph textarea").fill(paragraph)
    page.locator("#ask-answer").click()


def ask(page: Page, question: str, paragraph: str) -> None:
    """Read a text, and wait until it is shown."""
    send(page, question, paragraph)
    expect(page.locator("#ask")).to_be_hidden()  # the same text may have been asked before
    expect(page.locator("#asked .asked-question")).to_have_text(question)


def chosen(place: Page | Locator, first: int, last: int | None = None) -> None:
    """Wait until the selection goes from the word piece `first` of the paragraph (to `last`)."""
    span = re.compile(rf"^\d+ {first} " + (r"\d+$" if last is None else f"{last}$"))
    expect(place.locator(".selected-text")).to_have_attribute("data-span", span)


def leaving(page: Page) -> None:
    """Gradio's client may call the end of a stream that is open an error: none of this page's."""
    page.evaluate("""() => {
      console.error = () => {};
      window.addEventListener("unhandledrejection", (event) => event.preventDefault());
    }""")


def load_anew(page: Page) -> None:
    """Reload."""
    leaving(page)
    page.reload()


def tab_to(page: Page, target: Locator, most: int = 80) -> None:
    """Press Tab from the top of the page until the focus stands on this element."""
    page.evaluate("document.activeElement.blur(), window.getSelection().removeAllRanges()")
    page.locator("body").evaluate(
        "(body) => { body.tabIndex = -1; body.focus(); body.removeAttribute('tabindex'); }"
    )
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.evaluate("(node) => node === document.activeElement"):
            return
    raise AssertionError(f"{most} presses of Tab do not reach it")


def press_until(page: Page, key: str, there: str, most: int = 60) -> None:
    """Press a key until the focus stands on what the selector names."""
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate("(there) => document.activeElement.matches(there)", there):
            return
    seen = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    raise AssertionError(f"{most} presses of {key} do not reach {there}; the focus is on {seen}")


def findings(
    page: Page, context: str | None = None, rules: list[str] | None = None
) -> list[tuple[str, list[str]]]:
    """What axe finds in a part of the page, by these rules or all: each with its first places."""
    found = page.evaluate(RUN, [Axe().axe_script, context, rules])
    return [(v["id"], [node["html"][:120] for node in v["nodes"]][:3]) for v in found]
