"""What a check finds in what a step shows, and what is said of a guess."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qa_demo.core.base import BadInput
from qa_demo.core.text import words_inside
from qa_demo.core.types import Span
from qa_demo.lessons.files import Step
from qa_demo.printed import STRONG, TERM, Part, number, parts, quote
from qa_demo.shown import Shown

NEAR = 0.1
"""A number within this share of the right one is "not quite"; any other is wrong."""
NAMED = 0.02
"""A trap is recognised within this share of its size."""
MOST_TYPED = 60


class Lacking(BadInput):
    """A text that does not show the point of a step, and why not."""


Fact = str | int | float


@dataclass(frozen=True)
class Found:
    """What is right: `right` (the key of an option), `spans` (words to mark), or `value` with
    `within` as tolerance, printed with `digits`. `options` are found in the text, (key, words);
    `whys` answer a wrong key; `traps` are wrong numbers with a sentence of their own in the file,
    by key. `facts` fill the braces of the file's sentences: words, or numbers (with two digits).
    """

    right: str = ""
    spans: tuple[Span, ...] = ()
    value: float | None = None
    within: float = 0.005
    digits: int = 2
    options: tuple[tuple[str, str], ...] = ()
    whys: Mapping[str, str] = field(default_factory=dict)
    traps: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)


Check = Callable[[Shown], Found]


@dataclass(frozen=True)
class Verdict:
    """What is said of a guess: `label` is the guess in words."""

    right: bool
    said: list[list[str]]
    label: str


_HOLE = re.compile(r"(\{\w+\}|\*[^*]+\*)")


def filled(template: str, facts: Mapping[str, Fact]) -> list[list[str]]:
    """Parts of a sentence of the file: *terms* in italics, {facts} strong. Facts hold words of
    texts and are never read as a template. Errors: Lacking for a fact that nothing computes.
    """
    made: list[Part] = []
    for piece in _HOLE.split(template):
        if piece[:1] == "{" and piece[-1:] == "}":
            if piece[1:-1] not in facts:
                known = ", ".join(sorted(facts)) or "none"
                raise Lacking(f"nothing computes {piece}; this check knows: {known}")
            fact = facts[piece[1:-1]]
            digits = 0 if isinstance(fact, int) else 2
            made.append([fact if isinstance(fact, str) else number(fact, digits), STRONG])
        elif piece[:1] == "*" and len(piece) > 2:
            made.append([piece[1:-1], TERM])
        elif piece:
            made.append(piece)
    return parts(made)


def options_of(step: Step, found: Found) -> list[tuple[str, list[list[str]]]]:
    """What can be chosen: the file's options, or those that the check found."""
    if step.ask == "pick":
        return [(key, [[words, "quote"]]) for key, words in found.options]
    if step.ask == "choice":
        return [(o.key, filled(o.text, found.facts)) for o in step.options]
    return []


def right_label(shown: Shown, step: Step, found: Found) -> str:
    """The right guess in words, as `Verdict.label` has it."""
    if step.ask == "mark":
        return label_of(shown, found.spans[0])
    if step.ask == "number":
        assert found.value is not None
        return number(found.value, found.digits)
    return plain(dict(options_of(step, found))[found.right])


def plain(said: list[list[str]]) -> str:
    """Parts as one text."""
    return "".join(text for text, _ in said)


def why(step: Step, found: Found, key: str) -> str:
    """The file's sentence for a wrong option, "" where it has none."""
    return next((o.why for o in step.options if o.key == key), "")


def judge(shown: Shown, step: Step, found: Found, guess: object) -> Verdict:
    """What is right in a guess, and why a wrong one is wrong. Errors: BadInput for a guess of
    another kind than the step asks for.
    """
    if step.ask == "mark":
        return marked(shown, step, found, guess)
    if step.ask == "number":
        return counted(step, found, guess)
    options = dict(options_of(step, found))
    if not isinstance(guess, str) or guess not in options:
        raise BadInput(
            f"a guess must be one of {', '.join(options) or 'nothing'}, got {guess!r:.60}"
        )
    label = plain(options[guess])
    if guess == found.right:
        return Verdict(True, parts(["Yes."]), label)
    if guess in found.whys:
        return Verdict(False, parts(["No: ", found.whys[guess]]), label)
    return Verdict(False, [["No: ", ""], *filled(why(step, found, guess), found.facts)], label)


def label_of(shown: Shown, span: Span) -> str:
    """Marked words without the marks at their edges, in quotation marks."""
    e = shown.encoding
    first, last = words_inside(e, span)
    inside = [d for d in range(len(e.context_ids)) if first <= int(e.word_ids[d]) <= last]
    if first >= 0:
        span = Span(inside[0], inside[-1])
    return quote(e.text(span), MOST_TYPED)


def marked(shown: Shown, step: Step, found: Found, guess: object) -> Verdict:
    """Words by words: parts of words and marks at the edges do not count."""
    e = shown.encoding
    last = len(e.context_ids) - 1
    if not (
        isinstance(guess, list | tuple)
        and len(guess) == 2
        and all(isinstance(x, int) and not isinstance(x, bool) for x in guess)
        and 0 <= guess[0] <= guess[1] <= last
    ):
        raise BadInput(f"marked words are [first, last] from 0 to {last}, got {guess!r:.60}")
    span = Span(*guess)
    label, mine = label_of(shown, span), words_inside(e, span)
    wanted = [words_inside(e, s) for s in found.spans]
    if mine in wanted:
        return Verdict(True, parts(["Yes."]), label)
    first, end = next((w for w in wanted if mine[0] <= w[1] and w[0] <= mine[1]), (0, -1))
    if first > end:
        said = filled(why(step, found, "other"), found.facts)
        return Verdict(False, [["No: ", ""], *said], label)
    faults = [
        "begins too early" if mine[0] < first else "begins too late" if mine[0] > first else "",
        "ends too late" if mine[1] > end else "ends too early" if mine[1] < end else "",
    ]
    text = " and ".join(filter(None, faults))
    return Verdict(False, parts([f"Not quite: {label} {text}."]), label)


_FRACTION = re.compile(r"([+-]?[\d.]+)\s*/\s*([\d.]+)")


def typed(guess: object) -> float:
    """A number as people write it: 0.5, 0,5, 1/2, ½, 50 %, 1,845. Errors: BadInput."""
    import unicodedata

    given = str(guess)[:MOST_TYPED]
    text = (
        unicodedata.normalize("NFKC", given).strip().replace("\u2212", "-").replace("\u2044", "/")
    )
    share, text = text.endswith("%"), text.removesuffix("%").strip()
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    text = text.replace(",", ".")
    over = _FRACTION.fullmatch(text)
    try:
        value = float(over[1]) / float(over[2]) if over else float(text)
    except (ValueError, ZeroDivisionError):
        value = float("nan")
    if not abs(value) < 1e12 or isinstance(guess, bool):
        raise BadInput(f"type a number, such as 0.5 or 1/2; got {given!r}")
    return value / 100 if share else value


def counted(step: Step, found: Found, guess: object) -> Verdict:
    """A number against the right one: exact, near, a trap with its sentence, or wrong."""
    assert found.value is not None
    value, right = typed(guess), found.value
    label = number(value, max(found.digits, 0 if value == round(value) else 2))
    if abs(value - right) <= found.within:
        return Verdict(True, parts([f"Yes: {number(right, found.digits)}."]), label)
    for key, trap in found.traps.items():
        if abs(value - trap) <= max(NAMED * abs(trap), 0.005):
            return Verdict(
                False, [["No: ", ""], *filled(why(step, found, key), found.facts)], label
            )
    high = "too high" if value > right else "too low"
    if abs(value - right) <= NEAR * abs(right) + 1e-9:
        return Verdict(False, parts([f"Not quite: {label} is a little {high}."]), label)
    said = filled(why(step, found, "other"), found.facts)
    return Verdict(False, [[f"No, {label} is {high}: ", ""], *said], label)
