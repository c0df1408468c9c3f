"""What people marked as right, what training lowers (total = sum of weight * value, and every
denominator is shown), and how the bundled reader's own training lowered it.

All in nats. The softmax of the start/end loss runs over every position of the unpadded window, so
for a gold pair

    2 loss = log Z_s + log Z_e - (s_i + e_j),   P_s(i) P_e(j) = exp(-2 loss)
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import Bools, Floats, Ints, freeze, log_softmax, softmax
from qa_demo.core.store import shipped_arrays, shipped_json
from qa_demo.core.text import touching
from qa_demo.core.types import Answer, B, Encoding, I, O, Reading, Span, Window


@dataclass(frozen=True)
class LossTerm:
    """One term of a loss by its name; total = sum of weight * value; `over` is what the mean is
    divided by. A reply of the calls holds it as it is, as an object and not as a list.
    """

    name: str
    value: float
    weight: float
    over: float


Golds = Sequence[Span | None]
"""One `doc` span for each annotator; None where the annotator found no answer."""

TagGold = Span | tuple[Span, ...] | None
"""One annotator's marks for the tags: separate `doc` spans; a start and an end mark one."""


def marked(gold: TagGold) -> tuple[Span, ...]:
    """An annotator's spans in text order, none for None; no two of them share a token."""
    spans = tuple(sorted([gold] if isinstance(gold, Span) else gold or ()))
    assert all(a.end < b.start for a, b in pairwise(spans)), spans
    return spans


def tags_of(n: int, spans: Sequence[Span]) -> Ints:
    """The tags [n] of spans in text order, B, I ... I on each and O elsewhere, what lies behind n
    left out; always legal. Where two overlap the later begins.
    """
    tags = np.full(n, O)
    for span in spans:
        tags[span.start : span.end + 1] = I
        tags[span.start : span.start + 1] = B
    return tags


class Label(NamedTuple):
    """An answer as a `doc` span, and how many `marks` it has; None for "no answer"."""

    span: Span | None
    marks: int


def count_labels(encoding: Encoding, marks: Sequence[Answer]) -> list[Label]:
    """The labels, the one with most marks first."""
    spans = (touching(encoding, mark.char_start, mark.char_end) for mark in marks)
    found = [Label(span, n) for span, n in Counter(filter(None, spans)).items()]
    return sorted(found, key=lambda label: (-label.marks, label.span))


def total(terms: Sequence[LossTerm]) -> float:
    """sum of weight * value."""
    return sum(t.weight * t.value for t in terms)


def cross_entropy(logits: Floats, target: Floats) -> Floats:
    """-sum_k t_k log p_k over the last axis, p = softmax(logits), [..., K] -> [...]."""
    return -(target * np.where(target > 0, log_softmax(logits), 0.0)).sum(axis=-1)


def cross_entropy_gradient(logits: Floats, target: Floats) -> Floats:
    """d loss / d logits = p - t for a target that sums to 1; every position gets some."""
    return softmax(logits) - target


def entropy(target: Floats) -> Floats:
    """H(t) = -sum_k t_k log t_k over the last axis: the floor of cross-entropy; 0 if one-hot."""
    return -(target * np.log(np.where(target > 0, target, 1.0))).sum(axis=-1)


# ---- targets


def right_pair(window: Window, gold: Span | None) -> tuple[int, int]:
    """Right start and end (positions) of one annotator: [CLS] twice for a missing or cut span."""
    return window.positions(gold) if gold is not None and window.holds(gold) else (0, 0)


def start_end_targets(window: Window, golds: Golds) -> tuple[Floats, Floats]:
    """Start and end targets [n]: the mean of the one-hots; missing or cut spans count on [CLS]."""
    sides = np.transpose([right_pair(window, gold) for gold in golds or [None]])
    start, end = (np.bincount(at, minlength=len(window)) / len(at) for at in sides)
    return start, end


def tag_targets(window: Window, golds: Sequence[TagGold]) -> tuple[Floats, Bools]:
    """Targets [n, 3] in the order B, I, O and the mask [n] of the positions that carry loss: the
    paragraph's.

    Each annotator gives B on the first piece of an answer, I on the rest, O elsewhere; t is their
    mean. A window that cuts an answer keeps the visible part tagged, and where that part begins
    with I the token carries no loss, since no legal tagging starts so.
    """
    rows, labelled = [], window.is_context.copy()
    for gold in golds or [None]:
        row = np.full(len(window), O)
        row[window.is_context] = tags_of(window.doc_stop, marked(gold))[window.doc_start :]
        labelled[window.context_at] &= row[window.context_at] != I
        rows.append(np.eye(3)[row])
    return np.mean(rows, axis=0), labelled


# ---- losses of a reading


def start_end_loss(reading: Reading, golds: Golds) -> tuple[LossTerm, LossTerm]:
    """(l_start + l_end) / 2, each the mean over windows of -sum_i t_i log p_i, p over all positions
    of the window.

    Source: run_squad.py `compute_loss`; the paper writes the sum, which changes only the step size.
    """
    rows = []
    for window in reading.windows:
        logits, targets = reading.logits(window.index), start_end_targets(window, golds)
        rows.append([float(cross_entropy(x, t)) for x, t in zip(logits, targets, strict=True)])
    start, end = np.mean(rows, axis=0).tolist()
    return LossTerm("start", start, 0.5, len(rows)), LossTerm("end", end, 0.5, len(rows))


# ---- the bundled reader's fine-tuning as it was recorded: what it said of one window of a text at
# each moment, what that cost, and where the loss pulled each logit, -dL / d logit = 1/2 (y - P)


class ReplayRows(NamedTuple):
    """One example's window over S recorded steps: logits [S, n]."""

    steps: tuple[int, ...]
    window: int
    start: NDArray[np.float32]
    end: NDArray[np.float32]


@cache
def load_replay(folder: Path) -> tuple[str, dict[str, ReplayRows]]:
    """The checksum of the final weights, whose rows stand last, and the rows of each example that
    `qa_demo.training.assets` recorded.
    """
    about, arrays = shipped_json(folder / "replay.json"), shipped_arrays(folder / "replay.npz")
    found = dict[str, ReplayRows]()
    for e in about["examples"]:
        part = slice(e["at"], e["at"] + e["length"])
        start, end = (freeze(arrays[x][:, part].astype(np.float32)) for x in ("start", "end"))
        found[e["id"]] = ReplayRows(tuple(about["steps"]), e["window"], start, end)
    return about["weights"], found


StartEnd = tuple[Floats, Floats]
"""One array for the starts of a window and one for its ends."""


class Recorded:
    """Logits [S, n] at S moments, those of `rows`, their last replaced by the logits [n] on screen,
    or those alone; targets y [n]; of each moment the costs -sum y log P of the start and of the
    end, and their mean L; `last`: the place of the last moment.
    """

    def __init__(self, rows: ReplayRows | None, now: StartEnd, targets: StartEnd) -> None:
        self.steps, self.targets = (0,) if rows is None else rows.steps, targets
        self.last = len(self.steps) - 1
        start, end = (np.asarray(x, dtype=np.float64)[None] for x in now)
        if rows is not None:
            start, end = np.vstack([rows.start[:-1], start]), np.vstack([rows.end[:-1], end])
        self.start, self.end = start, end
        costs = np.stack([cross_entropy(start, targets[0]), cross_entropy(end, targets[1])], axis=1)
        self.costs = [(a, b, (a + b) / 2) for a, b in costs.tolist()]

    def log_p(self, k: int) -> StartEnd:
        """log P [n] of every start and every end at moment k."""
        return log_softmax(self.start[k]), log_softmax(self.end[k])

    def pull(self, k: int) -> StartEnd:
        """-dL / d logit [n] at moment k, of starts and of ends; each side sums to 0."""
        both = zip((self.start[k], self.end[k]), self.targets, strict=True)
        start, end = (-cross_entropy_gradient(x, y) / 2 for x, y in both)
        return start, end
