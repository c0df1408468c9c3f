"""The slow half of chapter 7: what needs the reader itself. Weights and hidden states are kept for a few windows, never in a session."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.errors import BadInput
from qa_demo.core.heads import HeadWeights
from qa_demo.core.losses import tag_targets
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader, check_made_by
from qa_demo.core.tag_fit import STEPS, fit_tags
from qa_demo.core.tagging import with_tags
from qa_demo.core.teach import Course, begin, lesson, read_with, take
from qa_demo.core.types import Reading, Window
from qa_demo.core.words import span_at
from qa_demo.views.bio_bench import (
    KEY,
    Bench,
    Marked,
    OwnHead,
    Teaching,
    annotators,
    bench_of,
    place,
)
from qa_demo.views.bio_lesson import lesson_place, teaching_of, with_teaching
from qa_demo.views.state import Screen

T = TypeVar("T")
MOST_UNDONE = 10
"""Actions on taught heads that can be taken back one by one."""
MOST_WINDOWS = 8
"""Windows of the current text that a trained head tags at most in one go."""


class Few(Generic[T]):
    """The last few values by key, shared by all visitors: they belong to a reader and a text, not to a person."""

    def __init__(self, most: int) -> None:
        self._most, self._lock, self._held = most, threading.Lock(), OrderedDict[tuple[str, bytes], T]()

    def get(self, key: tuple[str, bytes]) -> T | None:
        """The value, or None."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def make(self, key: tuple[str, bytes], make: Callable[[], T]) -> T:
        """The value, made when it is not there; the oldest makes room."""
        found = self.get(key)
        if found is None:
            found = make()
            with self._lock:
                self._held[key] = found
                while len(self._held) > self._most:
                    self._held.popitem(last=False)
        return found


HEADS: Few[HeadWeights] = Few(4)
STATES: Few[NDArray[np.float32]] = Few(8)


def name_of(reading: Reading) -> str:
    """What ties weights and states to a reading's reader."""
    return reading.weights


def heads(reading: Reading) -> HeadWeights | None:
    """The vectors and matrices of the reading's reader, when they were fetched."""
    return HEADS.get((name_of(reading), b""))


def states(reading: Reading, window: Window) -> NDArray[np.float32] | None:
    """T [n, d] of a window, when it was fetched."""
    return STATES.get((name_of(reading), window.input_ids.tobytes()))


def fetch_heads(reader: Reader, reading: Reading) -> HeadWeights:
    """Ask the reader once for its heads. Errors: BadInput when another reader is in use than the one that read."""
    check_made_by(reading, reader)
    return HEADS.make((name_of(reading), b""), reader.heads)


def fetch_states(reader: Reader, reading: Reading, window: Window) -> NDArray[np.float32]:
    """Ask the reader once for the last hidden states of a window."""
    fetch_heads(reader, reading)
    return STATES.make((name_of(reading), window.input_ids.tobytes()), lambda: np.asarray(reader.hidden(window))[-1].astype(np.float32))


def material(
    reader: Reader, marked: Marked, screen: Screen, on_progress: OnProgress, cancelled: IsCancelled
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """States and soft targets of the labelled tokens of one marked text, [m, d] and [m, 3]."""
    reading = reader.read(marked.question, marked.context, screen.reading.options, on_progress, cancelled)
    golds = [tuple(span_at(reading.encoding, *chars) for chars in spans) for spans in marked.spans]
    parts = [(fetch_states(reader, reading, w), *tag_targets(w, golds)) for w in reading.windows[:MOST_WINDOWS]]
    return (np.concatenate([h[on] for h, _, on in parts]).astype(np.float64), np.concatenate([t[on] for _, t, on in parts]))


def train(reader: Reader, screen: Screen, on_progress: OnProgress, cancelled: IsCancelled) -> Bench:
    """Fit a head to the marked texts, then tag the current text with it."""
    bench = bench_of(screen)
    if not bench.marked:
        raise BadInput("no text is marked yet: mark spans with the annotators, then add this text")
    found = [material(reader, m, screen, lambda done, total: None, cancelled) for m in bench.marked]
    fit = fit_tags(
        np.concatenate([h for h, _ in found]), np.concatenate([t for _, t in found]), STEPS, on_progress=on_progress, cancelled=cancelled
    )
    head = OwnHead(fit, name_of(screen.reading), len(bench.marked))
    return tag(reader, screen.keep(KEY, replace(bench, head=head, use_own=True, teaching=None)))


def teach(reader: Reader, screen: Screen, value: Any) -> Bench:
    """{"steps", "rate", "loss"}: steps on both heads with the annotators' marks, from the reader's own heads or on from the last."""
    if not isinstance(value, dict):
        raise BadInput(f"steps need steps, rate and loss, got {str(value)[:40]}")
    course = Course(**{name: value[name] for name in ("steps", "rate", "loss") if name in value})
    found, reading, marks = lesson_place(screen), screen.reading, annotators(screen)[0]
    if found is None:
        raise BadInput("two answers that stand apart in one window are needed: let the annotators mark them first")
    if len(reading.windows) > MOST_WINDOWS:
        raise BadInput(f"heads are taught on texts of at most {MOST_WINDOWS} windows, this one has {len(reading.windows)}")
    hidden = [fetch_states(reader, reading, w) for w in reading.windows]
    of = lesson(reading, found[1], marks, hidden[found[1]], screen.decode)
    teaching = teaching_of(screen)
    if teaching is None:
        first = begin(of, fetch_heads(reader, reading))
        bench = bench_of(screen)
        earlier = (bench.head, bench.tagged, bench.tagged_at) if bench.teaching is None else bench.teaching.earlier
        teaching = Teaching(place(reading), marks, found[1], of.floor, ((first, read_with(reading, first.heads, hidden)),), earlier)
    taught = take(of, teaching.path[-1][0], course)
    path = (*teaching.path, (taught, read_with(reading, taught.heads, hidden)))
    return with_teaching(bench_of(screen), replace(teaching, path=(path[0], *path[1:][-MOST_UNDONE:])))


def tag(reader: Reader, screen: Screen) -> Bench:
    """Tag the current text with the trained head."""
    bench: Bench = bench_of(screen)
    reading = screen.reading
    if bench.head is None:
        raise BadInput("no head was trained on this page yet")
    if bench.head.reader != name_of(reading):
        raise BadInput(f"the head was trained on another reader's hidden states; train one on {reading.model_name}")
    if len(reading.windows) > MOST_WINDOWS:
        raise BadInput(f"a head trained here tags at most {MOST_WINDOWS} windows, this text has {len(reading.windows)}")
    hidden = [fetch_states(reader, reading, w) for w in reading.windows]
    return replace(bench, tagged=with_tags(reading, bench.head.fit.W, bench.head.fit.b, hidden), tagged_at=place(reading))
