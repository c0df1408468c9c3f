"""Readings small enough to check by hand: words, windows and logits are written out."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np

from qa_demo.core.types import Encoding, Reading, Window, WindowOptions
from qa_demo.core.windows import assemble, max_context_owner, plan
from tests.fakes import fake_encode

ALPHABET = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"]


def make_encoding(words: Sequence[str], question: Sequence[str] = ("who",)) -> Encoding:
    """One token per word; [CLS] question [SEP] context [SEP]."""
    return fake_encode(" ".join(question), " ".join(words), r"\S+")


def make_reading(
    words: Sequence[str],
    parts: Sequence[tuple[int, int]],
    start: Sequence[Sequence[float]],
    end: Sequence[Sequence[float]],
    tags: Sequence[np.ndarray] | None = None,
    threshold: float | None = 0.0,
) -> Reading:
    """A reading with the windows [a, b) of `parts` and logits for every position of each."""
    encoding = make_encoding(words)
    before = len(encoding.prefix_ids)
    owner = max_context_owner(len(words), [a for a, _ in parts], [b for _, b in parts])
    windows = []
    for w, (a, b) in enumerate(parts):
        n = before + b - a + 1
        inside, owned = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        inside[before : before + b - a] = True
        owned[before : before + b - a] = owner[a:b] == w
        ids = np.concatenate([encoding.prefix_ids, encoding.context_ids[a:b], encoding.suffix_ids])
        windows.append(Window(w, a, b, before, ids, np.zeros(n, dtype=np.int64), inside, owned))
    pairs = [np.stack(pair, axis=-1) for pair in zip(start, end, strict=True)]
    rows = list(zip(pairs, tags or repeat(None), strict=False))
    about = {"model_name": "toy", "threshold": threshold}
    return assemble(encoding, tuple(windows), rows, WindowOptions(), **about)


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
    start, end = ([rng.normal(0, 2, n).round(2) for n in sizes] for _ in range(2))
    rows = [rng.normal(0, 2, (n, 3)) for n in sizes] if tags else None
    return make_reading([f"w{k}" for k in range(n_words)], parts, start, end, rows)
