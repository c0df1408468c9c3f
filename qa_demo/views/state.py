"""What one visitor sees: a frozen `Screen`. Every handler takes one and returns a new one."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from qa_demo.core.learning.golds import Answer
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.reading.what_if import apply_what_if
from qa_demo.core.types import Reading, Span

Side = Literal["start", "end"]
_stamps = itertools.count(1)


@dataclass(frozen=True)
class Chapter:
    """One tab: its place in the book and the question it answers."""

    key: str
    number: int
    title: str
    group: str
    question: str


@dataclass(frozen=True)
class Selection:
    """The span that every chapter marks; `span` is doc. `flag` is a chapter's own sentence about
    it, or None.

    What the limits in use say of it (too long, not owned, no answer given) is found anew for each
    record: `views.selection.flag`.
    """

    window: int
    span: Span
    flag: str | None = None


@dataclass(frozen=True)
class WhatIf:
    """Numbers changed by hand. `logits` maps (side, window, pos) to a logit; `offset` = (window, c)
    is added to both its rows.

    `temperature` divides logits in displayed probabilities only: never in logits, scores or the
    threshold.
    """

    logits: Mapping[tuple[Side, int, int], float] = field(
        default_factory=lambda: MappingProxyType({})
    )
    offset: tuple[int, float] | None = None
    temperature: float = 1.0

    @property
    def changes_numbers(self) -> bool:
        """Whether any logit differs from the reader's own."""
        return bool(self.logits) or (self.offset is not None and self.offset[1] != 0.0)

    def with_logit(self, side: Side, window: int, pos: int, value: float) -> "WhatIf":
        """The same with one more logit changed."""
        return replace(self, logits=MappingProxyType({**self.logits, (side, window, pos): value}))


@dataclass(frozen=True, eq=False)
class Screen:
    """One reading, how it is decoded, what was changed by hand, and what is selected.

    `fresh` holds the chapters whose payload in the browser shows these numbers; the selection does
    not make one stale. `stamp` numbers the shown logits, so that the browser never draws a chapter
    of one reading over the text of another.
    """

    reading: Reading
    decode: DecodeOptions
    selection: Selection | None = None
    merge: MergeOptions = field(default_factory=MergeOptions)
    what_if: WhatIf = field(default_factory=WhatIf)
    gold: tuple[Answer, ...] = ()
    silent: int = 0
    """Annotators who found no answer, beside those who marked one in `gold`."""
    given: tuple[Answer, ...] | None = None
    """What a link says that annotators marked in a text that is no example."""
    example: str | None = None
    source: str = "bundled"
    """The name of the reader in use, as it was typed: what can be asked for again."""
    chapter: str = "answer"
    own: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What a chapter keeps for itself, by its key: a frozen record that only this chapter reads."""
    fresh: frozenset[str] = frozenset()
    stamp: int = field(default_factory=lambda: next(_stamps))

    @cached_property
    def shown(self) -> Reading:
        """The reading with the changes by hand: the numbers on screen."""
        if not self.what_if.changes_numbers:
            return self.reading
        return apply_what_if(self.reading, self.what_if.logits, self.what_if.offset)

    @cached_property
    def prediction(self) -> Prediction:
        """The decoded n-best list of the shown reading."""
        return predict(self.shown, self.decode, self.merge)

    @property
    def window(self) -> int:
        """The window on show: the selection's, else the best span's, else the first."""
        if self.selection is not None:
            return self.selection.window
        best = self.prediction.best
        return 0 if best is None else best.candidate.window

    def change(self, **fields: Any) -> "Screen":
        """A new screen whose numbers differ (decode, merge, what_if ...): all chapters stale."""
        if set(fields).isdisjoint({"reading", "what_if", "gold", "silent"}):
            new = self.same(fresh=frozenset(), **fields)
            new.__dict__.pop("prediction", None)
            return new
        return replace(self, fresh=frozenset(), stamp=next(_stamps), **fields)

    def keep(self, chapter: str, record: Any) -> "Screen":
        """The same numbers with another record of one chapter, which alone becomes stale."""
        own = MappingProxyType({**self.own, chapter: record})
        return self.same(own=own, fresh=self.fresh - {chapter})

    def redraw(self, chapter: str) -> "Screen":
        """The same numbers with one chapter stale."""
        return self.same(fresh=self.fresh - {chapter})

    def select(self, selection: Selection | None) -> "Screen":
        """The same numbers with another span selected, or none."""
        return self.same(selection=selection)

    def open(self, chapter: str) -> "Screen":
        """The same numbers with another chapter in front."""
        return self.same(chapter=chapter)

    def presented(self, chapter: str) -> "Screen":
        """The same with a chapter open and its payload sent."""
        return self.same(chapter=chapter, fresh=self.fresh | {chapter})

    def same(self, **fields: Any) -> "Screen":
        """The same numbers with other fields: what was computed of them is handed over."""
        new = replace(self, **fields)
        for name in self.__dict__.keys() & {"shown", "prediction"}:
            new.__dict__[name] = self.__dict__[name]
        return new
