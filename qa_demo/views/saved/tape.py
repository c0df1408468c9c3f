"""What Python answers on the running page, asked beforehand, for a page that has no Python.

The browser draws from what it is sent: a reading, a picture for each chapter, a record for each
selection, and answers to the requests of pictures (`page.input(name, value)`). A tape holds all
of these as the same handlers make them, so no number is made in a second way; the saved page
(`assets/page/saved/main.js`) looks up what it would have sent, and says where nothing was
recorded. What is asked beforehand, each chapter says itself, beside its handlers:

- `opening(screen)`: the requests that its picture makes when it is opened, as [(name, value)];
- `following(screen)`: those that it makes when another span was selected.

An answer is kept as what differs from the chapter's picture, since most of it is the same text. One
that could not be had is a sentence, `picture.lacking`, which stands where its numbers would.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qa_demo.core.errors import Cancelled
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.figures.payload import plain
from qa_demo.views.background import Job, never, untold
from qa_demo.views.frame import Frame
from qa_demo.views.link.restore import page_of
from qa_demo.views.saved.listed import NONE, listed, place_of
from qa_demo.views.session.errors import attempt
from qa_demo.views.state import Screen, Selection
from qa_demo.views.update import Update

MOST_LETTERS = 700_000
"""Of the records of one reading: what is listed first comes first."""
LONG = 500
"""Letters of a detail that stands once, however many selections have it."""
NEEDS_PAGE = "This was not saved with the reading: it needs the running page."


@dataclass(frozen=True, eq=False)
class Answer:
    """What one request of a picture brings: the screen as it is then, and the picture's data."""

    screen: Screen
    page: dict[str, Any] | None


def record(
    frame: Frame,
    screen: Screen,
    progress: OnProgress = untold,
    cancelled: IsCancelled = never,
    page: Mapping[str, Any] | None = None,
    first: Sequence[tuple[str, Any]] = (),
) -> dict[str, Any]:
    """The tape of a screen as plain data; `page` holds what the browser alone knows of it, by the
    names of a link's fields. `first`: requests of the open chapter, made before all others.
    Errors: Cancelled.
    """
    recorder = _Recorder(frame, screen, progress, cancelled)
    for name, value in first:
        recorder.screen = recorder.ask(recorder.screen, screen.chapter, name, value).screen
    return recorder.tape(page or {})


class _Recorder:
    def __init__(
        self, frame: Frame, screen: Screen, progress: OnProgress, cancelled: IsCancelled
    ) -> None:
        self.frame, self.modules, self.screen = frame, frame.modules, screen
        self.progress, self.cancelled = progress, cancelled
        self.pages: dict[str, dict[str, Any]] = {}
        """Answers by the request, whole until the pictures are known that they differ from."""
        self.more: dict[str, dict[str, Any]] = {}
        self.refused: dict[str, dict[str, Any]] = {}
        self.went: list[Selection] = []
        """What answers have selected."""

    def tape(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Ask what every picture asks, then every selection."""
        screen = self.screen = self._opened()
        pictures = {key: self._present(screen, key) for key in self.modules}
        first = self.record(screen)
        shared, pages = _Once(), _Once()
        records = self._records(screen, first, listed(screen, pictures, self.went), shared)
        sent = self.frame.answers.answer(None, screen, page_of({**own, "windows": 0, "span": 0}))

        def placed(request: str, page: dict[str, Any]) -> int:
            return pages.place(changes(pictures[request.partition(" ")[0]], page))

        return plain(
            {
                "reading": {**(sent.reading or {}), "saved": True},
                "record": first,
                "records": records,
                "shared": shared.kept,
                "pictures": pictures,
                "answers": {
                    request: {"page": placed(request, page)} | self.more.get(request, {})
                    for request, page in self.pages.items()
                },
                "refused": {key: placed(key, page) for key, page in self.refused.items()},
                "pages": pages.kept,
            }
        )

    def _opened(self) -> Screen:
        """The screen once every chapter was opened; selection and open chapter are as they were."""
        front, chosen = self.screen.chapter, self.screen.selection
        for done, (key, module) in enumerate(self.modules.items()):
            self._tell(done, 2 * len(self.modules))
            for name, value in _requests(module, "opening", self.screen.open(key)):
                then = self._keep(key, name, value, self.screen).screen
                self.screen = then if chosen is None else then.select(chosen)
        return self.screen.open(front)

    def _records(
        self, screen: Screen, first: dict[str, Any], chosen: list[Selection], shared: "_Once"
    ) -> dict[str, Any]:
        """What differs from the first record in those of other selections, while there is room."""
        records, letters = {NONE: difference(first, self.record(screen.select(None)))}, 0
        for done, selection in enumerate(chosen):
            if letters + shared.letters > MOST_LETTERS:
                break
            self._tell(len(chosen) + done, 2 * len(chosen))
            made = shared.without(difference(first, self._selected(screen, selection)))
            letters += len(json.dumps(made))
            records[place_of(selection)] = made
        return records

    def _check(self) -> None:
        if self.cancelled():
            raise Cancelled("saving was cancelled")

    def _tell(self, done: int, of: int) -> None:
        self._check()
        self.progress(round(100 * done / of), 100)

    def _present(self, screen: Screen, key: str) -> dict[str, Any]:
        module = self.modules[key]
        return plain({"stamp": screen.stamp, "chapter": key, **module.present(screen.open(key))})

    def record(self, screen: Screen) -> dict[str, Any]:
        """The record of a selection; each chapter's details as they are where it is open."""
        made = self.frame.answers.record(screen)
        for key, module in self.modules.items():
            if hasattr(module, "details"):
                made["details"][key] = plain(module.details(screen.open(key)))
        return made

    def _selected(self, screen: Screen, selection: Selection) -> dict[str, Any]:
        """The record of another selection, once the pictures have asked what they ask for it."""
        seen = screen.select(selection)
        for key, module in self.modules.items():
            for name, value in _requests(module, "following", seen.open(key)):
                seen = self._keep(key, name, value, seen).screen
        return self.record(seen)

    def _keep(self, key: str, name: str, value: Any, screen: Screen) -> Answer:
        """Ask, and keep the answer under the request."""
        answer = self.ask(screen, key, name, value)
        request = f"{key} {name} {canonical(value)}"
        if answer.page is not None and request not in self.pages:
            self.pages[request] = answer.page
            self.more[request] = self._beside(key, screen, answer.screen)
        return answer

    def _beside(self, key: str, before: Screen, after: Screen) -> dict[str, Any]:
        """What an answer changes beside the picture: the chapter's formula, the selection."""
        found: dict[str, Any] = {}
        module, chosen = self.modules[key], after.selection
        if chosen is not None and chosen != before.selection:
            self.went.append(chosen)
            return {"select": place_of(chosen)}
        if hasattr(module, "formula"):
            was, now = (module.formula(screen.open(key)) for screen in (before, after))
            if was != now:
                found["formula"] = now
        return found

    def ask(self, screen: Screen, key: str, name: str, value: Any) -> Answer:
        """What the chapter's own handler answers, the chapter being open."""
        seen = screen.presented(key)
        quick = self.frame.inputs.get(key, {}).get(name)
        update = quick(seen, value) if quick is not None else self._slow(seen, key, name, value)
        then = (update.screen or seen).open(screen.chapter)
        return Answer(then, None if update.refused else update.pictures.get(key))

    def _slow(self, screen: Screen, key: str, name: str, value: Any) -> Update:
        task = self.frame.slow.tasks[key, name]
        job = Job(screen, name, value, self.frame.services, cancelled=self.cancelled)
        request = f"{key} {name}"
        if task.refused is not None and request not in self.refused:
            refusal = task.refused(screen, job, NEEDS_PAGE).pictures.get(key)
            if refusal is not None:
                self.refused[request] = refusal
        made, error = attempt(lambda: task.receive(screen, job, task.work(job)))
        if made is None:
            self._check()
            if task.refused is None:
                return Update(pictures={key: self._lacking(screen, key, error or "")})
            return task.refused(screen, job, error or "")
        return made if isinstance(made, Update) else self.frame.answers.answer(screen, made)

    def _lacking(self, screen: Screen, key: str, error: str) -> dict[str, Any]:
        """A picture that says why a part of it is not there."""
        page = self._present(screen, key)
        return {**page, "picture": {**page["picture"], "lacking": error}}


class _Once:
    """Values, each once: many spans of a window bring the same picture, many begin or end at the
    same word piece.
    """

    def __init__(self) -> None:
        self._known = dict[str, int]()
        self.kept: list[Any] = []
        self.letters = 0

    def place(self, value: Any, text: str | None = None) -> int:
        """The place of a value among all; `text` is its JSON."""
        text = text or json.dumps(value, sort_keys=True)
        if text not in self._known:
            self._known[text] = len(self.kept)
            self.kept.append(value)
            self.letters += len(text)
        return self._known[text]

    def without(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record whose long details are places in `kept`: {"shared": k}."""
        if "details" not in record:
            return record
        details = {
            key: {name: self._placed(one) for name, one in parts.items()}
            for key, parts in record["details"].items()
        }
        return {**record, "details": details}

    def _placed(self, detail: Any) -> Any:
        text = json.dumps(detail, sort_keys=True)
        return detail if len(text) <= LONG else {"shared": self.place(detail, text)}


def _requests(module: Any, kind: str, screen: Screen) -> Iterable[tuple[str, Any]]:
    found = getattr(module, kind, None)
    return () if found is None or screen.reading.typed else found(screen)


def canonical(value: Any) -> str:
    """A request's value as text, alike here and in the browser, without the answer's key."""
    if isinstance(value, dict):
        value = {name: one for name, one in value.items() if name != "key"}
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `after` that are others than in `before`."""
    return {
        name: one for name, one in after.items() if before.get(name) != one or name not in before
    }


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a chapter's data that are others, and of its picture those that are others."""
    made = difference(before, after)
    if "picture" in made:
        made["picture"] = difference(before["picture"], after["picture"])
    return made
