"""The static edition: every example, every text that the reader gets wrong, every passage of
chapter 8 and every lesson as plain files, for any web server or a folder.

One page (`read.html`) shows them all; a text comes with its own file in `data/`, which is a script
that hands its data over, since a page opened from a file may not fetch. A step of a lesson names
the tape that it is shown on (`steps`).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from qa_demo import __version__
from qa_demo.core.course.lesson_folder import Folder
from qa_demo.core.course.lessons import Lesson
from qa_demo.core.files.embed import embedded, packed
from qa_demo.core.files.examples import Passage, PoolExample
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading
from qa_demo.views.bundle import script
from qa_demo.views.examples import menu
from qa_demo.views.frame import Frame
from qa_demo.views.lessons import find
from qa_demo.views.lessons.course import contents
from qa_demo.views.lessons.worksheet import worksheet
from qa_demo.views.measured import measured
from qa_demo.views.new_reading import new_screen
from qa_demo.views.saved.listed import place_of
from qa_demo.views.saved.pages import README, edition_style, index_page, reading_page
from qa_demo.views.saved.steps import found, step_data
from qa_demo.views.saved.tape import record
from qa_demo.views.state import Screen
from qa_demo.views.style import style

MARK = "spanlight-edition.json"
"""What tells a folder that this command may write over."""
OWN = "spanbert"
"""The chapter with a text of its own: its tapes are the passages'."""
OPENING = "passage"
"""The tape of what that chapter shows at first."""
MOST_PACKED = 380_000
"""Letters of a reading's file: fifty-five of them and all the rest are less than 25 MB."""
FEWEST = 12
"""Records that are never left out: no selection, the answer, what almost won; and heads."""
HEAD = re.compile(r'why ask .*"what":"head"')
"""The request for the attention of one head, which is most of a short text's tape."""
Read = Callable[[str], Reading]
"""The reading of an example by its id."""


class Edition:
    """All files of the edition, made one after another."""

    def __init__(
        self,
        frames: tuple[Frame, Frame],
        read: Read,
        lessons: tuple[Lesson, ...],
        passages: Sequence[Passage],
        home: str,
        tabs: list[dict[str, Any]],
    ) -> None:
        """`frames`: the chapters of a reading. `home`: a running page's address, or ""."""
        self.frame, self.own = frames
        self.services = self.frame.services
        self.examples: Mapping[str, PoolExample] = self.services.examples
        self.read, self.lessons, self.passages = read, lessons, passages
        self.home, self.tabs = home, tabs
        self._places: dict[str, tuple[str, ...]] = {}
        """The selections on each tape."""

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file, as (name, text)."""
        yield "page.js", script()
        yield "page.css", edition_style(style())
        yield "index.html", index_page(self.examples, self.lessons, self.passages)
        yield "read.html", reading_page()
        yield "README.md", README
        yield ".nojekyll", ""
        yield MARK, json.dumps({"spanlight": __version__}) + "\n"
        yield _data("site", self._site())
        for key in self.examples:
            yield _data(key, self._tape(key, self.screen(key)))
        yield from self._own_tapes()
        for lesson in self.lessons:
            yield from self._lesson(lesson)

    def screen(self, key: str) -> Screen:
        """What a newcomer sees of an example."""
        example, source = self.examples[key], self.services.default
        return new_screen(None, self.read(key), example.answers, key, source)

    def _tape(self, name: str, screen: Screen) -> dict[str, Any]:
        made = fitting(record(self.frame, screen))
        self._places[name] = tuple(made["records"])
        return made

    def _own_tapes(self) -> Iterator[tuple[str, str]]:
        """Chapter 8 as it opens, and with each of its passages."""
        screen = self.screen(next(iter(self.examples))).open(OWN)
        yield _data(OPENING, record(self.own, screen, first=[("load", True)]))
        for passage in self.passages:
            asked = [("mask-passage", passage.id)]
            yield _data(f"{OPENING}-{passage.id}", record(self.own, screen, first=asked))

    # Lessons

    def _lesson(self, lesson: Lesson) -> Iterator[tuple[str, str]]:
        steps: list[dict[str, Any]] = []
        before: Screen | None = None
        for at, step in enumerate(lesson.steps):
            key = find.example_of(lesson, step)
            start = before if before is not None and before.example == key else self.screen(key)
            screen = before = find.set_up(start, step)
            name = f"{lesson.id}-{at + 1}"
            if self._stands_on(key, screen):
                name = key
            else:
                yield _data(name, self._tape(name, screen))
            finding = found(screen, step, self._reader())
            made = step_data(lesson, at, screen, finding, self._places[name])
            steps.append({"tape": name, **made})
        yield _data(f"lesson-{lesson.id}", {"steps": steps, "worksheet": self._sheet(lesson)})

    def _stands_on(self, key: str, screen: Screen) -> bool:
        """Whether the example's own tape shows a step: with the reader's numbers, its selection."""
        bare = self.screen(key)
        same = all(getattr(bare, n) == getattr(screen, n) for n in ("what_if", "decode", "merge"))
        return same and place_of(screen.selection) in self._places[key]

    def _reader(self) -> Reader:
        return self.services.reader(self.services.default)

    def _sheet(self, lesson: Lesson) -> dict[str, Any]:
        def read(key: str) -> tuple[Reading, Any]:
            return self.read(key), self.examples[key].answers

        return worksheet(lesson, read, self._reader, measured(self.services.default))

    def _site(self) -> dict[str, Any]:
        """What the page needs before a text is opened."""
        where = f"; one is at {self.home}" if self.home else ""
        return {
            "chapters": self.tabs,
            "home": self.home,
            "tagline": "how a reader finds the answer",
            "foot": f"Spanlight {__version__}, static edition. Nothing leaves this page. What is "
            f"disabled in it needs a running page{where}.",
            "first": next(iter(self.examples)),
            "titles": {one.id: one.title for one in self.examples.values()},
            "passages": [passage.id for passage in self.passages],
            "menu": menu(self.examples),
            "lessons": contents(Folder(self.lessons)),
        }


def fitting(tape: dict[str, Any]) -> dict[str, Any]:
    """The tape with what its file has room for: heads give way first, then records."""
    over = len(_packed(tape)) - MOST_PACKED
    if over > 0:
        tape = without_heads(tape, over)
    names = list(tape["records"])
    while len(made := _packed(tape)) > MOST_PACKED and len(names) > FEWEST:
        names = names[: max(FEWEST, int(len(names) * max(0.5, MOST_PACKED / len(made))) - 1)]
        tape = only(tape, names)
    return tape


def without_heads(tape: dict[str, Any], over: int) -> dict[str, Any]:
    """The tape without the last heads, by about so many letters; the first ones stay."""
    pages, left = list(tape["pages"]), dict(tape["answers"])
    for request in reversed([name for name in left if HEAD.match(name)][FEWEST:]):
        if over <= 0:
            break
        at = left.pop(request)["page"]
        if all(answer["page"] != at for answer in left.values()):
            over -= len(json.dumps(pages[at]))  # a head is compressed already
            pages[at] = {}
    return {**tape, "pages": pages, "answers": left}


def only(tape: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The tape with these records alone, and the shared details that they name."""
    kept: dict[int, int] = {}

    def moved(detail: Any) -> Any:
        if not isinstance(detail, dict) or detail.keys() != {"shared"}:
            return detail
        return {"shared": kept.setdefault(detail["shared"], len(kept))}

    records = {name: dict(tape["records"][name]) for name in names}
    for one in records.values():
        if "details" in one:
            one["details"] = {
                key: {name: moved(detail) for name, detail in parts.items()}
                for key, parts in one["details"].items()
            }
    return {**tape, "records": records, "shared": [tape["shared"][k] for k in kept]}


def _packed(data: dict[str, Any]) -> str:
    return packed(embedded(data))


def _data(name: str, data: dict[str, Any]) -> tuple[str, str]:
    """A script that hands its data over, compressed."""
    return (f"data/{name}.js", f"spanlight({json.dumps(name)}, {json.dumps(_packed(data))});\n")
