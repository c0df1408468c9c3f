"""The answer to one event: from the screen as it was to the parts of the page that change.

A handler maps a Screen (and a value) to a new Screen. What differs between the two is sent, so that
a click costs one selection record and a slider one chapter.
"""

import itertools
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import gradio as gr

from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import PoolExample
from qa_demo.figures.payload import plain
from qa_demo.figures.reading import reading_data
from qa_demo.views import selection
from qa_demo.views.by_hand import changes
from qa_demo.views.examples import is_right, load_menu
from qa_demo.views.link.restore import save
from qa_demo.views.session.errors import attempt
from qa_demo.views.state import Chapter, Screen
from qa_demo.views.update import Update, said

NO_READING = "No reading is kept for this page, or there is none yet: press Ask, or load it again."


class Answers:
    """What the chapters show of a screen; `modules` are the chapters by their keys."""

    def __init__(
        self, modules: Mapping[str, ModuleType], examples: Mapping[str, PoolExample] | None = None
    ) -> None:
        self.modules, self.examples = modules, examples or {}
        self.linked: list[Callable[[Screen], dict[str, Any]]] = []
        """What is no chapter and has fields of a link."""
        self._numbers = itertools.count(1)

    def step(
        self,
        screen: Screen | None,
        change: Callable[[Screen], Screen | Update],
        quiet: Update | None = None,
    ) -> Update:
        """Answer one event: the new screen's differences, or an error's sentence."""

        def changed(seen: Screen) -> Update:
            new = change(seen)
            return new if isinstance(new, Update) else self.answer(screen, new)

        return (quiet or Update()).then(tried(screen, changed))

    def answer(
        self, old: Screen | None, new: Screen, page: Mapping[str, Any] | None = None
    ) -> Update:
        """What turns the page from `old` into `new`; `page` is what a link asks of the browser."""
        module = self.modules[new.chapter]
        stale = new.chapter not in new.fresh
        pictures = shown(module.CHAPTER, new, module.present(new)).pictures if stale else {}
        new = new.presented(new.chapter)
        moved = old is None or old.stamp != new.stamp
        reading = _store(new, old is None, page) if moved else None
        return Update(new, reading, self.record(new), None, pictures)

    def record(self, screen: Screen) -> dict[str, Any]:
        """The selection record with every chapter's formula; numbered, so that it is news."""
        formulas = (
            {
                key: module.formula(screen)
                for key, module in self.modules.items()
                if hasattr(module, "formula")
            }
            if screen.selection is not None
            else {}
        )
        details = {
            key: module.details(screen)
            for key, module in self.modules.items()
            if hasattr(module, "details")
        }
        example = self.examples.get(screen.example or "")
        own: dict[str, Any] = {}
        for linked in self.linked:
            own |= linked(screen)
        return plain(
            {
                "stamp": screen.stamp,
                "n": next(self._numbers),
                **selection.record(screen),
                "formulas": formulas,
                "details": details,
                "threshold": screen.decode.null_score_diff_threshold,
                "changed": changes(screen, self.modules),
                "link": save(screen, self.modules, example) | own,
                "right": _right(screen),
            }
        )


def _right(screen: Screen) -> bool | None:
    """Whether the reader in use answers a text of the failures rightly; None on any other text."""
    example = load_menu().get(screen.example or "")
    return None if example is None or example.view is None else is_right(example, screen)


def _store(screen: Screen, first: bool, page: Mapping[str, Any] | None) -> dict[str, Any]:
    """The reading as the browser's store wants it; the first one names the open chapter."""
    return plain(
        {
            "open": screen.chapter if first else None,
            "page": None if page is None else dict(page),
            "example": screen.example,
            **reading_data(
                screen.shown,
                screen.gold,
                screen.stamp,
                screen.what_if.changes_numbers,
                screen.what_if.temperature,
                screen.example is not None,
            ),
        }
    )


def shown(chapter: Chapter, screen: Screen, page: dict[str, Any]) -> Update:
    """A chapter's picture drawn anew from what `present` returns."""
    return Update(
        pictures={chapter.key: plain({"stamp": screen.stamp, "chapter": chapter.key, **page})}
    )


def answered(make: Callable[[], Update]) -> Update:
    """What is made, or the sentence of its error."""
    update, error = attempt(make)
    return said(error or "", "error") if update is None else update


def tried(screen: Screen | None, make: Callable[[Screen], Update]) -> Update:
    """make(screen), or the sentence of its error."""
    return answered(lambda: make(there(screen)))


def there(screen: Screen | None) -> Screen:
    """The screen, refused where there is none yet."""
    if screen is None:
        raise BadInput(NO_READING)
    return screen


def select(screen: Screen, data: gr.EventData) -> Screen:
    """The same screen with what was clicked selected."""
    return screen.select(selection.parse(screen.reading, (data._data or {}).get("index")))


def open_chapter(modules: Mapping[str, ModuleType], screen: Screen, data: gr.EventData) -> Screen:
    """A tab was chosen: present it when the browser's copy is stale."""
    key = (data._data or {}).get("index")
    if not isinstance(key, str) or key not in modules:
        raise BadInput(f"this page has no chapter '{str(key)[:20]}'")
    return screen.open(key)
