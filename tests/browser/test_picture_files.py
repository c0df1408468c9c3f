"""Pictures as files: nothing is cut, for a short, a long and a right-to-left text."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from qa_demo.core.options import WindowOptions
from qa_demo.views.examples import load_examples
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen
from tests.browser.pictures import Pictures, pictures, screen_of
from tests.fakes import FakeReader

pytestmark = pytest.mark.browser
KEYS = [module.CHAPTER.key for module in CHAPTERS]
SMALL = WindowOptions(max_seq_length=40, doc_stride=16)
FROM_RIGHT = "בנתה אנה לונד את הגשר בשנת 1900. גאורג רוטנר צייר אותו ליד ויסבי שבשוודיה. " * 3
STEPS = "(key) => [...document.querySelectorAll(`#picture-${key} .steps button`)].map((b) => b.id)"
# Every text of the file, with the box that it must stand in: the file, the picture, and each box in
# it that cuts what it holds. A box that scrolls on the page shows what it shows there, a name that
# ends in dots its beginning, and what is said to the ear alone has no place.
CUT = """async (key) => {
  const { take } = await import("/shared/take_picture.js");
  const panel = document.getElementById(`picture-${key}`);
  const stage = document.getElementById(`stage-${key}`);
  const file = take({
    picture: stage,
    formula: panel.querySelector(".formula-line"),
    question: panel.querySelector(".question"),
  });
  const scrolls = [...stage.querySelectorAll("*")].some((box) =>
    getComputedStyle(box).overflowY !== "visible" && box.clientHeight > 1 &&
    box.scrollHeight > box.clientHeight + 1 && box.matches(".text-box, .table-box, .spans-n-best"));
  const frame = document.createElement("iframe");
  frame.style.cssText = `border: 0; width: ${file.width}px; height: ${file.height}px`;
  frame.src = URL.createObjectURL(new Blob([file.svg], { type: "image/svg+xml" }));
  await new Promise((done) => {
    frame.onload = done;
    document.body.append(frame);
  });
  const drawing = frame.contentDocument, look = (node) => frame.contentWindow.getComputedStyle(node);
  const picture = drawing.querySelector("svg > svg"), whole = picture.getBoundingClientRect();
  const page = { left: 0, top: 0, right: file.width, bottom: file.height };
  const found = [];
  let texts = 0;
  const within = (what, text, box, edge) => {
    const out = [edge.left - box.left, edge.top - box.top, box.right - edge.right,
      box.bottom - edge.bottom].map(Math.round);
    if (Math.max(...out) > 1) found.push([what, text, ...out]);
  };
  const walk = drawing.createTreeWalker(drawing.documentElement, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, holder = node.parentElement, text = node.data.trim().slice(0, 40);
    if (!text || holder.closest("title, desc, style") || look(holder).visibility === "hidden") continue;
    const range = drawing.createRange();
    range.selectNodeContents(node);
    const cutting = [];
    for (let up = holder; up && up !== picture; up = up.parentElement) {
      if (up instanceof frame.contentWindow.SVGElement) continue;
      if (look(up).overflowX !== "visible" || look(up).overflowY !== "visible") cutting.push(up);
    }
    if (cutting.some((box) => look(box).textOverflow === "ellipsis" || box.clientWidth <= 1)) continue;
    for (const box of range.getClientRects()) {
      if (!box.width || !box.height) continue;
      texts += 1;
      if (scrolls && cutting.length) continue;
      within("file", text, box, page);
      if (picture.contains(holder)) within("picture", text, box, whole);
      cutting.forEach((one) => within("box", text, box, one.getBoundingClientRect()));
    }
  }
  frame.remove();
  return [texts, found];
}"""


@pytest.fixture(scope="module")
def drawn(chromium: Browser) -> Iterator[Pictures]:
    with pictures(chromium, viewport={"width": 1280, "height": 800}) as made:
        yield made


def screen(kind: str) -> Screen:
    """The first is stored, the others are read in several windows."""
    if kind == "short":
        example = load_examples()["saxophone"]
        reading = example.stored()
        assert reading is not None
        return screen_of(reading, example)
    if kind == "long":
        long = load_examples()["danube"].context
        return screen_of(FakeReader(bio=True).read("Where does it end?", long, SMALL))
    return screen_of(FakeReader(bio=True).read("מי בנה את הגשר?", FROM_RIGHT, SMALL))


@pytest.mark.parametrize("kind", ["short", "long", "from the right"])
def test_nothing_of_a_picture_is_cut(drawn: Pictures, kind: str) -> None:
    seen, faults, texts = screen(kind), [], 0
    for key in KEYS:
        drawn.show(key, seen)
        for step in drawn.page.evaluate(STEPS, key) or [None]:
            if step:
                drawn.page.locator(f"#{step}").dispatch_event("click")
            count, found = drawn.page.evaluate(CUT, key)
            texts += count
            faults += [(key, step, *fault) for fault in found]
    assert texts > 300
    assert not faults, "\n".join(str(fault) for fault in faults[:20])
