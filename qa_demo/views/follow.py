"""A link is followed: when the page is opened, and when one comes into an open tab."""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading
from qa_demo.views import parse
from qa_demo.views.frame import Frame
from qa_demo.views.link.fragment import Wanted
from qa_demo.views.link.fragment import parse as parse_link
from qa_demo.views.link.restore import REVISION, digest
from qa_demo.views.new_reading import NewReadings
from qa_demo.views.options import parse as parse_options
from qa_demo.views.session.errors import attempt
from qa_demo.views.slow_work import Stream, telling
from qa_demo.views.state import Screen
from qa_demo.views.update import Change, Update

WINDOWS = ("max_seq_length", "doc_stride", "max_query_length")
Texts = tuple[str, str]


class Links:
    """What answers a link: it finds the texts and the reader, and says what cannot be had."""

    def __init__(self, frame: Frame, readings: NewReadings) -> None:
        self.frame, self.readings, self.services = frame, readings, frame.services
        self.typed: Callable[[Wanted], Change | None] = lambda wanted: None
        """What a link asks for that no reader makes: the bench sets it."""
        self.lessons: frozenset[str] | None = None
        """The lessons that a link may open: the strip sets them."""

    @telling
    def start(self, screen: Screen | None, visitor: str, fragment: Any, query: Any = "") -> Stream:
        """The page was opened: what its address asks for, else the first example, stored."""
        yield from self._show(None, visitor, parse_link(fragment, query) or Wanted())

    @telling
    def follow(self, screen: Screen | None, visitor: str, value: Any) -> Stream:
        """Another address came into the open tab, {"link", "n"}; one that holds no link changes
        nothing. The number goes back to the browser, which may have left again.
        """
        given = value if isinstance(value, dict) else {}
        found = parse_link(given.get("link"))
        if found is not None:
            fields = {**found.fields, "page.n": given.get("n")}
            yield from self._show(screen, visitor, replace(found, fields=fields))

    def _show(self, screen: Screen | None, visitor: str, found: Wanted) -> Stream:
        wanted = self.lesson(found)
        typed, error = attempt(lambda: self.typed(wanted))
        if typed is not None:
            yield typed
            return
        wanted = wanted.leaving(error) if error else wanted
        texts, wanted = self.texts(screen, wanted)
        source, wanted = yield from self._reader(screen, visitor, wanted)
        example = self.readings.example(*texts)
        windows, wanted = self.windows(screen, example, wanted)
        boxes = {"question": texts[0], "context": texts[1]}
        ready = self._at_hand(screen, source, texts, windows, example)
        yield from self.readings.read(
            visitor, source, *texts, windows, example, ready=ready, wanted=wanted, boxes=boxes
        )

    def _at_hand(
        self,
        screen: Screen | None,
        source: str,
        texts: Texts,
        windows: WindowOptions,
        example: PoolExample | None,
    ) -> Reading | None:
        """The reading on screen, or the stored one, where it is what the link asks for."""
        if screen is not None and screen.source == source and not screen.reading.typed:
            now = screen.reading
            if (now.encoding.question, now.encoding.context, now.options) == (*texts, windows):
                return now
        return None if example is None else self.readings.stored(example, source, windows)

    # What a link asks for

    def lesson(self, wanted: Wanted) -> Wanted:
        """The browser opens the lesson of a link; one that is not here is said to be left out."""
        named = wanted.fields.get("page.lesson")
        if named is None or self.lessons is None:
            return wanted
        if isinstance(named, str) and named in self.lessons:
            return wanted
        return wanted.leaving(f"the lesson '{parse.got(named)}', which is not here")

    def texts(self, screen: Screen | None, wanted: Wanted) -> tuple[Texts, Wanted]:
        """Question and paragraph of a link; else those on screen, or the first example's."""
        fields, examples = wanted.fields, self.services.examples
        first = next(iter(examples.values()))
        shown = (first.question, first.context)
        if screen is not None and not screen.reading.typed:
            shown = (screen.reading.encoding.question, screen.reading.encoding.context)
        if "example" in fields:
            return self._example(shown, wanted)
        question, context = fields.get("question"), fields.get("paragraph")
        if question is None and context is None:
            if fields.get("page.texts") is not False:
                return shown, wanted
            return shown, wanted.leaving("the texts, which were too long for an address")
        try:
            parse.text(question, "the question")
            parse.text(context, "the paragraph")
            parse.sendable(str(question), str(context))
        except BadInput as error:
            return shown, wanted.leaving(f"its texts ({error})")
        return (str(question), str(context)), wanted

    def _example(self, shown: Texts, wanted: Wanted) -> tuple[Texts, Wanted]:
        named = wanted.fields["example"]
        key, *more = named if isinstance(named, list) and named else [None]
        example = self.services.examples.get(key) if isinstance(key, str) else None
        if example is None:
            return shown, wanted.leaving(f"the example '{parse.got(key)}', which is not here")
        if more and more[0] != digest(example):
            wanted = wanted.leaving(
                f"the text of the example '{example.id}' as it was: it has changed since"
            )
        return (example.question, example.context), wanted

    def _reader(
        self, screen: Screen | None, visitor: str, wanted: Wanted
    ) -> Generator[Update, None, tuple[str, Wanted]]:
        """The reader of a link, loaded; if it cannot be had, the page's own, and that is said."""
        default = self.readings.source(screen)
        named = wanted.fields.get("reader")
        source = named[0] if isinstance(named, list) and named else default
        if not isinstance(source, str) or not source.strip():
            return default, wanted.leaving("the reader, which has no name")
        if source in (default, self.services.default):
            return source, wanted
        shown = source[:200]
        found = yield from self.readings.load(visitor, source)
        if found.error is None and not found.superseded:
            return source, wanted
        why = found.error or "another text came meanwhile"
        missing = (
            f"the reader {shown}{_revision(named)} cannot be had here ({why.rstrip('.')}), so "
            f"{default} has read the texts"
        )
        return default, replace(wanted, same_reader=False).leaving(missing)

    def windows(
        self, screen: Screen | None, example: PoolExample | None, wanted: Wanted
    ) -> tuple[WindowOptions, Wanted]:
        """The windows of a link; those of its texts where it names none, or none that can be."""
        usual = self.readings.windows(None if "question" in wanted.fields else screen, example)
        asked = wanted.fields.get("windows")
        if asked is None:
            return usual, wanted
        try:
            if not isinstance(asked, list) or len(asked) > len(WINDOWS):
                raise BadInput(f"{', '.join(WINDOWS)} are wanted, got {parse.got(asked)}")
            return parse_options(usual, **dict(zip(WINDOWS, asked, strict=False))), wanted
        except BadInput as error:
            return usual, wanted.leaving(f"the windows ({error})")


def _revision(named: Any) -> str:
    revision = named[2] if isinstance(named, list) and len(named) > 2 else None
    return f", revision {revision[:REVISION]}," if isinstance(revision, str) and revision else ""
