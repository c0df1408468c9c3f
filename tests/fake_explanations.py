"""The fake reader's numbers of its own readings, shaped and summing as real ones must."""

import zlib

import numpy as np

from qa_demo.core.attention import Attention
from qa_demo.core.attribution import (
    GAP_LIMIT,
    METHODS,
    STEPS,
    Attribution,
    Method,
    Target,
    gap_share,
    parts,
    window_of,
)
from qa_demo.core.base import Cancelled, IsCancelled, OnProgress, one_of
from qa_demo.core.heads import HeadWeights
from qa_demo.core.text import special_positions
from qa_demo.core.types import Baseline, Reading, Window

LAYERS, HEADS, WIDTH = 3, 2, 6
S, E, B_S, B_E = np.array([1, 0, 0.5, 0, -1, 0.25]), np.array([0, 1, -0.5, 2, 0, 0.5]), 0.125, -0.25

W, B = np.stack([S, E, np.zeros(6)]), np.array([0.5, 0.0, 1.0])
"""B follows the start logit, I the end logit, O is the same everywhere."""


def rng_of(window: Window, *more: object) -> np.random.Generator:
    """A generator that depends on the window's ids and on nothing that changes between runs."""
    return np.random.default_rng(zlib.crc32(window.input_ids.tobytes() + repr(more).encode()))


def heads(bio: bool = False) -> HeadWeights:
    return HeadWeights(S, E, B_S, B_E, W, B) if bio else HeadWeights(S, E, B_S, B_E)


def hidden(window: Window, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """[N + 1, n, d]; the last T gives the reading's own logits, earlier ones fade into noise."""
    t = rng_of(window, "T").normal(size=(len(window), WIDTH))
    t[:, 0] = start - B_S - t[:, 2:] @ S[2:]
    t[:, 1] = end - B_E - t[:, 2:] @ E[2:]
    noise = rng_of(window, "layers").normal(size=t.shape)
    return np.stack(
        [(level * t + (LAYERS - level) * noise) / LAYERS for level in range(LAYERS + 1)]
    ).astype(np.float32)


def attention(window: Window) -> Attention:
    n, rng = len(window), rng_of(window, "attention")
    rows = rng.dirichlet(np.full(n, 0.3), size=(LAYERS, HEADS, n))
    return Attention(rows.astype(np.float32))


def masked(
    window: Window,
    start: np.ndarray,
    end: np.ndarray,
    masks: np.ndarray,
    on_progress: OnProgress | None,
    cancelled: IsCancelled | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Every masked position lowers each logit by a fixed amount."""
    cost = rng_of(window, "masked").exponential(0.3, size=(2, len(window), len(window)))
    for done in range(len(masks)):
        _between(done + 1, len(masks), on_progress, cancelled)
    start, end = start - masks @ cost[0], end - masks @ cost[1]
    return start.astype(np.float32), end.astype(np.float32)


def attribute(
    reading: Reading,
    target: Target,
    method: Method,
    baseline: Baseline,
    n_steps: int | None,
    on_progress: OnProgress | None,
    cancelled: IsCancelled | None,
) -> Attribution:
    """Gradient methods: random lanes; integrated ones sum to F(x) - F(x') but for a gap."""
    one_of("the method", method, METHODS)
    window = window_of(reading, target)
    lanes = [float(part) for part in parts(target, window, *reading.logits(window.index))]
    kept = special_positions(reading.encoding, window)
    rows = rng_of(window, method, target, None).normal(1.0, 1.0, size=(2, len(window)))
    rows[:, kept] = 0.0
    for row, lane, alone in zip(rows, lanes, ("end_logit", "start_logit"), strict=True):
        row *= 0.0 if target.kind == alone else 0.75 * lane / row.sum()
    if method == "gradient_x_input":
        _between(1, 1, on_progress, cancelled)
        return Attribution(target, method, window.index, rows[0], rows[1], f_x=sum(lanes))
    tried: list[tuple[int, float]] = []
    for steps in STEPS if n_steps is None else (n_steps,):
        for done in range(1, steps + 1):
            _between(done, steps, on_progress, cancelled)
        tried.append((steps, 0.2 / steps * 0.75 * sum(lanes)))
        if gap_share(tried[-1][1], 0.75 * sum(lanes)) < GAP_LIMIT:
            break
    scale = 1 + 0.2 / tried[-1][0]
    f_x, (start, end) = sum(lanes), rows * scale
    path = {"f_baseline": 0.25 * f_x, "baseline": baseline, "n_steps": tried[-1][0]}
    kind = (target, method, window.index)
    return Attribution(*kind, start, end, f_x=f_x, **path, tried=tuple(tried))


def _between(
    done: int, total: int, on_progress: OnProgress | None, cancelled: IsCancelled | None
) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("the explanation was cancelled")
    if on_progress is not None:
        on_progress(done, total)
