"""Gradient steps as data: loss curve, probabilities, where tokens went."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.learning.losses import entropy, start_end_targets
from qa_demo.core.learning.steps import OPTIMIZERS, SCOPES, STEPS, Learned, Movement
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import apart, moved, nats, number, probability, signed
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import piece, plural, quoted

SHOWN = 6
"""Positions in a list of the likeliest."""
RATES: dict[str, tuple[float, ...]] = {
    "sgd": (0.001, 0.01, 0.1, 1.0),
    "adamw": (0.00003, 0.0003, 0.003, 0.03),
}
USUAL: dict[str, dict[str, float]] = {
    "sgd": {"head": 0.1, "last_layer": 0.01, "reader": 0.001},
    "adamw": {"head": 0.003, "last_layer": 0.0003, "reader": 0.00003},
}
"""The rate shown first: AdamW moves each weight by it, so more weights need a smaller one."""


def bench_data(
    learned: Learned | None, decode: DecodeOptions, merge: MergeOptions
) -> dict[str, Any]:
    """The controls, and what the steps so far did; `learned` is None before the first."""
    return {
        "scopes": [{"key": k, "says": v} for k, v in SCOPES.items()],
        "optimizers": [{"key": k, "says": v} for k, v in OPTIMIZERS.items()],
        "steps": list(STEPS),
        "rates": {k: list(v) for k, v in RATES.items()},
        "usual": USUAL,
        "learned": None
        if learned is None or (not learned.curve[1:] and not learned.can_redo)
        else learned_data(learned, decode, merge),
    }


def learned_data(learned: Learned, decode: DecodeOptions, merge: MergeOptions) -> dict[str, Any]:
    """Everything the third step draws."""
    answers = [predict(r, decode, merge) for r in (learned.before, learned.after)]
    said = ["no answer" if p.answer is None else printable(p.answer) for p in answers]
    both = zip(
        learned.before.logits(learned.window), learned.after.logits(learned.window), strict=True
    )
    start, end = (_changes(learned.before, learned.window, *rows) for rows in both)
    return {
        "steps": learned.steps,
        "window": learned.window,
        "scope": learned.scope,
        "canUndo": learned.can_undo,
        "canRedo": learned.can_redo,
        "curve": [step.loss for step in learned.curve],
        "floor": floor_of(learned),
        "answers": said,
        "says": learned_sentence(learned, said),
        "start": start,
        "end": end,
        "plane": _plane(learned),
        "moved": [moved_sentence(m) for m in learned.movements],
        "spans": _spans(answers),
    }


def floor_of(learned: Learned) -> float:
    """The labels' own entropy, mean of start and end over the trained windows, nats: no training
    brings the loss below it; 0 when the annotators agree.
    """
    windows = [learned.before.windows[w] for w in learned.windows]
    return float(
        np.mean([entropy(t) for w in windows for t in start_end_targets(w, learned.golds)])
    )


def learned_sentence(learned: Learned, said: Sequence[str]) -> str:
    """Loss and answer before and after, and on how many windows."""
    if not learned.steps:
        return "Every step was taken back: these are the reader's own numbers."
    first, last = learned.curve[0].loss, learned.curve[-1].loss
    digits = max(3, apart((first, last)))
    verb = "fell" if last < first else "rose"
    change = (
        f"the answer stayed {quoted(said[0])}"
        if said[0] == said[1]
        else f"the answer changed from {quoted(said[0])} to {quoted(said[1])}"
    )
    short = (
        ""
        if len(learned.windows) == len(learned.before.windows)
        else (
            f" Trained on windows {', '.join(str(w + 1) for w in learned.windows)} of "
            f"{len(learned.before.windows)}."
        )
    )
    return (
        f"After {plural(learned.steps, 'step')} the loss {verb} from {nats(first, digits)} to "
        f"{nats(last, digits)}; {change}.{short}{_floor_sentence(floor_of(learned))}"
    )


def _floor_sentence(floor: float) -> str:
    """Why the right answer never gets all of the probability."""
    if not floor:
        return ""
    return (
        f" The annotators differ, so the loss stays above {number(floor, 3)}, and no answer gets "
        f"all of the probability."
    )


def moved_sentence(moved: Movement) -> dict[str, str]:
    """How far S, E or T moved, as printed."""
    return {
        "name": moved.name,
        "norm": f"{number(moved.norm_before, 3)} → {number(moved.norm_after, 3)}",
        "distance": number(moved.distance, 3)
        if moved.distance >= 0.001 or moved.distance == 0
        else "< 0.001",
        "degrees": f"{number(moved.degrees)}°"
        if moved.degrees >= 0.01 or moved.degrees == 0
        else "< 0.01°",
    }


def _changes(
    reading: Reading, window: int, before: np.ndarray, after: np.ndarray
) -> list[dict[str, Any]]:
    """The highest positions before or after, with both probabilities; highest after first."""
    p, q = softmax(before), softmax(after)
    at = sorted(np.argsort(-np.maximum(p, q), kind="stable")[:SHOWN].tolist(), key=lambda k: -q[k])
    return [
        {
            "pos": k,
            "text": printable(piece(reading, window, k)),
            "before": float(p[k]),
            "after": float(q[k]),
            "says": f"{probability(float(p[k]))} → {probability(float(q[k]))}",
        }
        for k in at
    ]


def _plane(learned: Learned) -> list[dict[str, Any]]:
    """Tokens at (start logit, end logit) before and after: the most probable ones, and [CLS]."""
    (s0, e0), (s1, e1) = (r.logits(learned.window) for r in (learned.before, learned.after))
    weight = np.max([softmax(x) for x in (s0, e0, s1, e1)], axis=0)
    at = set(np.argsort(-weight, kind="stable")[:SHOWN].tolist()) | {
        learned.before.windows[learned.window].cls_at
    }
    return [
        {
            "text": printable(piece(learned.before, learned.window, k)),
            "from": [float(s0[k]), float(e0[k])],
            "to": [float(s1[k]), float(e1[k])],
        }
        for k in sorted(at)
    ]


def _spans(answers: Sequence[Any]) -> dict[str, Any]:
    """The n-best lists before and after beside each other."""
    before, after = ({r.candidate.span: r for r in p.n_best} for p in answers)
    order = [r.candidate for r in answers[1].n_best[:5]] + [
        r.candidate for r in answers[0].n_best[:5] if r.candidate.span not in after
    ]
    rows, select = [], []
    for c in order[:8]:
        old, new = before.get(c.span), after.get(c.span)
        scores = [number(r.candidate.score) if r else "not listed" for r in (old, new)]
        found = [r.candidate.score for r in (old, new) if r]
        change = signed(moved(*found)) if len(found) == 2 else "–"
        rows.append(
            [
                printable(c.text),
                *scores,
                change,
                f"{old.rank if old else '–'} → {new.rank if new else '–'}",
            ]
        )
        select.append((c.window, c.span.start, c.span.end))
    return table(
        "Spans before and after",
        ["span", "score before", "score after", "change", "rank"],
        rows,
        select,
    )


def curve_table(learned: Learned) -> dict[str, Any]:
    """The table twin of the loss curve; of many steps every one is listed."""
    rows = [
        [str(s.step), *(nats(x, 4) for x in (s.terms[0].value, s.terms[1].value, s.loss))]
        for s in learned.curve
    ]
    return table("The loss after each step", ["step", "start", "end", "mean"], rows)
