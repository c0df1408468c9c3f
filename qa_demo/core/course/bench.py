"""A bench of three to six tokens: logits or probabilities typed by hand, made into a reading like
any other, so that every formula of `core` can be tried on numbers from a book or an exam.

A window of the bench is [CLS] and its tokens, no question and no [SEP]: the softmax runs over what
is typed and nothing else. Typed probabilities p become the logits log p, whose softmax is p again.
"""

import hashlib
import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from qa_demo.core.arrays import Floats, softmax
from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.windows import make_windows
from qa_demo.core.types import TAGS, Encoding, Reading, Span

FEWEST, MOST = 3, 6
MOST_ANNOTATORS = 5
LONGEST_TOKEN = 20
LARGEST = 100.0
"""The largest logit in size that can be typed."""
TINY = 1e-9
"""What a typed probability of 0 is taken as: no softmax gives 0 exactly."""
OFF_BY = 0.01
"""How far typed probabilities may miss the sum 1, as rounded ones do; they are divided by their
sum.
"""
QUESTION = "Numbers typed by hand"
NAME = "numbers typed by hand"

Typed = Literal["logits", "probabilities"]
TYPED: tuple[Typed, Typed] = ("logits", "probabilities")
Numbers = tuple[tuple[float, ...], ...]
"""One row for each window: [CLS], then the window's tokens."""


class Places(NamedTuple):
    """The tokens of one window, `doc`, half-open."""

    start: int
    stop: int


@dataclass(frozen=True)
class Bench:
    """What is typed. `golds` are spans of tokens counted from 0, None for an annotator who found no
    answer; `tags` has B, I, O of every token; `step` is the token with which a second window
    begins.

    Errors: BadInput for a size, a number or a place that does not fit.
    """

    tokens: tuple[str, ...]
    start: Numbers
    end: Numbers
    tags: Numbers | None = None
    golds: tuple[tuple[int, int] | None, ...] = ()
    step: int | None = None
    typed: Typed = "logits"

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if not FEWEST <= n <= MOST:
            raise BadInput(f"the bench has {FEWEST} to {MOST} tokens, got {n}")
        if self.step is not None and not 1 <= self.step <= n // 2:
            raise BadInput(
                f"with {n} tokens the second window begins at token 2 to {n // 2 + 1}, got "
                f"{self.step + 1}"
            )
        for k, token in enumerate(self.tokens, 1):
            if not token or len(token) > LONGEST_TOKEN or any(c.isspace() for c in token):
                raise BadInput(
                    f"token {k} must be one word of at most {LONGEST_TOKEN} characters, got "
                    f"{token[:40]!r}"
                )
        _check_golds(self.golds, n)
        for name, rows in (("start", self.start), ("end", self.end)):
            _check_shape(name, rows, [1 + p.stop - p.start for p in self.places])
            for row in rows:
                _check_numbers(f"the {name} {self.typed}", row, self.typed)
        if self.tags is not None:
            _check_shape("tag", self.tags, [len(TAGS)] * n)
            for token, row in zip(self.tokens, self.tags, strict=True):
                _check_numbers(f"the tag {self.typed} of {token}", row, self.typed)

    @property
    def options(self) -> WindowOptions:
        """The window options that cut these tokens as wanted: one position is [CLS]."""
        n, step = len(self.tokens), self.step
        return WindowOptions(1 + n, n) if step is None else WindowOptions(1 + n - step, step)

    @property
    def places(self) -> tuple[Places, ...]:
        """The tokens of each window."""
        n = len(self.tokens)
        if self.step is None:
            return (Places(0, n),)
        return Places(0, n - self.step), Places(self.step, n)

    def reading(self) -> Reading:
        """The typed numbers as the reading of a text whose words are the tokens."""
        encoding = _encoding(self.tokens)
        windows = make_windows(encoding, self.options)
        longest = max(len(w) for w in windows)
        start, end = (_padded(rows, self.typed, longest) for rows in (self.start, self.end))
        tags = None
        if self.tags is not None:
            tags = np.full((len(windows), longest, len(TAGS)), np.nan, dtype=np.float32)
            each = np.array([_logits(row, self.typed) for row in self.tags])
            for w in windows:
                tags[w.index, w.cls_at] = _logits((0.0, 0.0, 1.0), "probabilities")
                tags[w.index, w.context_at : len(w)] = each[w.doc_start : w.doc_stop]
        return Reading(
            encoding=encoding,
            windows=windows,
            start_logits=start,
            end_logits=end,
            tag_logits=tags,
            model_name=NAME,
            options=self.options,
            checksum=Reading.TYPED + hashlib.sha256(repr(self).encode()).hexdigest(),
        )

    def spans(self) -> tuple[Span | None, ...]:
        """The golds as `doc` spans."""
        return tuple(None if g is None else Span(*g) for g in self.golds)

    def read_as(self, typed: Typed) -> "Bench":
        """The same bench with its numbers written as logits or as probabilities; the softmax of
        either is the same.
        """
        if typed == self.typed:
            return self

        def rows(numbers: Numbers) -> Numbers:
            return tuple(_written(_logits(row, self.typed), typed) for row in numbers)

        tags = None if self.tags is None else rows(self.tags)
        return replace(self, start=rows(self.start), end=rows(self.end), tags=tags, typed=typed)

    def reshaped(self, n: int, step: int | None, tagged: bool) -> "Bench":
        """With n tokens, the second window at `step`, with or without tags. What stood at a place
        stays, as a logit; new places get the logit 0 and new tokens are O; golds that no longer fit
        go.
        """
        if not FEWEST <= n <= MOST:
            raise BadInput(f"the bench has {FEWEST} to {MOST} tokens, got {n}")
        old = self.read_as("logits")
        tokens = (*self.tokens, *(f"w{k + 1}" for k in range(len(self.tokens), n)))[:n]
        kept = None if step is None else min(step, n // 2)
        shape = Bench(tokens, *_zeros(n, kept), step=kept).places
        tags = (*(old.tags or ()), *((0.0, 0.0, 3.0),) * n)[:n] if tagged else None
        new = Bench(
            tokens,
            old._moved(old.start, shape),
            old._moved(old.end, shape),
            tags,
            tuple(g for g in self.golds if g is None or g[1] < n),
            kept,
        )
        return new.read_as(self.typed)

    def _moved(self, numbers: Numbers, shape: tuple[Places, ...]) -> Numbers:
        """Rows for other windows: a place takes its number from the same window, else from the
        first that holds its token.
        """
        found = []
        for w, (start, stop) in enumerate(shape):
            order = [w, *range(len(self.places))] if w < len(self.places) else [0]
            row = [numbers[order[0]][0]]
            for doc in range(start, stop):
                holders = (k for k in order if doc in range(*self.places[k]))
                at = next(holders, None)
                row.append(0.0 if at is None else numbers[at][1 + doc - self.places[at].start])
            found.append(tuple(row))
        return tuple(found)


def _zeros(n: int, step: int | None) -> tuple[Numbers, Numbers]:
    size = 1 + n - (step or 0)
    rows = ((0.0,) * size,) * (1 if step is None else 2)
    return rows, rows


def _check_golds(golds: tuple[tuple[int, int] | None, ...], n: int) -> None:
    if len(golds) > MOST_ANNOTATORS:
        raise BadInput(f"there is room for {MOST_ANNOTATORS} annotators, got {len(golds)}")
    for gold in golds:
        if gold is not None and not 0 <= gold[0] <= gold[1] < n:
            raise BadInput(
                f"an annotator's tokens must lie between 1 and {n}, the first one first, got "
                f"{gold[0] + 1} to {gold[1] + 1}"
            )


def _check_shape(name: str, rows: Numbers, sizes: list[int]) -> None:
    if [len(row) for row in rows] != sizes:
        raise BadInput(
            f"the {name} numbers need rows of {', '.join(map(str, sizes))}, got "
            f"{', '.join(str(len(row)) for row in rows) or 'none'}"
        )


def _check_numbers(name: str, row: tuple[float, ...], typed: Typed) -> None:
    low, high = (-LARGEST, LARGEST) if typed == "logits" else (0.0, 1.0)
    for x in row:
        if not low <= x <= high:  # also refuses nan
            raise BadInput(f"{name} must lie between {low:g} and {high:g}, got {x:g}")
    total = math.fsum(row)
    if typed == "probabilities" and abs(total - 1) > OFF_BY:
        raise BadInput(f"{name} must add up to 1, and add up to {total:.3g}")


def _logits(row: tuple[float, ...], typed: Typed) -> Floats:
    """The logits of a typed row: as they are, or log p."""
    x = np.array(row, dtype=np.float64)
    return x if typed == "logits" else np.log(np.maximum(x / x.sum(), TINY))


def _written(logits: Floats, typed: Typed) -> tuple[float, ...]:
    """Logits as they are typed, to four decimals; probabilities still add up to 1."""
    x = logits if typed == "logits" else softmax(logits)
    return tuple(round(float(v), 4) + 0.0 for v in x)


def _padded(rows: Numbers, typed: Typed, longest: int) -> Floats:
    """In double precision, so that a typed 0.1 is 0.1."""
    out = np.full((len(rows), longest), np.nan)
    for w, row in enumerate(rows):
        out[w, : len(row)] = _logits(row, typed)
    return out


def _encoding(tokens: tuple[str, ...]) -> Encoding:
    """Every token a word of its own, one blank between two."""
    n = len(tokens)
    ends = np.cumsum([len(t) + 1 for t in tokens]) - 1
    none = np.zeros(0, dtype=np.int64)
    return Encoding(
        question=QUESTION,
        context=" ".join(tokens),
        question_ids=none,
        question_tokens=(),
        context_ids=np.arange(1, n + 1),
        context_tokens=tokens,
        offset_mapping=np.stack([ends - [len(t) for t in tokens], ends], axis=1),
        word_ids=np.arange(n),
        whitespace_ids=np.arange(n),
        prefix_ids=np.zeros(1, dtype=np.int64),
        prefix_tokens=("[CLS]",),
        prefix_types=np.zeros(1, dtype=np.int64),
        suffix_ids=none,
        suffix_tokens=(),
        suffix_types=none,
    )
