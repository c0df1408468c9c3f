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

Fields of a step: `state` (fields of the page's state; indented lines below it go on), `then` (what
the reveal changes), `ask` (mark, choice, pick, number or none), `check` (the name of what computes
the right guess), `right` (what the check leaves open: the key of an option, or a number as in
(log(2) + log(4)) / 2, natural logarithms), `veil` (false: nothing is covered). Of a number the keys
are the check's traps, wrong numbers such as 2/3, and "other"; of words marked "other".
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil, exp, isfinite, log
from pathlib import Path
from typing import Any, NoReturn

import yaml
from simpleeval import InvalidExpression, SimpleEval

from qa_demo.core.base import BadInput, one_of
from qa_demo.core.store import ASSETS
from qa_demo.state import State, load

ASKS = ("none", "mark", "choice", "pick", "number")
FIELDS = ("state", "then", "ask", "check", "right", "veil", "source")
MOST_WORDS = 60
"""Of what a step asks and reveals together, options aside: it must fit a blackboard."""
OWN = ASSETS / "lessons"
TEACHERS = OWN / "teachers"
"""Tables for teachers: no lessons, read by the same rules."""
_OPTION = re.compile(r"- ([^:]{1,60}): (.+)")
_FIELD = re.compile(r"([a-z]+):(?: (.*))?")


@dataclass(frozen=True)
class Option:
    """What can be chosen, and why it is wrong; of a number and a mark, `why` alone."""

    key: str
    text: str
    why: str = ""


@dataclass(frozen=True)
class Step:
    """One step: what is shown, what is asked, how the guess is judged, what is revealed."""

    title: str
    state: State
    told: State
    """What is shown after the reveal."""
    ask: str = "none"
    check: str = ""
    right: str = ""
    question: str = ""
    options: tuple[Option, ...] = ()
    reveal: str = ""
    source: str = ""
    line: int = 0


@dataclass(frozen=True)
class Lesson:
    """A lesson from a file."""

    id: str
    title: str
    minutes: int
    steps: tuple[Step, ...]
    file: Path


@dataclass
class Draft:
    """A step as it is read: fields with their lines, then its words."""

    title: str
    line: int
    fields: dict[str, tuple[int, str]] = field(default_factory=dict)
    question: list[str] = field(default_factory=list)
    options: list[list[str]] = field(default_factory=list)
    reveal: list[str] = field(default_factory=list)


class Source:
    """One file while it is read: every refusal names file, line and field."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def refuse(self, line: int, name: str, why: str) -> NoReturn:
        """Errors: BadInput."""
        raise BadInput(f"{self.file.name}, line {line}, {name}: {why}")

    @contextmanager
    def at(self, line: int, name: str) -> Iterator[None]:
        """Tell where a value stands that is refused. Errors: BadInput."""
        try:
            yield
        except BadInput as fault:
            self.refuse(line, name, str(fault))

    def mapping(self, line: int, name: str, text: str) -> dict[str, Any]:
        """YAML that holds a mapping."""
        try:
            found = yaml.safe_load(text)
        except yaml.YAMLError as fault:
            at, said = getattr(fault, "problem_mark", None), getattr(fault, "problem", fault)
            more = f"this is no YAML ({said}); texts stand in quotation marks"
            self.refuse(line + (at.line if at else 0), name, more)
        if not isinstance(found, dict):
            self.refuse(line, name, f"this must be a mapping of fields, got {text[:40]!r}")
        return {str(key): value for key, value in found.items()}

    def front(self, lines: Sequence[str]) -> tuple[dict[str, Any], int]:
        """The front matter, and the line behind it."""
        ends = [k for k, one in enumerate(lines) if one.strip() == "---"]
        if ends[:1] != [0]:
            self.refuse(1, "front matter", 'a lesson begins with a line "---"')
        if len(ends) == 1:
            self.refuse(1, "front matter", 'it has no end: a second line "---" is missing')
        return self.mapping(2, "front matter", "\n".join(lines[1 : ends[1]])), ends[1] + 1

    def drafts(self, lines: Sequence[str], first: int) -> Iterator[Draft]:
        """The steps as they stand in the file."""
        draft: Draft | None = None
        for number, raw in enumerate(lines[first:], first + 1):
            one = raw.strip()
            if one.startswith("## "):
                if draft is not None:
                    yield draft
                draft = Draft(one[3:].strip(), number)
            elif one and draft is None:
                self.refuse(
                    number, "step", f'a step begins with "## " and its title, got {one[:40]!r}'
                )
            elif one and draft is not None:
                self.add(draft, number, raw, one)
        if draft is None:
            self.refuse(len(lines), "step", 'there is no step: a line with "## " and its title')
        yield draft

    def add(self, draft: Draft, number: int, raw: str, one: str) -> None:
        """A line of a step: a field, an option, why it is wrong, the reveal or the question."""
        named = _FIELD.fullmatch(one)
        if named and not (draft.question or draft.options or draft.reveal):
            if named[1] not in FIELDS:
                self.refuse(
                    number, named[1], f"there is no such field; allowed: {', '.join(FIELDS)}"
                )
            draft.fields[named[1]] = number, named[2] or ""
        elif raw[0] == " " and draft.fields and not (draft.question or draft.options):
            name, (line, text) = list(draft.fields.items())[-1]
            draft.fields[name] = line, f"{text}\n{raw}"
        elif one.startswith("- "):
            option = _OPTION.fullmatch(one)
            if option is None:
                self.refuse(number, "option", f'an option is "- key: words", got {one[:40]!r}')
            draft.options.append([option[1], option[2]])
        elif raw[0] == " " and draft.options and not draft.reveal:
            draft.options[-1].append(one)
        elif one.startswith(">"):
            draft.reveal.append(one[1:].strip())
        elif draft.options or draft.reveal:
            self.refuse(number, "words", f'"> " begins what is revealed, got {one[:40]!r}')
        else:
            draft.question.append(one)

    def step(self, draft: Draft) -> Step:
        """A step whose fields are checked."""
        line = draft.line

        def value(name: str, default: str = "") -> tuple[int, str]:
            return draft.fields.get(name, (line, default))

        (at, asked), (_, check) = value("ask", "none"), value("check")
        at_right, right = value("right")
        with self.at(at, "ask"):
            one_of("it", asked, ASKS)
        if asked != "none" and not check and not right:
            said = "a step that asks needs one, or right: what the right guess is"
            self.refuse(line, "check", said)
        if right and asked == "number":
            with self.at(at_right, "right"):
                computed(right)
        at_veil, veil = value("veil", str(asked != "none").lower())
        if veil not in ("true", "false"):
            self.refuse(at_veil, "veil", f"it must be true or false, got {veil[:40]!r}")
        (at, text), (at_then, more) = value("state", "{}"), value("then", "{}")
        fields, then = self.mapping(at, "state", text), self.mapping(at_then, "then", more)
        with self.at(at, "state"):
            state = load({**fields, "veil": veil == "true"})
        with self.at(at_then, "then"):
            told = load({**fields, **then})
        options = tuple(self.option(draft, asked, found) for found in draft.options)
        if asked == "choice" and not 2 <= len(options) <= 6:
            self.refuse(line, "option", f"a choice has 2 to 6 options, got {len(options)}")
        if asked == "choice" and right and right not in {o.key for o in options}:
            self.refuse(at_right, "right", f"it must be the key of an option, got {right[:40]!r}")
        if twice := {o.key for o in options if sum(p.key == o.key for p in options) > 1}:
            self.refuse(line, "option", f"{min(twice)} stands twice")
        question, reveal = " ".join(draft.question), " ".join(draft.reveal)
        spoken = f"{question} {reveal}"
        if (words := len(spoken.split())) > MOST_WORDS:
            self.refuse(line, "words", f"a step has at most {MOST_WORDS}, got {words}")
        if (terms := len(re.findall(r"\*[^*]+\*", spoken))) > 1:
            self.refuse(line, "words", f"a step has one new *term* at most, got {terms}")
        _, source = value("source")
        return Step(
            draft.title, state, told, asked, check, right, question, options, reveal, source, line
        )

    def option(self, draft: Draft, asked: str, found: list[str]) -> Option:
        """An option: of a choice its words and, below, why it is wrong; else the why alone."""
        key, text, *why = found
        if asked == "choice":
            return Option(key, text, " ".join(why))
        if asked in ("number", "mark"):
            return Option(key, "", " ".join([text, *why]))
        self.refuse(draft.line, "option", f"a step that asks for {asked} has no options of its own")


def computed(text: str) -> float:
    """What a formula of numbers is: 2/3, or (log(2) + log(4)) / 2. Errors: BadInput."""
    found: Any = None
    with suppress(InvalidExpression, SyntaxError, ArithmeticError, ValueError, TypeError):
        found = SimpleEval(functions={"log": log, "exp": exp, "ceil": ceil}, names={}).eval(text)
    if isinstance(found, bool) or not isinstance(found, int | float) or not isfinite(found):
        raise BadInput(f"it must be a number or a formula such as 2/3, got {text[:60]!r}")
    return float(found)


def read_lesson(file: Path) -> Lesson:
    """A lesson. Errors: BadInput with file, line and field."""
    source = Source(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as fault:
        raise BadInput(f"{file} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise BadInput(f"{file.name} is no text in UTF-8") from fault
    lines = text.splitlines()
    front, first = source.front(lines)
    title, minutes = front.get("title"), front.get("minutes", 5)
    if not isinstance(title, str) or not title.strip():
        source.refuse(2, "title", f"a lesson needs one, got {title!r}")
    if minutes is True or minutes not in range(1, 91):
        source.refuse(2, "minutes", f"it must be 1 to 90, got {minutes!r}")
    if unknown := [name for name in front if name not in ("title", "minutes")]:
        source.refuse(2, unknown[0], "there is no such field; allowed: title, minutes")
    steps = tuple(source.step(draft) for draft in source.drafts(lines, first))
    return Lesson(file.stem, title.strip(), minutes, steps, file)


def read_folder(folder: Path = OWN) -> tuple[Lesson, ...]:
    """The lessons of a folder in the order of their names. Errors: BadInput."""
    found = tuple(read_lesson(file) for file in sorted(folder.glob("*.md")))
    if not found:
        raise BadInput(f"{folder} holds no lesson: a file whose name ends in .md")
    return found


def read_all(own: Path | None = None) -> tuple[Lesson, ...]:
    """The page's lessons and those of a teacher's own folder. Errors: BadInput."""
    found = read_folder() + (read_folder(own) if own is not None else ())
    for lesson in found:
        if sum(other.id == lesson.id for other in found) > 1:
            raise BadInput(f"two lessons are called {lesson.file.name}; rename your own")
    return found
