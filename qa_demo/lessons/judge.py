"""A step on its text: what is asked, what is right, and what is said of a guess."""

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from math import ceil, exp, isfinite, log, nan
from typing import Any

from simpleeval import InvalidExpression, SimpleEval

from qa_demo.core.base import BadInput
from qa_demo.core.text import words_inside
from qa_demo.core.types import Encoding, Span
from qa_demo.lessons.files import Step
from qa_demo.printed import STRONG, TERM, Part, digits_of, number, parts, quote, say
from qa_demo.shown import Shown

ROUNDED = 0.007
"""How far a typed number may be off, as a share of the right one: 0.66 or 0.67 for 2/3."""
NAMED = 0.02
"""A wrong number that has a sentence is recognised within this share of its size."""
MOST_TYPED = 60
Said = list[list[str]]
_HOLE = re.compile(r"\{([^{}]*)\}?")


def worded(template: str, facts: Mapping[str, Any]) -> Said:
    """Parts of a sentence of the file: *terms* in italics, {facts} strong. Facts hold words of
    texts and are never read as a template. Errors: BadInput for a fact that nothing computes.
    """
    given = list[Part]()
    for name in _HOLE.findall(template):
        fact = facts.get(name)
        if not isinstance(fact, str | int | float):
            raise BadInput(f"nothing computes {{{name}}}; known are {', '.join(sorted(facts))}")
        digits = 0 if isinstance(fact, int) else 2
        given.append([fact if isinstance(fact, str) else number(fact, digits), STRONG])
    return parts(say(_HOLE.sub("{}", template), *given, starred=TERM))


def computed(formula: str, facts: Mapping[str, Any]) -> float:
    """What a formula of numbers and facts is: 2/3, −2^3, or start + end. Errors: BadInput."""
    names, found = {name: x for name, x in facts.items() if isinstance(x, int | float)}, nan
    with suppress(InvalidExpression, SyntaxError, ArithmeticError, ValueError, TypeError):
        known = SimpleEval(functions={"log": log, "exp": exp, "ceil": ceil}, names=names)
        found = float(known.eval(formula.replace("^", "**").replace("−", "-")))
    if not isfinite(found):
        of = ", ".join(sorted(names))
        raise BadInput(f"{formula[:60]!r} is no number and no formula of numbers and {of}")
    return found


def plain(said: Said) -> str:
    """Parts as one text."""
    return "".join(text for text, _ in said)


class Asked:
    """A step on its text. `options`: what can be chosen; `right`: the right one's key; `label`: the
    right guess in words, "" where nothing is asked; `whys`: what a wrong guess hears, by key;
    `hear`: a guess in words, and why it is wrong. Errors: BadInput for a fact or a why that lacks.
    """

    def __init__(self, step: Step, shown: Shown, facts: Mapping[str, Any]) -> None:
        found = {"mark": "marks", "pick": "picks"}.get(step.ask)
        if found and not facts.get(found):
            raise BadInput(f"check {step.check} finds no {found}, so ask: {step.ask} cannot use it")
        self.options = {key: worded(text, facts) for key, text in step.options.items()}
        self.whys = {key: worded(why, facts) for key, why in step.whys.items()}
        self.step, self.e, self.right, wrong = step, shown.encoding, "", {"other", *self.whys}
        if step.ask == "mark":
            self.marks, self.hear = facts["marks"], self._marked
            self.label = label_of(self.e, self.marks[0])
        elif step.ask == "number":
            self.value, self.hear = computed(step.right, facts), self._counted
            self.traps = {k: computed(k, facts) for k in self.whys if k != "other"}
            size = 1.0 if self.value.is_integer() else max(1.0, abs(self.value))
            self.within = computed(step.within, facts) if step.within else ROUNDED * size
            if idle := [k for k, x in self.traps.items() if abs(x - self.value) <= self.within]:
                raise BadInput(f"{idle[0]} counts as right, so nobody hears why it is wrong")
            self.label = printed(self.value)
        else:
            self.right, self.hear = step.right, self._chosen
            if step.ask == "pick":  # a key must not tell the rank
                order = dict(zip("abcdef", sorted(facts["picks"]), strict=False))
                self.options = {k: [[words, "quote"]] for k, (_, words, _) in order.items()}
                self.whys = {k: parts([why]) for k, (_, _, why) in order.items()}
                self.right = next(k for k, one in order.items() if one == facts["picks"][0])
            self.label = plain(self.options.get(self.right, []))
            wrong = {*self.options} - {self.right}
        if mute := sorted(k for k in wrong if not plain(self.whys.get(k, []))):
            raise BadInput(f"option {mute[0]} has no sentence why it is wrong")
        self.question, self.reveal = (worded(x, facts) for x in (step.question, step.reveal))

    def judge(self, guess: object) -> dict[str, Any]:
        """Whether a guess is right, what is said of it, and the guess in words. Errors: BadInput
        for a guess of another kind than the step asks for.
        """
        label, fault = self.hear(guess)
        exactly = f": {self.label}" if self.step.ask == "number" else ""
        return {"right": not fault, "said": fault or parts([f"Yes{exactly}."]), "label": label}

    def _chosen(self, guess: object) -> tuple[str, Said]:
        """An option, and why it is wrong."""
        if not isinstance(guess, str) or guess not in self.options:
            allowed = ", ".join(self.options) or "-"
            raise BadInput(f"a guess must be one of {allowed}, got {guess!r:.60}")
        right = guess == self.right
        return plain(self.options[guess]), [] if right else [["No: ", ""], *self.whys[guess]]

    def _marked(self, guess: object) -> tuple[str, Said]:
        """Words by words: parts of words and marks at the edges do not count."""
        last = len(self.e.context_ids) - 1
        match guess:
            case [int(a), int(b)] if type(a) is type(b) is int and 0 <= a <= b <= last:
                span = Span(a, b)
            case _:
                raise BadInput(f"marked words are [first, last], 0 to {last}, got {guess!r:.60}")
        label, (a, b) = label_of(self.e, span), words_inside(self.e, span)
        wanted = [words_inside(self.e, right) for right in self.marks]
        if (a, b) in wanted:
            return label, []
        near = [w for w in wanted if 0 <= a <= w[1] and w[0] <= b]
        if not near:
            return label, [["No: ", ""], *self.whys["other"]]
        first, end = min(near, key=lambda w: abs(a - w[0]) + abs(b - w[1]))
        faults = [
            "begins too early" if a < first else "begins too late" if a > first else "",
            "ends too late" if b > end else "ends too early" if b < end else "",
        ]
        return label, parts([f"Not quite: {label} {' and '.join(filter(None, faults))}."])

    def _counted(self, guess: object) -> tuple[str, Said]:
        """A number: right, a wrong one with a sentence of its own, or any other."""
        value = number_of(guess, self.value)
        label = printed(value)
        if abs(value - self.value) <= self.within:
            return label, []
        for key, trap in self.traps.items():
            if abs(value - trap) <= max(NAMED * abs(trap), 0.005):
                return label, [["No: ", ""], *self.whys[key]]
        high = "too high" if value > self.value else "too low"
        return label, [[f"No, {label} is {high}: ", ""], *self.whys["other"]]


def label_of(e: Encoding, span: Span) -> str:
    """Marked words without the marks at their edges, in quotation marks."""
    first, last = words_inside(e, span)
    inside = [d for d in range(len(e.context_ids)) if first <= int(e.word_ids[d]) <= last]
    return quote(e.text(Span(inside[0], inside[-1]) if first >= 0 else span), MOST_TYPED)


def number_of(guess: object, right: float = 0.0) -> float:
    """A number as people write it: 0.5, 0,5, 1/2, 50 %; 1,845 by a large one. Errors: BadInput."""
    given = str(guess)[:MOST_TYPED]
    apart = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞²³¹⁰-⁹])", " ", given)  # 1½ is not 11/2
    text = unicodedata.normalize("NFKC", apart).strip().translate({0x2212: "-", 0x2044: "/"})
    if abs(right) >= 100:  # else 2,546 lies between 2 and 3
        text = re.sub(r"(?<=\d)[,. ](?=\d{3}\b)", "", text)
    over, _, under = text.removesuffix("%").replace(",", ".").partition("/")
    value = nan
    with suppress(ValueError, ZeroDivisionError):
        value = float(over) / float(under or 1) / (100 if text.endswith("%") else 1)
    if not abs(value) < 1e12:
        raise BadInput(f"type a number, such as 0.5 or 1/2; got {given!r}")
    return value


def printed(x: float) -> str:
    """A number without digits where it is whole, with more than two where it is small."""
    return number(x, 0 if x == round(x) else 2 if abs(x) >= 0.1 else digits_of(x))
