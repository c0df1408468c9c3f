"""What an explanation is about (the target), what it says (the attribution), and whether it adds
up; and the explanation of a reader's best span.

Every target is linear in the logits of one window, at positions that are fixed once:  F(s, e) = a.s
+ b.e. It never follows the argmax, which can move on the path from a baseline: the sum would then
explain a difference nobody asked about.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Bools, Floats, Frozen
from qa_demo.core.predict import predict
from qa_demo.core.text import Words, words
from qa_demo.core.types import Baseline, Reading, Span, Window

TargetKind = Literal[
    "start_logit", "end_logit", "span_score", "span_minus_null", "span_minus_other"
]
Method = Literal["integrated_gradients", "gradient_x_input", "leave_one_out"]
METHODS: tuple[Method, ...] = get_args(Method)
STEPS = (20, 40, 80, 160, 320, 640)
"""Numbers of steps tried in turn until the completeness gap is small enough."""
MAX_STEPS = STEPS[-1]
GAP_LIMIT = 0.02
"""The largest gap, as a share of F(x) - F(x'), at which an attribution counts as complete."""


@dataclass(frozen=True)
class Target:
    """The number to explain: which logits of which `doc` span; `window` None: its start's owner."""

    kind: TargetKind
    span: Span
    other: Span | None = None
    window: int | None = None

    def __post_init__(self) -> None:
        if (self.kind == "span_minus_other") != (self.other is not None):
            raise BadInput(
                "span_minus_other needs a second span, and only it does; "
                f"got kind {self.kind} {'with' if self.other else 'without'} one"
            )


def window_of(reading: Reading, target: Target) -> Window:
    """The window in which the target is measured: the one named, else the home of its spans.

    Errors: BadInput when no window holds the span (and the other one) whole, because logits of
    different windows are not parts of one computation.
    """
    if target.window is not None:
        return reading.windows[target.window]
    size, spans = len(reading.encoding.context_ids), [*filter(None, (target.span, target.other))]
    if (last := max(span.end for span in spans)) >= size:
        raise BadInput(f"the span ends at token {last}, the paragraph has {size} tokens")
    window = reading.home(*spans)
    if window is None:
        what = "the span" if target.other is None else "both spans"
        raise BadInput(
            f"no window holds {what} whole, and logits of two windows come from two computations; "
            "choose spans that lie closer together"
        )
    return window


def weights_of(target: Target, window: Window) -> tuple[Floats, Floats]:
    """The weights a, b [n] of  F(s, e) = a.s + b.e,  by kind:

    start_logit       s_i
    end_logit         e_j
    span_score        s_i + e_j
    span_minus_null   s_i + e_j - (s_0 + e_0), the log-odds against no answer in this window
    span_minus_other  s_i + e_j - (s_k + e_m)
    """
    a, b = np.zeros((2, len(window)))
    i, j = window.positions(target.span)
    a[i] = 0 if target.kind == "end_logit" else 1
    b[j] = 0 if target.kind == "start_logit" else 1
    if target.kind == "span_minus_null":
        a[0] = b[0] = -1
    if target.other is not None:
        k, m = window.positions(target.other)
        a[k] -= 1
        b[m] -= 1
    return a, b


def value_of(target: Target, window: Window, start: Floats, end: Floats) -> Floats:
    """F = a.s + b.e for logits [..., n]."""
    a, b = weights_of(target, window)
    return np.asarray(start, dtype=np.float64) @ a + np.asarray(end, dtype=np.float64) @ b


@dataclass(frozen=True, eq=False)
class Attribution(Frozen):
    """What each position of one window contributes to the target: `values` [n], in logits.

    `f_baseline` is None for methods without a baseline: then nothing is promised about the sum.
    `tried` holds (n_steps, gap) of every number of steps that was run.
    """

    dtype = np.float64
    target: Target
    method: Method
    window: int
    values: NDArray[np.float64]
    f_x: float
    f_baseline: float | None = None
    baseline: Baseline | None = None
    n_steps: int = 0
    tried: tuple[tuple[int, float], ...] = ()

    @property
    def sum(self) -> float:
        """The signed sum over all positions."""
        return float(self.values.sum())

    @property
    def gap(self) -> float | None:
        """sum - (F(x) - F(x')), captum's convergence delta; None without a baseline."""
        return None if self.f_baseline is None else self.sum - (self.f_x - self.f_baseline)

    @property
    def gap_share(self) -> float | None:
        """|gap| / |F(x) - F(x')|; infinite when there is a sum but no difference to explain."""
        if self.gap is None or self.f_baseline is None:
            return None
        return gap_share(self.gap, self.f_x - self.f_baseline)

    @property
    def complete(self) -> bool | None:
        """Whether the gap is under 2 % of the difference; None without a baseline."""
        return None if self.gap_share is None else self.gap_share < GAP_LIMIT


def gap_share(gap: float, difference: float) -> float:
    """|gap| / |difference|, with 0 / 0 = 0."""
    if difference == 0.0:
        return 0.0 if gap == 0.0 else float("inf")
    return abs(gap / difference)


ReadMasked = Callable[[Window, Bools], tuple[Floats, Floats]]
"""Start and end logits [b, n] of a window with each mask's positions [b, n] replaced by [MASK]."""
WordSet = tuple[int, ...]
"""Words of a window by their numbers."""


def leave_one_out(reading: Reading, target: Target, read_masked: ReadMasked) -> Attribution:
    """F(x) - F(x without word u) for every word u of the target's window.

    A word's effect is split evenly over its pieces, so that the sum over the word is the measured
    number; special tokens get 0. Nothing is promised about the sum over all words.
    """
    window = window_of(reading, target)
    units = words(reading.encoding, window)
    masks = units.of == np.arange(len(units))[:, None]
    without = value_of(target, window, *read_masked(window, masks))
    f_x = float(value_of(target, window, *reading.logits(window.index)))
    inside = units.of >= 0
    pieces = np.bincount(units.of[inside], minlength=len(units))
    values = np.zeros(len(window))
    values[inside] = ((f_x - without) / pieces)[units.of[inside]]
    return Attribution(target, "leave_one_out", window.index, values, f_x, baseline="mask")


# ---- what a reader says


def check_made_by(reading: Reading, reader: Any) -> None:
    """BadInput unless these weights made the reading: what else they compute does not belong to its
    logits. Without a checksum the reader's name stands for its weights.
    """
    if (reading.checksum or reading.model_name) != (reader.checksum or reader.name):
        raise BadInput(
            f"this reading was made by other weights than those of the reader in use, "
            f"{reader.name}; read the text again (on the page: press Ask)"
        )


def explain(
    reader: Any, reading: Reading, method: Method = "integrated_gradients", span: Span | None = None
) -> Attribution:
    """The score of a span (doc), by default the best one's, attributed to the tokens of its window,
    in logits.

    Errors: BadInput without a legal span, or for a reading of another reader.
    """
    if span is None:
        best = predict(reading).best
        if best is None:
            raise BadInput("no span of this paragraph is legal, so there is none to explain")
        span = best.candidate.span  # whose window owns its start, as a target's does
    found: Attribution = reader.attribute(reading, Target("span_score", span), method)
    return found


# ---- the deletion test: is the span's lead over "no answer" lower without the words of the largest
# values than without random others?

HIDDEN, DRAWS = 3, 20
"""Words that the test hides, and how often it hides others, drawn at random."""


@dataclass(frozen=True, eq=False)
class Deletion:
    """The span's lead over "no answer", score - null, without `first`, the words that raise it
    most, and without each random set: `draws` (lead, words), the lowest lead first.
    """

    first: WordSet
    lead: float
    draws: tuple[tuple[float, WordSet], ...]


def seed_of(reading: Reading, window: Window) -> int:
    """The seed of the draws: it follows from question, paragraph and window, so that everyone draws
    the same sets, whatever the reader, target or method.
    """
    e, place = reading.encoding, f"{window.doc_start} {window.doc_stop}"
    text = "\0".join((e.question, e.context, place)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def sets_to_hide(values: Floats, units: Words, free: WordSet, seed: int) -> list[WordSet]:
    """The words of `free` with the largest positive values [U] (of equals the first), then twenty
    random sets of others, as many of the question and of the paragraph: the question has few words
    and rests on each. Without such a word the first is (); there are no draws where a side has too
    few others left.
    """
    ranked = sorted(free, key=lambda k: -values[k])
    first = tuple(k for k in ranked[:HIDDEN] if values[k] > 0)
    many = Counter(units.items[k].side for k in first)
    others = {at: [k for k in free if k not in first and units.items[k].side == at] for at in many}
    if not first or any(len(others[at]) < n for at, n in many.items()):
        return [first]
    rng = np.random.default_rng(seed)

    def drawn() -> WordSet:
        each = (rng.permutation(others[at])[:n].tolist() for at, n in many.items())
        return tuple(sorted(chain(*each)))

    return [first, *(drawn() for _ in range(DRAWS))]


def deletion_test(
    read_masked: ReadMasked, target: Target, window: Window, units: Words, sets: Sequence[WordSet]
) -> Deletion:
    """The window read again with each set in [MASK]; the first set is the one that is tested."""
    masks = np.array([np.isin(units.of, each) for each in sets])
    leads = value_of(target, window, *read_masked(window, masks)).tolist()
    return Deletion(sets[0], leads[0], tuple(sorted(zip(leads[1:], sets[1:], strict=True))))
