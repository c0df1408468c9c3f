"""A step on its text: what is asked, what is right, and what is said of a guess."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.text import words_inside
from qa_demo.core.types import Encoding, Span
from qa_demo.lessons.files import Step, computed
from qa_demo.printed import STRONG, TERM, Part, number, parts, quote
from qa_demo.shown import Shown

NEAR = 0.1
"""A number within this share of the right one is "not quite"; any other is wrong."""
ROUNDED = 0.006
"""How far a typed number may be off, as a share of the right one, for its last digit."""
NAMED = 0.02
"""A trap is recognised within this share of its size."""
MOST_TYPED = 60

Facts = dict[str, Any]
"""What a check finds: words and numbers by name. `marks`: the spans that are right; `picks`: what
can be chosen, (place in the text, words, why it is wrong), the right one first.
"""
Check = Callable[[Shown], Facts]
Said = list[list[str]]


_HOLE = re.compile(r"(\{\w+\}|\*[^*]+\*)")


def filled(template: str, facts: Mapping[str, Any]) -> Said:
    """Parts of a sentence of the file: *terms* in italics, {facts} strong. Facts hold words of
    texts and are never read as a template. Errors: BadInput for a fact that nothing computes.
    """
    made: list[Part] = []
    for piece in _HOLE.split(template):
        if piece[:1] == "{" and piece[-1:] == "}":
            fact = facts.get(piece[1:-1])
            if not isinstance(fact, str | int | float):
                raise BadInput(f"nothing computes {piece}; known are {', '.join(sorted(facts))}")
            digits = 0 if isinstance(fact, int) else 2
            made.append([fact if isinstance(fact, str) else number(fact, digits), STRONG])
        elif piece[:1] == "*" and len(piece) > 2:
            made.append([piece[1:-1], TERM])
        elif piece:
            made.append(piece)
    return parts(made)


def plain(said: Said) -> str:
    """Parts as one text."""
    return "".join(text for text, _ in said)


@dataclass(frozen=True)
class Verdict:
    """What is said of a guess: `label` is the guess in words."""

    right: bool
    said: Said
    label: str


@dataclass(frozen=True)
class Asked:
    """A step on its text. `options`: what can be chosen; `right`: the right one's key, or the right
    number; `traps`: wrong numbers by key; `whys`: what a wrong guess hears, by key.
    """

    step: Step
    encoding: Encoding
    question: Said
    reveal: Said
    marks: Sequence[Span]
    options: Mapping[str, Said]
    right: str | float
    within: float
    traps: Mapping[str, float]
    whys: Mapping[str, Said]

    @property
    def label(self) -> str:
        """The right guess in words, as `Verdict.label` has it; "" where nothing is asked."""
        if self.marks:
            return label_of(self.encoding, self.marks[0])
        if isinstance(self.right, float):
            return printed(self.right)
        return plain(self.options[self.right]) if self.right else ""


def asked(step: Step, shown: Shown, facts: Facts) -> Asked:
    """Errors: BadInput for a fact that is not there, and where a wrong guess would hear nothing."""
    found = {"mark": "marks", "pick": "picks"}.get(step.ask)
    if found and not facts.get(found):
        raise BadInput(f"check {step.check} finds no {found}, so ask: {step.ask} cannot use it")
    options = {key: filled(text, facts) for key, text in step.options.items()}
    whys = {key: filled(why, facts) for key, why in step.whys.items()}
    right: str | float = step.right
    wrong, within, traps = set(options) - {right}, 0.0, dict[str, float]()
    if step.ask == "pick":
        first, keys = facts["picks"][0], "abcdef"  # a key must not tell the rank
        order = dict(zip(keys, sorted(facts["picks"]), strict=False))
        options = {key: [[words, "quote"]] for key, (_, words, _) in order.items()}
        whys = {key: parts([why]) for key, (_, _, why) in order.items()}
        right = next(key for key, one in order.items() if one == first)
    elif step.ask == "number":
        right = computed(step.right, facts)
        rounding = 0.1 if right.is_integer() else ROUNDED * max(1.0, abs(right))
        within = computed(step.within, facts) if step.within else rounding
        traps = {key: computed(key, facts) for key in whys if key != "other"}
    if step.ask in ("mark", "number"):
        wrong = {"other", *whys}
    if mute := sorted(key for key in wrong if not plain(whys.get(key, []))):
        raise BadInput(f"option {mute[0]} has no sentence why it is wrong")
    said = filled(step.question, facts), filled(step.reveal, facts)
    marks = facts["marks"] if step.ask == "mark" else ()
    return Asked(step, shown.encoding, *said, marks, options, right, within, traps, whys)


def judge(asked: Asked, guess: object) -> Verdict:
    """What is right in a guess, and why a wrong one is wrong. Errors: BadInput for a guess of
    another kind than the step asks for.
    """
    label, fault = {"mark": _marked, "number": _counted}.get(asked.step.ask, _chosen)(asked, guess)
    exactly = f": {asked.label}" if asked.step.ask == "number" else ""
    return Verdict(not fault, fault or parts([f"Yes{exactly}."]), label)


def _chosen(asked: Asked, guess: object) -> tuple[str, Said]:
    """An option, and why it is wrong."""
    if not isinstance(guess, str) or guess not in asked.options:
        allowed = ", ".join(asked.options) or "nothing"
        raise BadInput(f"a guess must be one of {allowed}, got {guess!r:.60}")
    right = guess == asked.right
    return plain(asked.options[guess]), [] if right else [["No: ", ""], *asked.whys[guess]]


def label_of(e: Encoding, span: Span) -> str:
    """Marked words without the marks at their edges, in quotation marks."""
    first, last = words_inside(e, span)
    inside = [d for d in range(len(e.context_ids)) if first <= int(e.word_ids[d]) <= last]
    return quote(e.text(Span(inside[0], inside[-1]) if first >= 0 else span), MOST_TYPED)


def _marked(asked: Asked, guess: object) -> tuple[str, Said]:
    """Words by words: parts of words and marks at the edges do not count."""
    e, last = asked.encoding, len(asked.encoding.context_ids) - 1
    match guess:
        case [int(a), int(b)] if type(a) is type(b) is int and 0 <= a <= b <= last:
            span = Span(a, b)
        case _:
            raise BadInput(f"marked words are [first, last] from 0 to {last}, got {guess!r:.60}")
    label, (a, b) = label_of(e, span), words_inside(e, span)
    wanted = [words_inside(e, right) for right in asked.marks]
    if (a, b) in wanted:
        return label, []
    first, end = next((w for w in wanted if a <= w[1] and w[0] <= b), (0, -1))
    if first > end:
        return label, [["No: ", ""], *asked.whys["other"]]
    faults = [
        "begins too early" if a < first else "begins too late" if a > first else "",
        "ends too late" if b > end else "ends too early" if b < end else "",
    ]
    return label, parts([f"Not quite: {label} {' and '.join(filter(None, faults))}."])


def typed(guess: object) -> float:
    """A number as people write it: 0.5, 0,5, 1/2, ½, 50 %, 1,845. Errors: BadInput."""
    given = str(guess)[:MOST_TYPED]
    text = unicodedata.normalize("NFKC", given).strip()
    text = text.replace("\u2212", "-").replace("\u2044", "/")
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    over, _, under = text.removesuffix("%").replace(",", ".").partition("/")
    try:
        value = float(over) / float(under or 1) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        value = float("nan")
    if not abs(value) < 1e12:
        raise BadInput(f"type a number, such as 0.5 or 1/2; got {given!r}")
    return value


def printed(x: float) -> str:
    """A number without digits where it is whole."""
    return number(x, 0 if x == round(x) else 2)


def _counted(asked: Asked, guess: object) -> tuple[str, Said]:
    """A number: exact, a trap with its sentence, near, or wrong."""
    right, value = float(asked.right), typed(guess)
    label, off = printed(value), abs(value - right)
    if off <= asked.within:
        return label, []
    for key, trap in asked.traps.items():
        if abs(value - trap) <= max(NAMED * abs(trap), 0.005):
            return label, [["No: ", ""], *asked.whys[key]]
    high = "too high" if value > right else "too low"
    if off <= NEAR * abs(right) + 1e-9:
        return label, parts([f"Not quite: {label} is a little {high}."])
    return label, [[f"No, {label} is {high}: ", ""], *asked.whys["other"]]
