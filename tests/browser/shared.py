"""One page for many tests. A load costs two to three seconds of work, most of it gradio's own; so a
page that a test is through with is brought back to what a newcomer finds: by the link of the first
screen, which begins anew in Python, and by emptying in the browser what a link does not hold. It is
handed to the next test only if its document then says, element by element, what it said when it was
loaded; one that does not is closed, and the next test loads its own.
"""

import difflib
import time

from playwright.sync_api import Error, Page

from tests.browser.listen import replies_due

SAYS = """() => {
  const lines = [];
  const passing = "script, style, link, [data-testid=status-tracker], .progress-text";
  const said = ({ name, value }) => name === "class"
    ? `class=${value.split(/\\s+/).filter((one) => one && one !== "stale").sort().join(" ")}`
    : `${name}=${value}`;
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE && node.data.trim()) lines.push(node.data.trim());
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(passing)) return;
    const live = ["checked", "value", "open"].filter((name) => name in node);
    const given = [...node.attributes].filter(({ name, value }) => name !== "style" || value);
    lines.push([node.tagName, ...given.map(said).sort(),
      ...live.map((name) => `.${name}=${node[name]}`)].join(" "));
    node.childNodes.forEach(walk);
    lines.push(`/${node.tagName}`);
  };
  walk(document.documentElement);
  return lines.join("\\n");
}"""
"""The whole document as text, but for what gradio shows while it waits."""
SETTLED = f"""() => {{
  const now = ({SAYS})(), before = window.said;
  window.said = now;
  return now === before && now;
}}"""
BEGIN_ANEW = """async ([link, patience]) => {
  const { bus } = await module('shared/store.js');
  document.activeElement?.blur();
  const on = ".switches [aria-pressed=true], .switches [aria-expanded=true], .asked [aria-expanded=true]";
  document.querySelectorAll(on).forEach((button) => button.click());
  document.querySelectorAll("details[open]").forEach((fold) => { fold.open = false; });
  localStorage.clear();
  sessionStorage.clear();
  const late = new Promise((_, fail) => setTimeout(fail, patience, new Error("no reading")));
  const read = new Promise((done) => bus.addEventListener("reading", done, { once: true }));
  const drawn = read.then(() => new Promise((done) => bus.addEventListener("drawn", done, { once: true })));
  history.replaceState({ spanlight: link }, "", location.pathname);
  dispatchEvent(new PopStateEvent("popstate", { state: { spanlight: link } }));
  await Promise.race([late, drawn]);
  const other = "[id^=panel-]:not(#panel-answer)";
  const parts = ".stage, .formula-line, .selection-line, .finding, .best-examples, .reading-text, " +
    ".folds > :nth-child(1) > :not(summary), .folds > :nth-child(3) ul";
  document.querySelectorAll(`${other} .mount :is(${parts})`).forEach((part) => part.replaceChildren());
  document.querySelectorAll(`${other} .notice > .more`).forEach((part) => part.remove());
  document.querySelectorAll(".tip[hidden], .say-line").forEach((part) => part.removeAttribute("style"));
  document.querySelector("#link-field").value = "";
  document.querySelector("#link-note").replaceChildren();
  document.querySelectorAll(`${other} .stage`).forEach((stage) => {
    stage.className = "stage";
    delete stage.dataset.step;
  });
  document.querySelectorAll(`${other} .question`).forEach((one) => one.replaceChildren(one.textContent));
  document.body.classList.remove("by-mouse");
  scrollTo(0, 0);
}"""
PATIENCE = 2_000


class Shared:
    """A page as it was loaded, and the way back to that."""

    def __init__(self, page: Page, faults: list[str]) -> None:
        self.page, self.faults, self.due = page, faults, replies_due(page)
        self.size = page.viewport_size
        self.link = page.wait_for_function("window.history.state?.spanlight").json_value()
        self.fresh = page.wait_for_function(SETTLED, polling=300).json_value()

    def begin_anew(self) -> bool:
        """Whether the page is again what it was."""
        try:
            self.page.mouse.move(0, 0)
            self.page.set_viewport_size(self.size)
            self.page.evaluate(BEGIN_ANEW, [self.link, 5 * PATIENCE])
            self.page.wait_for_function(
                f"(fresh) => ({SAYS})() === fresh", arg=self.fresh, polling=150, timeout=PATIENCE
            )
            end = time.monotonic() + PATIENCE / 1000
            while self.due and time.monotonic() < end:  # gradio's stream outlives its last answer
                self.page.wait_for_timeout(20)
        except Error:
            return False
        return not self.due

    def unlike(self) -> list[str]:
        """The first lines of the document that are not what they were."""
        now = self.page.evaluate(f"({SAYS})()")
        lines = difflib.unified_diff(self.fresh.split("\n"), now.split("\n"), lineterm="", n=1)
        return list(lines)[:20]
