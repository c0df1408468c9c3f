"""Checks about explanations: what a deletion costs, and where attention looked. Both ask the
reader.
"""

from typing import NamedTuple

import numpy as np

from qa_demo.core.course.lessons import Option
from qa_demo.core.explaining.attribution import Target
from qa_demo.core.explaining.occlusion import leave_one_out, question_effects
from qa_demo.core.reader import Reader
from qa_demo.core.reading.words import Words, words
from qa_demo.core.types import Window
from qa_demo.figures.lessons.finding import (
    LONGEST,
    NO_READER,
    NO_SPAN,
    Case,
    Finding,
    Lacking,
    asks_reader,
    need,
)
from qa_demo.figures.numbers import MIN_DECIMALS, bracketed, number, sign_of
from qa_demo.figures.prose import listed, quoted, shorten

CHOICES = 4


class Aim(NamedTuple):
    """What is explained: the best span's score, by the words of its window, and who is asked."""

    reader: Reader
    window: Window
    target: Target
    units: Words


def aim(case: Case) -> Aim:
    """Errors: Lacking without a legal span, or a reader."""
    best, reader = need(case.best, NO_SPAN), need(case.reader, NO_READER)
    target = Target("span_score", best.span, window=best.window)
    return Aim(reader, case.window, target, words(case.reading.encoding, case.window))


def costs(case: Case, at: Aim) -> np.ndarray:
    """What masking each word takes from the best span's two logits, [2, U]."""
    found = leave_one_out(case.reading, at.target, at.reader.masked)
    return np.stack([at.units.sums(found.start), at.units.sums(found.end)])


def _effects(case: Case, at: Aim) -> tuple[np.ndarray, np.ndarray]:
    """What masking each word costs the best span's score, [U], and its two logits, [2, U]; its own
    words cost nothing here.
    """
    best, units, sides = need(case.best, NO_SPAN), at.units, costs(case, at)
    effects = sides.sum(axis=0)
    for k, word in enumerate(units.items):
        inside = word.char_start < best.char_end and word.char_end > best.char_start
        if word.side == "context" and inside:
            effects[k] = -np.inf
    return effects, sides


@asks_reader
def costly_word(case: Case) -> Finding:
    """Which word outside of the answer costs most when it is covered."""
    at = aim(case)
    units, (effects, sides) = at.units, _effects(case, at)
    order, chosen = np.argsort(-effects, kind="stable"), dict[str, int]()
    for k in order:
        if np.isfinite(effects[k]):
            chosen.setdefault(_named(units, int(k)), int(k))
    picked = list(chosen.items())
    if len(picked) < CHOICES:
        raise Lacking("There are too few words to choose from.")
    some = [picked[0], *(picked[len(picked) * n // (CHOICES - 1) - 1] for n in range(1, CHOICES))]
    shown = sorted(range(CHOICES), key=lambda n: some[n][1])
    top = float(effects[some[0][1]])
    return Finding(
        f"Without {some[0][0]} the score falls by {cost_of(sides[:, some[0][1]])}, more than "
        f"without any other word outside of the answer.",
        right="most",
        holds=top > 0,
        missing="Covering a word never lowers the score here.",
        options=tuple(Option("most" if n == 0 else f"less-{n}", some[n][0]) for n in shown),
        said={
            f"less-{n}": f"Without {some[n][0]} the score falls by less, or not at all."
            for n in range(1, CHOICES)
        },
    )


def cost_of(sides: np.ndarray) -> str:
    """What a word takes from the start logit and from the end logit, and their sum, as printed."""
    a, b = (float(x) for x in sides)
    sign = sign_of([a, b], a + b, MIN_DECIMALS)
    return f"{number(a)} + {bracketed(number(b))} {sign} {number(a + b)}"


def _named(units: Words, k: int) -> str:
    word = units.items[k]
    return f"{quoted(shorten(word.text, LONGEST))} ({word.where})"


@asks_reader
def attention_elsewhere(case: Case) -> Finding:
    """The words that get most attention are not those whose loss costs most."""
    at = reader, window, target, units = aim(case)
    effects, _ = _effects(case, at)
    looked = reader.relevance(window, target, "attention").start  # what is drawn first
    top = int(looked.argmax())
    marks = f"most of all goes to the mark {case.reading.tokens(window.index)[top]}; "
    by_word = np.where(np.isfinite(effects), units.sums(looked), -np.inf)
    attended, costly = (np.argsort(-x, kind="stable")[:3].tolist() for x in (by_word, effects))
    shared = len(set(attended) & set(costly))
    return Finding(
        f"From the answer's start {marks if units.of[top] < 0 else ''}of the words outside of the "
        f"answer most goes to {listed([_named(units, k) for k in attended])}. The costliest when "
        f"covered are {listed([_named(units, k) for k in costly])}.",
        right="no",
        holds=shared < 3,
        missing="Here the three most attended words are also the three costliest.",
    )


@asks_reader
def question_word(case: Case) -> Finding:
    """Which question words change the answer when they are covered."""
    reader, _, target, _ = aim(case)
    effects = question_effects(case.reading, target, reader.masked, case.decode, case.merge)
    changed = [quoted(e.word.text, LONGEST) for e in effects if e.changed]
    names = f": {listed(changed)}" if changed else ""
    top = max(effects, key=lambda e: e.total)
    many = f"Of the question's words {len(changed)}" if changed else "No word of the question"
    return Finding(
        f"{many} change{'' if len(changed) > 1 else 's'} the answer when covered{names}; the "
        f"costliest, {quoted(top.word.text, LONGEST)}, takes {number(top.total)} from the score.",
        value=len(changed),
        within=0.1,
        decimals=0,
    )
