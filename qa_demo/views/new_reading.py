"""The one path of a new reading to the screen: stored at once, else through the queue."""

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.inputs import check_texts
from qa_demo.core.learning.golds import Answer
from qa_demo.core.options import WindowOptions
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading
from qa_demo.views import selection
from qa_demo.views.answers import answered
from qa_demo.views.background import Busy
from qa_demo.views.frame import Frame
from qa_demo.views.link.parts import start_decode
from qa_demo.views.link.restore import Wanted, checked_revision, page_of, restore
from qa_demo.views.services import BUNDLED, reading_name, reading_size
from qa_demo.views.session.errors import attempt
from qa_demo.views.session.jobs import Outcome
from qa_demo.views.slow_work import Stream
from qa_demo.views.state import Screen, WhatIf
from qa_demo.views.update import Update, said

KIND = "reading"
"""Readings of one visitor: a new one ends the last."""


def new_screen(
    old: Screen | None,
    reading: Reading,
    gold: tuple[Answer, ...] = (),
    example: str | None = None,
    source: str = BUNDLED,
) -> Screen:
    """Put a new reading on the screen: changes by hand are gone, limits and merge rules stay; the
    threshold stays with its question and paragraph, so that none holds for the next in silence.
    """
    if old is None:
        screen = Screen(reading, start_decode(reading), gold=gold, example=example, source=source)
    else:
        decode = (
            old.decode
            if _asked(old.reading) == _asked(reading)
            else replace(old.decode, null_score_diff_threshold=reading.threshold or 0.0)
        )
        screen = old.change(
            reading=reading,
            decode=decode,
            what_if=WhatIf(),
            gold=gold,
            silent=0,
            given=None,
            example=example,
            selection=None,
            source=source,
        )
    chosen = selection.kept(old, screen)
    return screen if chosen is None else screen.select(chosen)


def _asked(reading: Reading) -> tuple[Any, ...]:
    """What a threshold was set for."""
    of = reading.encoding
    return reading.weights, reading.threshold, of.question, of.context


def known_texts(reading: Reading) -> Reading:
    """The reading, refused when no word piece of the paragraph is known to its reader."""
    if not len(reading.encoding.context_ids):
        raise BadInput("the paragraph holds no word piece that this reader knows")
    return reading


class NewReadings:
    """What reads texts for a page and puts the reading on the newest screen."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.services = frame, frame.services

    def source(self, screen: Screen | None) -> str:
        """The name of the reader in use."""
        return self.services.default if screen is None else screen.source

    def example(self, question: str, context: str) -> PoolExample | None:
        """The example whose texts these are, if any."""
        examples, texts = self.services.examples.values(), (question, context)
        return next((e for e in examples if (e.question, e.context) == texts), None)

    def windows(self, screen: Screen | None, example: PoolExample | None) -> WindowOptions:
        """An example's own options; else those in use, unless they came with the example or the
        bench before: their small windows end with them.
        """
        if example is not None and example.windows is not None:
            return example.windows
        before = self.services.examples.get(screen.example or "") if screen is not None else None
        if screen is None or screen.reading.typed:
            return WindowOptions()
        if before is not None and before.windows == screen.reading.options:
            return WindowOptions()
        return screen.reading.options

    def stored(self, example: PoolExample, source: str, windows: WindowOptions) -> Reading | None:
        """The stored reading if the reader in use made it, known before its weights are there."""
        ready = attempt(lambda: self._ready(example))[0] if source == BUNDLED else None
        return ready if ready is not None and ready.options == windows else None

    def _ready(self, example: PoolExample) -> Reading | None:
        """As the file holds it; a whole class opens the first example."""
        checksum = self.services.checksum()
        name = "stored", example.id, checksum
        found = self.services.readings.get(name) or example.stored(checksum)
        return None if found is None else self.services.readings.put(name, found)

    def read(
        self,
        visitor: str,
        source: str,
        question: str,
        context: str,
        windows: WindowOptions,
        example: PoolExample | None,
        *,
        ready: Reading | None = None,
        wanted: Wanted | None = None,
        after: Update | None = None,
        boxes: dict[str, Any] | None = None,
    ) -> Stream:
        """Check, read in the queue, show; a reading that is `ready` or kept is shown at once. The
        texts of `boxes` come first: what is typed meanwhile stays. Errors: QADemoError.
        """
        asked = source, question, context, windows

        def work(on_progress: OnProgress, cancelled: IsCancelled) -> Reading:
            return known_texts(self.services.read(*asked, on_progress, cancelled))

        if ready is None:
            check_texts(question, context, self.services.max_characters)
            kept = self.services.kept(*asked)
            ready = None if kept is None else known_texts(kept)
        if ready is not None:
            # what is still being read is no longer wanted
            self.services.jobs.supersede(visitor, KIND)
        else:
            if boxes is not None:
                yield Update(controls=boxes)
            boxes, busy = None, Busy("reading", "window")
            ready = yield from self.frame.slow.result(
                visitor, KIND, work, busy, share=reading_name(*asked), size=reading_size(*asked)
            )
        if ready is not None:
            yield partial(self.show, ready, source, example, wanted, after, boxes)

    def load(self, visitor: str, source: str) -> Generator[Update, None, Outcome[Reader]]:
        """The reader of that name, from a disk or a network; as the visitor's newest wish."""
        return (
            yield from self.frame.slow.follow(
                visitor,
                KIND,
                lambda *_: self.services.reader(source),
                Busy(f"loading {source[:200]}"),
                loads=True,
            )
        )

    def show(
        self,
        reading: Reading,
        source: str,
        example: PoolExample | None,
        wanted: Wanted | None,
        after: Update | None,
        boxes: dict[str, Any] | None,
        old: Screen | None,
    ) -> Update:
        """A new reading comes to the screen as it is by then: what was chosen while it was made is
        kept. One that a link asks for begins anew, with what the link says.
        """

        def make() -> Update:
            screen = new_screen(
                old if wanted is None else None,
                reading,
                example.answers if example else (),
                example.id if example else None,
                source,
            )
            if wanted is None:
                shown = self.frame.answers.answer(old, screen).then(after or said(""))
            else:
                shown = self._linked(screen, old, wanted)
            return shown.then(Update(controls=boxes or {}))

        return answered(make)

    def _linked(self, screen: Screen, old: Screen | None, wanted: Wanted) -> Update:
        """The screen of a link, sent whole; what the link asks of the browser goes along."""
        wanted = checked_revision(wanted, screen.reading)
        screen, left = restore(screen, old, wanted, self.frame.modules)
        page = page_of(wanted.fields, left)
        return self.frame.answers.answer(None, screen, page).then(said(""))
