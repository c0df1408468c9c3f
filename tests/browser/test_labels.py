"""Labels of the pictures: none touches another in any example nor in texts of 20 windows, on a
phone, a laptop and a projector; names of spans that share words differ; winner, runner-up and
selected always have theirs, and the no-answer rule crosses none.

Chapter 1 is measured for every text at every size, and chapter 2 for every text on a phone; else the
others, which take longer to draw, for every text at one size in turn, or at all of them where the
variable LABELS says "all".
"""

import os
import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from qa_demo.core.options import WindowOptions
from qa_demo.views.examples import load_examples
from qa_demo.views.state import Screen
from tests.browser.pictures import Pictures, pictures, screen_of
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser

EVERYTHING = os.environ.get("LABELS") == "all"
SIZES = {"laptop": (1280, 800), "phone": (375, 812), "present": (1920, 1080)} | (
    {"present on a laptop": (1280, 800)} if EVERYTHING else {}
)
OTHERS = {
    "scores": ["plane"],
    "spans": ["square", "tent"],
    "loss": ["axes"],
    "windows": ["windows", "candidates", "merge"],
}
PEOPLE = ["Anna Lund", "Bertil Lund", "Cecilia af Visby", "the keeper of the old mill", "David"]
PLACES = ["Kalmar", "Visby", "the old mill at Kalmar", "Umea", "Lund", "the road to Visby"]

TOUCHING = """(key) => {
  const found = [];
  const seen = { visibilityProperty: true, opacityProperty: true };
  for (const art of document.querySelectorAll(`#stage-${key} svg`)) {
    const texts = [...art.querySelectorAll("text")].filter((node) =>
      node.textContent.trim() && node.checkVisibility(seen));
    const boxes = texts.map((node) => node.getBoundingClientRect());
    const slant = texts.map((node) => /rotate/.test(node.getAttribute("transform") ?? ""));
    texts.forEach((node, k) => {
      for (let m = 0; m < k; m += 1) {
        const [a, b] = [boxes[k], boxes[m]];
        if (slant[k] && slant[m]) {  // side by side at one angle: as far apart as their feet
          const em = parseFloat(getComputedStyle(node).fontSize);
          if (Math.abs(a.left - b.left) * Math.sin(55 * Math.PI / 180) > 0.9 * em) continue;
        }
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // a line of text is higher than its letters
        if (wide > 1 && high > 0.3 * Math.min(a.height, b.height)) {
          found.push([art.getAttribute("class"), node.textContent, texts[m].textContent, wide, high]);
        }
      }
    });
  }
  return found;
}"""
LINE = """() => {
  const rule = document.querySelector("#picture-answer .threshold-bar")?.getBoundingClientRect();
  return [...document.querySelectorAll("#picture-answer .dot")].map((dot) => {
    const label = dot.querySelector(".label"), box = label.getBoundingClientRect();
    const [text, rank] = dot.getAttribute("aria-label").split(", rank ");
    return {
      text, rank: parseInt(rank, 10), name: label.textContent,
      shown: getComputedStyle(label).visibility === "visible", on: dot.classList.contains("on"),
      crossed: Boolean(rule) && box.left < rule.left && rule.left < box.right,
      clipped: box.left < -1 || box.right > window.innerWidth + 1,
    };
  });
}"""
LOOK = """(on) => {
  document.body.classList.toggle("present", on);
  window.dispatchEvent(new Event("resize"));  // the page measures its scale
}"""
ROWS = """() => [...document.querySelectorAll("#picture-spans .spans-n-best .row-select")].map((node) =>
  [node.title, node.textContent, node.scrollWidth <= node.clientWidth + 1])"""


def long_text(seed: int) -> Screen:
    """A text of 20 windows or more, whose spans share many words."""
    pick = random.Random(seed)
    text = " ".join(
        f"In {pick.randint(1800, 1999)} {pick.choice(PEOPLE)} went from {pick.choice(PLACES)} to "
        f"{pick.choice(PLACES)}, and {pick.choice(PEOPLE)} told of winters past."
        for _ in range(24)
    )
    reading = FakeReader().read("Who came to Kalmar?", text, WindowOptions(48, 18))
    assert len(reading.windows) >= 20
    return screen_of(reading)


@pytest.fixture(scope="module")
def screens() -> list[Screen]:
    """Every example as it is stored, and ten long texts."""
    found = []
    for example in load_examples().values():
        reading = example.stored()
        assert reading is not None, f"{example.id} has no stored reading"
        found.append(screen_of(reading, example))
    return found + [long_text(seed) for seed in range(10)]


@pytest.fixture(scope="module")
def drawn(chromium: Browser) -> Iterator[Pictures]:
    with pictures(chromium) as made:
        yield made


def resize(drawn: Pictures, size: str) -> None:
    width, height = SIZES[size]
    drawn.page.set_viewport_size({"width": width, "height": height})
    drawn.page.evaluate(LOOK, size.startswith("present"))


# chapter 5: names of ticks, and whether the line of log Z or another tick's leader goes through one
CROSSED = """() => {
  const found = [];
  for (const art of document.querySelectorAll("#stage-loss .axis")) {
    const lines = [...art.querySelectorAll(".log-z line, .leader")]
      .map((line) => line.getBoundingClientRect());
    for (const name of art.querySelectorAll(".name")) {
      const box = name.getBoundingClientRect();
      for (const line of lines) {
        // a leader ends under its own name
        const high = Math.min(box.bottom - 0.3 * box.height, line.bottom) - Math.max(box.top, line.top);
        const wide = Math.min(box.right, line.right) - Math.max(box.left, line.left);
        if (high > 1 && wide >= 0) found.push([name.textContent, "crossed", wide, high]);
      }
    }
    const gold = art.querySelectorAll(".dot-gold").length;
    const named = art.querySelectorAll(".name.gold").length;
    if (named < Math.min(gold, 2)) found.push([`${named} of ${gold} labels named`]);
  }
  return found;
}"""


# chapter 2: words and numbers of the plane that lie on a dot, and whether the answer is named
ON_DOTS = """() => {
  const plane = document.querySelector("#stage-scores .scores-plane"), found = [];
  const dots = [...plane.querySelectorAll(".point, .cls")].map((dot) => dot.getBoundingClientRect());
  for (const word of plane.querySelectorAll(".scores-label, text.small")) {
    const box = word.getBoundingClientRect(), inset = 0.2 * box.height;
    const on = dots.filter((dot) =>
      Math.min(box.right, dot.right) - Math.max(box.left, dot.left) > 1 &&
      Math.min(box.bottom - inset, dot.bottom) - Math.max(box.top + inset, dot.top) > 1);
    if (on.length) found.push([word.textContent, `on ${on.length} dots`]);
  }
  const rings = plane.querySelectorAll(".ring").length;
  if (rings && !plane.querySelector(".scores-label.chosen")) found.push(["no selected name"]);
  return found;
}"""


def names_differ(pairs: list[tuple[str, str]]) -> None:
    for k, (text, name) in enumerate(pairs):
        for other, its in pairs[:k]:
            assert (name == its) == (text == other), (text, other, name)


def check_line(drawn: Pictures) -> list[object]:
    """What is wrong with chapter 1's line."""
    found = drawn.page.evaluate(LINE)
    names_differ([(dot["text"], dot["name"]) for dot in found])
    shown = [dot for dot in found if dot["shown"]]
    ranks = {dot["rank"] for dot in shown}
    faults: list[object] = []
    if not {1, 2} & {dot["rank"] for dot in found} <= ranks:
        faults.append(("no label for winner or runner-up", ranks))
    faults += [("selected without a label", d["text"]) for d in found if d["on"] and not d["shown"]]
    faults += [("crossed by the rule", dot["name"]) for dot in shown if dot["crossed"]]
    faults += [("outside the screen", dot["name"]) for dot in shown if dot["clipped"]]
    return faults + drawn.page.evaluate(TOUCHING, "answer")


@pytest.mark.parametrize("size", SIZES)
def test_labels_of_the_logit_line(drawn: Pictures, screens: list[Screen], size: str) -> None:
    resize(drawn, size)
    faults = []
    for k, screen in enumerate(screens):
        drawn.show("answer", screen)
        faults += [(k, screen.example, fault) for fault in check_line(drawn)]
        dots = drawn.page.locator("#picture-answer .dot")
        if k % 5 == 0 and dots.count():
            dots.first.dispatch_event("click")  # the last of the list
            faults += [(k, "selected", fault) for fault in check_line(drawn)]
    assert not faults, "\n".join(str(fault) for fault in faults)


@pytest.mark.parametrize("size", SIZES)
def test_labels_of_the_other_pictures(drawn: Pictures, screens: list[Screen], size: str) -> None:
    resize(drawn, size)
    faults = []
    order = {key: steps[:] for key, steps in OTHERS.items()}
    for k, screen in enumerate(screens):
        for key, steps in order.items():
            narrowest = (key, size) == ("scores", "phone")
            if not EVERYTHING and not narrowest and (k + list(SIZES).index(size)) % 3:
                continue
            drawn.show(key, screen)
            for step in steps:
                drawn.page.evaluate(
                    "(id) => document.getElementById(id)?.click()", f"{key}-step-{step}"
                )
                found = drawn.page.evaluate(TOUCHING, key)
                found += drawn.page.evaluate(CROSSED) if key == "loss" else []
                found += drawn.page.evaluate(ON_DOTS) if narrowest else []
                faults += [(k, screen.example, key, step, fault) for fault in found]
            steps.reverse()  # the next text is drawn at the step that stands open
            if key == "spans":
                rows = drawn.page.evaluate(ROWS)
                names_differ([(title, name) for title, name, _ in rows])
                faults += [(k, "cut", name) for _, name, fits in rows if not fits]
    assert not faults, "\n".join(str(fault) for fault in faults)
