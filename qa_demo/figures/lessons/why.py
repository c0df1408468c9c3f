"""Checks about explanations: what a deletion costs, and where attention looked. Both ask the
reader.
"""

import numpy as np

from qa_demo.core.course.lessons import Option
from qa_demo.core.explaining.attribution import Target
from qa_demo.core.explaining.occlusion import leave_one_out, question_effects
from qa_demo.core.reading.words import Words, words
from qa_demo.figures.lessons.finding import LONGEST, Case, Finding, lacking
from qa_demo.figures.numbers import MIN_DECIMALS, bracketed, number, sign_of
from qa_demo.figures.prose import listed, quoted, shorten

CHOICES = 4


def _effects(case: Case) -> tuple[Words, np.ndarray, np.ndarray] | None:
    """What masking each word costs the best span's score, [U], and its two logits, [2, U]; its own
    words cost nothing here.
    """
    best = case.best
    if best is None or case.reader is None:
        return None
    target = Target("span_score", best.span, window=best.window)
    found = leave_one_out(case.reading, target, case.reader.masked)
    units = words(case.reading.encoding, case.reading.windows[best.window])
    sides = np.stack([units.sums(found.start), units.sums(found.end)])
    effects = sides.sum(axis=0)
    for k, word in enumerate(units.items):
        inside = word.char_start < best.char_end and word.char_end > best.char_start
        if word.side == "context" and inside:
            effects[k] = -np.inf
    return units, effects, sides


def costly_word(case: Case) -> Finding:
    """Which word outside of the answer costs most when it is covered."""
    found = _effects(case)
    if found is None:
        return lacking("This paragraph holds no legal span.")
    units, effects, sides = found
    order, chosen = np.argsort(-effects, kind="stable"), dict[str, int]()
    for k in order:
        if np.isfinite(effects[k]):
            chosen.setdefault(_named(units, int(k)), int(k))
    picked = list(chosen.items())
    if len(picked) < CHOICES:
        return lacking("There are too few words to choose from.")
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
    place = "question" if word.side == "question" else "paragraph"
    return f"{quoted(shorten(word.text, LONGEST))} ({place})"


def attention_elsewhere(case: Case) -> Finding:
    """The words that get most attention are not those whose loss costs most."""
    found, best = _effects(case), case.best
    if found is None or best is None or case.reader is None:
        return lacking("This paragraph holds no legal span.")
    units, effects, _ = found
    window = case.reading.windows[best.window]
    target = Target("span_score", best.span, window=best.window)
    looked = case.reader.relevance(window, target, "attention").start  # what is drawn first
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


def question_word(case: Case) -> Finding:
    """Which question words change the answer when they are covered."""
    best = case.best
    if best is None or case.reader is None:
        return lacking("This paragraph holds no legal span.")
    target = Target("span_score", best.span, window=best.window)
    effects = question_effects(case.reading, target, case.reader.masked, case.decode, case.merge)
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
