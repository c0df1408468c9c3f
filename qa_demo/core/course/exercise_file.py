"""The file of the exercises: their words, with places for the numbers that a seed draws.

    ## loss                                  a kind of exercise
    title: A loss by hand
    said: The loss is taken at ...           optional: the statement that the quiz item tests
    text: The label's start has {ps} ...
    ask: What is the loss, to two decimals?  asks for a number, on paper and on the page
    choose: What is the loss?                asks for one of the options, in the quiz
    right: {loss}                            the options: `right`, then each mistake by its name
    peaks: {atpeaks}
    solution: ...
    points: 1 the label's probabilities; 1 the mean

An exercise without `choose` is not in the quiz. A kind with a fault is named with its line and
field; the others are used all the same.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from qa_demo.core.course.file_lines import Block, Lines, blocks, needed
from qa_demo.core.course.lessons import Option
from qa_demo.core.errors import BadInput

WORDS = ("title", "said", "text", "ask", "choose", "solution")
PLACE = re.compile(r"\{([a-z]+)\}")
FEWEST_OPTIONS, MOST_OPTIONS = 3, 5


@dataclass(frozen=True)
class Points:
    """What a marker gives points for."""

    number: int
    what: str


@dataclass(frozen=True)
class Kind:
    """The words of one kind of exercise. The option with the key "right" is right, every other has
    the name of a mistake.
    """

    name: str
    title: str
    said: str
    text: str
    ask: str
    choose: str
    options: tuple[Option, ...]
    solution: str
    points: tuple[Points, ...]


@dataclass(frozen=True)
class Kinds:
    """All kinds that can be used; `faults` says which cannot, and why."""

    kinds: tuple[Kind, ...]
    faults: tuple[str, ...]


def parse_kinds(
    text: str, file: str, facts: Mapping[str, Collection[str]], said: Collection[str]
) -> Kinds:
    """The kinds of a file. `facts` are the places that each kind's numbers fill, `said` the
    statements that a quiz item may name.
    """
    lines = Lines(file, text.splitlines())
    kinds: list[Kind] = []
    faults: list[str] = []
    names: set[str] = set()
    try:
        for block in blocks(lines, None):
            try:
                if block.title in names:
                    lines.fault("kind", f"'{block.title[:40]}' stands twice", block.line)
                names.add(block.title)
                kinds.append(_kind(lines, block, facts, said))
            except BadInput as fault:
                faults.append(str(fault))
    except BadInput as fault:  # a line that is no field ends the file
        faults.append(str(fault))
    return Kinds(tuple(kinds), tuple(faults))


def _kind(
    lines: Lines, block: Block, facts: Mapping[str, Collection[str]], said: Collection[str]
) -> Kind:
    if block.title not in facts:
        known = ", ".join(facts)
        lines.fault("kind", f"one of {known} is allowed, got '{block.title[:40]}'", block.line)
    needed(lines, block, ("title", "text", "ask", "solution", "points"))
    _check_places(lines, block, facts[block.title])
    words = {name: block.fields.get(name, "") for name in WORDS}
    if words["said"] and words["said"] not in said:
        lines.fault("said", "there is no such statement in “Said, and so”", block.at("said"))
    options, points = _options(lines, block, words["choose"]), tuple(_points(lines, block))
    return Kind(name=block.title, options=options, points=points, **words)


def _check_places(lines: Lines, block: Block, facts: Collection[str]) -> None:
    """Every place of a kind's words is filled by its numbers."""
    for name, words in block.fields.items():
        for place in PLACE.findall(words):
            if place not in facts:
                cause = f"nothing fills {{{place}}}; there are {', '.join(facts)}"
                lines.fault(name, cause, block.at(name))


def _options(lines: Lines, block: Block, choose: str) -> tuple[Option, ...]:
    """The right option and the mistakes."""
    options = tuple(Option(k, v) for k, v in block.fields.items() if k not in (*WORDS, "points"))
    if choose and not (
        FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS and options[0].key == "right"
    ):
        cause = f"the options are right and {FEWEST_OPTIONS - 1} to {MOST_OPTIONS - 1} mistakes"
        lines.fault("choose", cause, block.at("choose"))
    if options and not choose:
        lines.fault(options[0].key, "options need a line choose", block.at(options[0].key))
    return options


def _points(lines: Lines, block: Block) -> Iterator[Points]:
    """ "1 the sum; 2 the sign" as points."""
    for part in block.fields["points"].split(";"):
        number, _, what = part.strip().partition(" ")
        if not number.isascii() or not number.isdigit() or not what:
            cause = f"'1 what it is given for' is needed, got '{part.strip()[:40]}'"
            lines.fault("points", cause, block.at("points"))
        yield Points(int(number), what)
