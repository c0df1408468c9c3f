"""Lessons as files: Markdown with front matter, one step a heading.

    ---
    title: The best pair
    minutes: 5
    ---

    ## The winner
    state: {chapter: spans, example: web}
    ask: pick
    check: best_pair

    What is asked, with {facts} that the check computes.

    - key: An option.
      Why it is wrong.

    > What is revealed.

Below a heading stand the fields of a step in YAML, see `Step`. Of a choice the keys are names; of a
number they are wrong numbers, formulas like `right`, and "other" for all the rest; of marked words
"other" alone.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, exp, isfinite, log
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import yaml
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from simpleeval import InvalidExpression, SimpleEval

from qa_demo.core.base import BadInput
from qa_demo.core.store import ASSETS
from qa_demo.state import Int, Record, State, sentence

R = TypeVar("R", bound=Record)
FIELDS = ("state", "then", "ask", "check", "right", "within", "source")
MOST_WORDS = 60
"""Of what a step asks and reveals together, options aside: it must fit a blackboard."""
OWN = ASSETS / "lessons"
TEACHERS = OWN / "teachers"
"""Tables for teachers: no lessons, read by the same rules."""


def _words(value: Any) -> Any:
    """A key or a formula: YAML reads yes, no and 2 otherwise."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value


Words = Annotated[str, BeforeValidator(_words)]


class Step(Record):
    """What is shown, asked and revealed.

    `state`: fields of the page's state, covered where something is asked; `then`: what the reveal
    changes; `check`: what computes the facts; `right`: the key of an option, or a number as in
    (log(2) + log(4)) / 2, natural logarithms, or start + end of the check's facts; `within`: how
    far a number may be off, by default what rounding explains.
    """

    title: str
    line: int
    state: State
    then: State
    ask: Literal["none", "mark", "choice", "pick", "number"] = "none"
    check: str = ""
    right: Words = ""
    within: Words = ""
    source: str = ""
    question: str
    options: dict[str, str]
    """What can be chosen, by key; empty but for a choice."""
    whys: dict[str, str]
    """Why an option, a number or marked words are wrong."""
    reveal: str

    @model_validator(mode="after")
    def _whole(self) -> "Step":
        ask, right, keys = self.ask, self.right, list(self.whys)
        spoken = f"{self.question} {self.reveal}"
        words, terms = len(spoken.split()), len(re.findall(r"\*[^*]+\*", spoken))
        needed, n = "right" if ask in ("choice", "number") else "check", len(keys)
        asks, choice = ask != "none", ask == "choice"
        rules = [
            (asks and not getattr(self, needed), f"{needed}: a step with ask: {ask} needs it"),
            (choice and not 2 <= n <= 6, f"options: a choice has 2 to 6, got {n}"),
            (choice and right not in keys, f"right: must be an option's key, got {right[:40]!r}"),
            (ask in ("none", "pick") and n, f"options: a step with ask: {ask} has none of its own"),
            (right and needed != "right", f"right: a step with ask: {ask} has none of its own"),
            (words > MOST_WORDS, f"words: a step has at most {MOST_WORDS}, got {words}"),
            (terms > 1, f"words: a step has one new *term* at most, got {terms}"),
        ]
        for broken, said in rules:
            if broken:
                raise ValueError(said)
        return self


class Lesson(Record):
    """A lesson from a file."""

    id: str
    title: str = Field(min_length=1)
    minutes: Int = Field(5, ge=1, le=90)
    steps: tuple[Step, ...]
    file: Path


def computed(formula: str, facts: Mapping[str, object]) -> float:
    """What a formula of numbers and facts is: 2/3, or start + end. Errors: BadInput."""
    names = {name: x for name, x in facts.items() if isinstance(x, int | float)}
    found: Any = None
    with suppress(InvalidExpression, SyntaxError, ArithmeticError, ValueError, TypeError):
        known = SimpleEval(functions={"log": log, "exp": exp, "ceil": ceil}, names=names)
        found = known.eval(formula)
    if isinstance(found, bool) or not isinstance(found, int | float) or not isfinite(found):
        known_names = ", ".join(sorted(names))
        raise BadInput(f"{formula[:60]!r} is no number and no formula of numbers and {known_names}")
    return float(found)


@dataclass(frozen=True)
class Part:
    """Some lines of a file, counted from line `at`."""

    file: Path
    at: int
    lines: Sequence[str]

    def refuse(self, said: str) -> NoReturn:
        """A sentence that begins with a field, behind file and line. Errors: BadInput."""
        name = re.split(r"\W", said)[0]
        down = next((k for k, one in enumerate(self.lines) if one.startswith(f"{name}:")), 0)
        raise BadInput(f"{self.file.name}, line {self.at + down}, {said}")

    def fields(self, names: Sequence[str]) -> dict[str, Any]:
        """The fields that stand here in YAML. Errors: BadInput."""
        try:
            found = yaml.safe_load("\n".join(self.lines)) or {}
        except yaml.YAMLError as fault:
            mark, why = getattr(fault, "problem_mark", None), getattr(fault, "problem", fault)
            at = self.at + (mark.line if mark else 0)
            Part(self.file, at, ()).refuse(f"this is no YAML ({why}); quote texts that hold : or #")
        if not isinstance(found, dict):
            self.refuse(f"fields are wanted, such as {names[0]}: ..., got {str(found)[:40]!r}")
        for name in found:
            if name not in names:
                self.refuse(f"{name}: there is no such field; allowed: {', '.join(names)}")
        return found

    def record(self, model: type[R], given: Mapping[str, Any]) -> R:
        """The record of some fields that stand here. Errors: BadInput."""
        try:
            return model.model_validate(given)
        except ValidationError as fault:
            self.refuse(sentence(fault))


def _step(file: Path, at: int, lines: Sequence[str]) -> Step:
    """The step whose heading stands in line `at`."""
    words = (k for k, one in enumerate(lines) if k and re.match(r"(?![a-z]+:)\S", one))
    stop = next(words, len(lines))
    head = Part(file, at + 1, lines[1:stop])
    given = {"state": {}, "then": {}, **head.fields(FIELDS)}
    asks = given.get("ask", "none") != "none"
    if isinstance(given["state"], dict) and isinstance(given["then"], dict):
        given["then"] = {**given["state"], "veil": False, **given["then"]}
        given["state"] = {"veil": asks, **given["state"]}
    said, options, whys, reveal = list[str](), dict[str, str](), dict[str, str](), list[str]()
    for number, line in enumerate(lines[stop:], at + stop):
        here = Part(file, number, ())
        if option := re.fullmatch(r"- ([^:]{1,60}): (.+)", line):
            key, text = option.groups()
            if key in whys:
                here.refuse(f"option: {key} stands twice")
            whys[key] = ""
            (options if given.get("ask") == "choice" else whys)[key] = text
        elif line.startswith(" ") and whys and not reveal:
            whys[key] = f"{whys[key]} {line.strip()}".lstrip()
        elif line.startswith(">"):
            reveal.append(line[1:].strip())
        elif line.startswith("- "):
            here.refuse(f'option: it is "- key: words", got {line[:40]!r}')
        elif line and (whys or reveal):
            here.refuse(f'words: "> " begins a reveal, got {line[:40]!r}')
        elif line:
            said.append(line)
    given |= {"options": options, "whys": whys}
    given |= {"question": " ".join(said), "reveal": " ".join(reveal)}
    return Part(file, at, lines[:stop]).record(Step, {**given, "title": lines[0][3:], "line": at})


def read_lesson(file: Path) -> Lesson:
    """A lesson. Errors: BadInput with file, line and field."""
    try:
        lines = [line.rstrip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    except OSError as fault:
        raise BadInput(f"{file} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise BadInput(f"{file.name} is no text in UTF-8") from fault
    whole = Part(file, 1, lines)
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        whole.refuse('front matter: a lesson begins with fields between two lines "---"')
    stop = lines.index("---", 1)
    front = Part(file, 2, lines[1:stop])
    starts = [k for k, line in enumerate(lines) if k > stop and line.startswith("## ")]
    if not starts or any(lines[stop + 1 : starts[0]]):
        Part(file, stop + 2, ()).refuse('step: it begins with "## " and its title')
    steps = [_step(file, a + 1, lines[a:b]) for a, b in pairwise([*starts, len(lines)])]
    given = {**front.fields(("title", "minutes")), "id": file.stem, "file": file, "steps": steps}
    return front.record(Lesson, given)


def read_folder(folder: Path = OWN) -> tuple[Lesson, ...]:
    """The lessons of a folder in the order of their names. Errors: BadInput."""
    found = tuple(read_lesson(file) for file in sorted(folder.glob("*.md")))
    if not found:
        raise BadInput(f"{folder} holds no lesson: a file whose name ends in .md")
    return found


def read_all(own: Path | None = None) -> tuple[Lesson, ...]:
    """The page's lessons and those of a teacher's own folder. Errors: BadInput."""
    found = read_folder() + (read_folder(own) if own is not None else ())
    ids = [lesson.id for lesson in found]
    if twice := [name for name in ids if ids.count(name) > 1]:
        raise BadInput(f"two lessons are called {twice[0]}.md; rename your own")
    return found
