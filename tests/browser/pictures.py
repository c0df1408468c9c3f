"""The page's modules without its server: readings drawn in one Chromium page, fast."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Route

from qa_demo.core.files.examples import PoolExample
from qa_demo.core.types import Reading
from qa_demo.views.answers import Answers, shown
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen
from qa_demo.views.style import PAGE, style

ORIGIN = "http://pictures.test/"
KINDS = {".js": "text/javascript", ".css": "text/css"}
SHEET = """<!doctype html><html><head><link rel="stylesheet" href="static/page/page.css"></head>
<body class="ready"><div class="gradio-container"><div class="main"><main class="contain">
<div class="column"></div></main></div></div></body></html>"""

MOUNT = """async (keys) => {
  window.module = (name) => import(`/${name}`);
  const { mount } = await module("main.js");
  const { bus } = await module("shared/store.js");
  const column = document.querySelector(".column");
  const parts = {};
  const part = (name, kind) => {
    const element = document.createElement("div");
    element.id = name;
    element.className = "picture";
    element.append(Object.assign(document.createElement("div"), { className: "mount" }));
    const panel = Object.assign(document.createElement("div"), { className: "panel" });
    if (name.startsWith("picture-")) panel.id = name.replace("picture", "panel");
    panel.append(element);
    column.append(panel);
    const props = { kind, value: kind === "chapter" ? { chapter: name.slice(8) } : {} };
    let update = () => {};
    mount(element, props, () => {}, (_, again) => { update = again; });
    parts[name] = (value) => { props.value = value; update(); };
  };
  part("store", "store");
  part("chosen", "chosen");
  part("chapters", "chapters");
  for (const key of keys) part(`picture-${key}`, "chapter");
  parts.chapters({ chapters: keys.map((key) => ({ key, number: 1, title: key, group: "" })), open: keys[0] });
  window.parts = parts;
  window.drawn = (key) => new Promise((done) => {
    const stage = () => document.getElementById(`stage-${key}`);
    const look = () => requestAnimationFrame(() => requestAnimationFrame(() => stage()?.firstChild ? done() : look()));
    look();
  });
}"""
SHOW = """async ([key, sent]) => {
  const [reading, selection, picture] = JSON.parse(sent);
  if (reading) window.parts.store(reading);
  window.parts.chosen(selection);
  document.getElementById(`tab-${key}`).click();
  window.parts[`picture-${key}`](picture);
  await window.drawn(key);
}"""


class Pictures:
    """A page that draws any chapter of any reading: `show(key, screen)`."""

    def __init__(self, page: Page) -> None:
        self.page, self.modules = page, {m.CHAPTER.key: m for m in CHAPTERS}
        self.answers = Answers(self.modules)
        self._screens: dict[int, tuple[Screen, str, str]] = {}
        self._pictures: dict[tuple[int, str], str] = {}
        self._shown: int | None = None

    def show(self, key: str, screen: Screen) -> None:
        """Draw this chapter of this screen, and wait; what Python sends is made once, and as one
        text, which takes a long reading to the browser in less than the driver's own values.
        """
        number = screen.stamp
        if number not in self._screens:
            first = self.answers.answer(None, screen)
            sent = (json.dumps(part or {}) for part in (first.reading, first.selection))
            self._screens[number] = (screen, *sent)
        if (number, key) not in self._pictures:
            module = self.modules[key]
            made = shown(module.CHAPTER, screen, module.present(screen.open(key)))
            self._pictures[number, key] = json.dumps(made.pictures[key])
        _, reading, selection = self._screens[number]
        seen = "null" if self._shown == number else reading
        sent = f"[{seen}, {selection}, {self._pictures[number, key]}]"
        self.page.evaluate(SHOW, [key, sent])
        self._shown = number


def screen_of(reading: Reading, example: PoolExample | None = None) -> Screen:
    """What a visitor sees who opens this reading."""
    return new_screen(
        None, reading, example.answers if example else (), example.id if example else None
    )


@contextmanager
def pictures(chromium: Browser, **settings: Any) -> Iterator[Pictures]:
    """An empty page at these settings; an error in it is raised at the end."""
    page = chromium.new_page(reduced_motion="reduce", **settings)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        if path in ("", "favicon.ico"):
            route.fulfill(body=SHEET, content_type="text/html")
        elif path == "static/page/page.css":
            route.fulfill(body=style(), content_type=KINDS[".css"])
        else:
            file = PAGE / path
            route.fulfill(body=file.read_bytes(), content_type=KINDS[file.suffix])

    page.route(f"{ORIGIN}**", serve)
    page.goto(ORIGIN)
    page.evaluate(MOUNT, [m.CHAPTER.key for m in CHAPTERS])
    yield Pictures(page)
    page.close()
    assert faults == []
