"""Readings small enough to check by hand: words, windows and logits are written out."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np
from hypothesis import strategies as st

from qa_demo.core.types import Encoding, Reading, WindowOptions
from qa_demo.core.windows import assemble, make_windows, plan
from tests.fakes import fake_encode

ONE, TWO = WindowOptions(), WindowOptions(max_seq_length=8, doc_stride=2)
"""Options that make one window of a toy, and of six words windows of words 0-3 and 2-5."""
SEEDS = st.integers(0, 2**32 - 1)


def make_encoding(words: Sequence[str], question: Sequence[str] = ("who",)) -> Encoding:
    """One token per word; [CLS] question [SEP] context [SEP]."""
    return fake_encode(" ".join(question), " ".join(words), r"\S+")


def make_reading(
    words: Sequence[str],
    start: Sequence[Sequence[float]],
    end: Sequence[Sequence[float]],
    tags: Sequence[np.ndarray] | None = None,
    options: WindowOptions = ONE,
    threshold: float | None = 0.0,
) -> Reading:
    """A reading with logits for every position of each window, by default of one window."""
    encoding = make_encoding(words)
    pairs = [np.stack(pair, axis=-1) for pair in zip(start, end, strict=True)]
    rows = list(zip(pairs, tags or repeat(None), strict=False))
    about = {"model_name": "toy", "threshold": threshold}
    return assemble(encoding, make_windows(encoding, options), rows, options, **about)


def with_offsets(reading: Reading, offsets: np.ndarray) -> Reading:
    """The same logits over pieces that cover these characters."""
    return replace(reading, encoding=replace(reading.encoding, offset_mapping=offsets))


def unowned(reading: Reading) -> Reading:
    """The same logits in windows that own no token, so that no span is legal."""
    windows = [replace(w, is_max_context=np.zeros(len(w), dtype=bool)) for w in reading.windows]
    return replace(reading, windows=tuple(windows))


def t1(threshold: float | None = 0.0) -> Reading:
    """Two windows, words 0-3 and 2-5: 0 [CLS], 1 question, 2 [SEP], 3-6 context, 7 [SEP]."""
    return make_reading(
        ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"],
        start=[[1, 9, 0, 2, 3, -1, 0.5, 0], [5, 0, 0, -2, 4, 1, 0, 0]],
        end=[[0.5, 8, 0, 0, 4, 1, 2.5, 0], [4, 0, 0, -3, 3, 3.5, 0, 0]],
        options=TWO,
        threshold=threshold,
    )


def random_reading(
    seed: int | np.random.Generator, n_words: int, capacity: int, step: int, tags: bool = False
) -> Reading:
    """Random logits on the window plan of (n_words, capacity, step)."""
    rng = np.random.default_rng(seed)
    sizes = [b - a + 4 for a, b in zip(*plan(n_words, capacity, step), strict=True)]
    start, end = ([rng.normal(0, 2, n).round(2) for n in sizes] for _ in range(2))
    rows = [rng.normal(0, 2, (n, 3)) for n in sizes] if tags else None
    words, options = [f"w{k % 4}" for k in range(n_words)], WindowOptions(capacity + 4, step)
    return make_reading(words, start, end, rows, options)
