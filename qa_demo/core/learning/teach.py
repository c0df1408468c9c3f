"""Teach both heads one text: gradient steps on S, E and on W, b over hidden states that never
change.

    tags         W <- W - rate (1/m) sum_i (p_i - t_i) h_i,   p_i = softmax(W h_i + b), m labelled
    tokens of the window
    start, end   S <- S - rate sum_i (dL/ds_i) h_i,           s_i = S . h_i + b_S; E, b_S, b_E and b
    alike

The two heads get the same states, the same marks, rate and number of steps. What differs is what
each can say: tags can mark two spans, a start and an end only one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.errors import BadInput, one_of
from qa_demo.core.learning.losses import (
    TagGold,
    cross_entropy,
    cross_entropy_gradient,
    entropy,
    marked,
    start_end_targets,
    tag_targets,
)
from qa_demo.core.learning.steps import STEPS
from qa_demo.core.learning.tag_head import gradient as tag_gradient
from qa_demo.core.learning.tagging import with_tags
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.glued_spans import Cells, gradient, legal_cells
from qa_demo.core.reading.heads import HeadWeights
from qa_demo.core.types import Reading, Span

LOSSES = {
    "soft": "soft targets, as the reader was trained",
    "legal pairs, each": "each answer's share of the legal pairs",
}
RATES = (0.03, 0.1, 0.3)


@dataclass(frozen=True)
class Course:
    """One action: how many steps at which rate, and which loss the start and the end lower."""

    steps: int = 5
    rate: float = 0.1
    loss: str = "soft"

    def __post_init__(self) -> None:
        one_of("the number of steps", self.steps, STEPS)
        one_of("the learning rate", self.rate, RATES)
        one_of("the loss of start and end", self.loss, LOSSES)


@dataclass(frozen=True, eq=False)
class Lesson:
    """One window's lesson: states [n, d], tag targets [n, 3], labels, start and end targets [n]."""

    window: int
    states: NDArray[np.float64]
    tags: Floats
    labelled: NDArray[np.bool_]
    start: Floats
    end: Floats
    gold: Cells
    legal: Cells

    @property
    def floor(self) -> float:
        """What the start/end loss with soft targets cannot fall below: their mean entropy, nats."""
        return float(entropy(self.start) + entropy(self.end)) / 2


def lesson(
    reading: Reading, window: int, golds: Sequence[TagGold], states: Floats, decode: DecodeOptions
) -> Lesson:
    """The targets of one window. An annotator with k spans gives each start 1/k; one without a span
    counts on [CLS].

    Errors: BadInput when the window holds no marked span whole.
    """
    w = reading.windows[window]
    tags, labelled = tag_targets(w, golds)
    each = [start_end_targets(w, marked(gold) or (None,)) for gold in golds]
    inside = sorted({span for gold in golds for span in marked(gold) if w.holds(span)})
    if not inside:
        raise BadInput("the window holds none of the marked spans; mark one first")
    gold = (
        np.array([w.to_pos(s.start) for s in inside]),
        np.array([w.to_pos(s.end) for s in inside]),
    )
    start, end = (np.mean([pair[k] for pair in each], axis=0) for k in (0, 1))
    return Lesson(
        window,
        np.asarray(states, dtype=np.float64),
        tags,
        labelled,
        start,
        end,
        gold,
        legal_cells(reading, window, decode),
    )


@dataclass(frozen=True, eq=False)
class Taught:
    """The heads after some steps, and both losses from step 0 on: nats, start/end's soft."""

    heads: HeadWeights
    tag_losses: tuple[float, ...]
    span_losses: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Steps from the first heads to these."""
        return len(self.tag_losses) - 1


def begin(of: Lesson, heads: HeadWeights) -> Taught:
    """Step 0: the heads before training; without a BIO head W and b are 0."""
    if heads.W is None:
        heads = replace(
            heads, W=np.zeros((3, len(heads.S)), dtype=np.float32), b=np.zeros(3, dtype=np.float32)
        )
    return Taught(heads, *((x,) for x in losses(of, heads)))


def logits(heads: HeadWeights, states: Floats) -> tuple[Floats, Floats, Floats]:
    """Start [n], end [n] and tag logits [n, 3] of states [n, d]."""
    h = np.asarray(states, dtype=np.float64)
    assert heads.W is not None and heads.b is not None
    return (
        h @ heads.S + heads.b_S,
        h @ heads.E + heads.b_E,
        h @ heads.W.T.astype(np.float64) + heads.b,
    )


def losses(of: Lesson, heads: HeadWeights) -> tuple[float, float]:
    """Mean tag loss over the labelled tokens; (l_start + l_end) / 2 with soft targets. Nats."""
    s, e, tags = logits(heads, of.states)
    return (
        float(cross_entropy(tags[of.labelled], of.tags[of.labelled]).mean()),
        float(cross_entropy(s, of.start) + cross_entropy(e, of.end)) / 2,
    )


def slopes(of: Lesson, heads: HeadWeights, loss: str) -> tuple[Floats, Floats, Floats]:
    """d loss / d [S b_S], d [E b_E] [d + 1] and d [W b] [3, d + 1]."""
    s, e, tags = logits(heads, of.states)
    if loss == "soft":
        pulls: tuple[Floats, Floats] = (
            cross_entropy_gradient(s, of.start) / 2,
            cross_entropy_gradient(e, of.end) / 2,
        )
    else:
        pulls = gradient(s, e, of.gold, of.legal, loss)
    h = np.concatenate([of.states, np.ones((len(of.states), 1))], axis=1)
    return (
        pulls[0] @ h,
        pulls[1] @ h,
        tag_gradient(of.states[of.labelled], tags[of.labelled], of.tags[of.labelled]),
    )


def take(of: Lesson, taught: Taught, course: Course) -> Taught:
    """The steps of one action. Errors: BadInput when a loss is no longer a finite number, or when a
    marked span is too long for a legal pair and the legal pairs are what it is compared with: its
    score would rise without end. Nothing has changed then.
    """
    sizes = of.gold[1] - of.gold[0] + 1
    longest = int((of.legal[1] - of.legal[0]).max(initial=-1)) + 1
    if course.loss != "soft" and sizes.max() > longest:
        raise BadInput(
            f"a marked span has {sizes.max()} word pieces, legal pairs have at most {longest} "
            f"(max_answer_length), "
            "so it has no share among them; mark a shorter one or allow longer answers"
        )
    heads, tag_losses, span_losses = taught.heads, [*taught.tag_losses], [*taught.span_losses]
    for _ in range(course.steps):
        assert heads.W is not None and heads.b is not None
        ds, de, dw = (course.rate * x for x in slopes(of, heads, course.loss))
        heads = HeadWeights(
            S=heads.S - ds[:-1],
            E=heads.E - de[:-1],
            b_S=heads.b_S - float(ds[-1]),
            b_E=heads.b_E - float(de[-1]),
            W=heads.W - dw[:, :-1],
            b=heads.b - dw[:, -1],
        )
        tag_loss, span_loss = losses(of, heads)
        if not np.isfinite([tag_loss, span_loss]).all():
            raise BadInput(
                f"at the learning rate {course.rate} a loss is no longer a finite number; the "
                f"action was taken back"
            )
        tag_losses.append(tag_loss)
        span_losses.append(span_loss)
    return Taught(heads, tuple(tag_losses), tuple(span_losses))


def read_with(reading: Reading, heads: HeadWeights, hidden: Sequence[Floats]) -> Reading:
    """The same reading with other heads' logits; `hidden` holds each window's last T [n, d]."""
    assert heads.W is not None and heads.b is not None
    start, end = (np.full(reading.start_logits.shape, np.nan, dtype=np.float32) for _ in range(2))
    for w, states in enumerate(hidden):
        start[w, : len(states)], end[w, : len(states)] = logits(heads, states)[:2]
    return replace(with_tags(reading, heads.W, heads.b, hidden), start_logits=start, end_logits=end)


def apart(golds: Sequence[TagGold]) -> tuple[Span, ...]:
    """Every span that some annotator marked, in text order, less those that overlap an earlier."""
    kept: list[Span] = []
    for span in sorted({span for gold in golds for span in marked(gold)}):
        if not kept or span.start > kept[-1].end:
            kept.append(span)
    return tuple(kept)
