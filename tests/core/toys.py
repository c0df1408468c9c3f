"""Readings small enough to check by hand: words, windows and logits are written out."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qa_demo.core.types import Encoding, Reading, Window
from qa_demo.core.windows import max_context_owner, plan

ALPHABET = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"]


def make_encoding(
    words: Sequence[str], question: Sequence[str] = ("who",), separators: int = 1
) -> Encoding:
    """One token per word; [CLS] question [SEP]*separators context [SEP]."""
    context = " ".join(words)
    offsets, asked = (
        np.array([m.span() for m in re.finditer(r"\S+", " ".join(each))]).reshape(-1, 2)
        for each in (words, question)
    )
    head = ("[CLS]", *question, *("[SEP]",) * separators)
    at = np.arange(len(words))
    return Encoding(
        question=" ".join(question),
        context=context,
        question_ids=np.arange(len(question)) + 5,
        question_tokens=tuple(question),
        question_offset_mapping=asked,
        context_ids=at + 50,
        context_tokens=tuple(words),
        offset_mapping=offsets,
        word_ids=at,
        whitespace_ids=at,
        prefix_ids=np.arange(len(head)),
        prefix_tokens=head,
        prefix_types=np.zeros(len(head), dtype=np.int64),
        suffix_ids=np.array([2]),
        suffix_tokens=("[SEP]",),
        suffix_types=np.array([1]),
    )


def make_reading(
    words: Sequence[str],
    parts: Sequence[tuple[int, int]],
    start: Sequence[Sequence[float]],
    end: Sequence[Sequence[float]],
    tags: Sequence[np.ndarray] | None = None,
    threshold: float | None = 0.0,
    question: Sequence[str] = ("who",),
    separators: int = 1,
) -> Reading:
    """A reading with the windows [a, b) of `parts` and logits for every position of each."""
    encoding = make_encoding(words, question, separators)
    head = len(encoding.prefix_ids)
    owner = max_context_owner(len(words), [a for a, _ in parts], [b for _, b in parts])
    windows = []
    for w, (a, b) in enumerate(parts):
        n = head + b - a + 1
        inside, owned = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        inside[head : head + b - a] = True
        owned[head : head + b - a] = owner[a:b] == w
        windows.append(
            Window(w, a, b, head, np.arange(n), np.zeros(n, dtype=np.int64), inside, owned)
        )
    longest = max(len(w) for w in windows)

    def pad(rows: Sequence) -> np.ndarray:
        shape = (len(rows), longest, *np.asarray(rows[0]).shape[1:])
        out = np.full(shape, np.nan, dtype=np.float32)
        for w, row in enumerate(rows):
            assert len(row) == len(windows[w]), "a toy needs one logit for every position"
            out[w, : len(row)] = row
        return out

    return Reading(
        encoding,
        tuple(windows),
        pad(start),
        pad(end),
        None if tags is None else pad(tags),
        "toy",
        threshold=threshold,
    )


def one_window(
    start: Sequence[float],
    end: Sequence[float],
    words: str = "Alpha Beta Gamma Delta",
    null: tuple[float, float] = (0.0, 0.0),
    rest: float = 0.0,
) -> Reading:
    """[CLS] who [SEP], one token a word, [SEP]: start and end logit of [CLS] and of the words, and
    one for all that is neither.
    """
    names = words.split()
    rows = [[cls, rest, rest, *row, rest] for cls, row in zip(null, (start, end), strict=True)]
    return make_reading(names, [(0, len(names))], rows[:1], rows[1:])


def with_offsets(reading: Reading, offsets: np.ndarray) -> Reading:
    """The same logits over pieces that cover these characters."""
    return replace(reading, encoding=replace(reading.encoding, offset_mapping=offsets))


def t1(threshold: float | None = 0.0) -> Reading:
    """Two windows, words 0-3 and 2-5: 0 [CLS], 1 question, 2 [SEP], 3-6 context, 7 [SEP]."""
    return make_reading(
        ALPHABET,
        [(0, 4), (2, 6)],
        start=[[1, 9, 0, 2, 3, -1, 0.5, 0], [5, 0, 0, -2, 4, 1, 0, 0]],
        end=[[0.5, 8, 0, 0, 4, 1, 2.5, 0], [4, 0, 0, -3, 3, 3.5, 0, 0]],
        threshold=threshold,
    )


def random_reading(
    rng: np.random.Generator, n_words: int, capacity: int, step: int, tags: bool = False
) -> Reading:
    """Random logits on the window plan of (n_words, capacity, step)."""
    parts = list(zip(*plan(n_words, capacity, step), strict=True))
    sizes = [3 + b - a + 1 for a, b in parts]

    def draw() -> list[np.ndarray]:
        return [rng.normal(0, 2, n).round(2) for n in sizes]

    return make_reading(
        [f"w{k}" for k in range(n_words)],
        parts,
        draw(),
        draw(),
        [rng.normal(0, 2, (n, 3)) for n in sizes] if tags else None,
    )
