"""Lessons as files: Markdown with front matter, one step a heading; docs/teaching.md shows one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import yaml
from pydantic import Field, model_validator

from qa_demo.core.base import BadInput
from qa_demo.core.store import ASSETS
from qa_demo.files import read_text
from qa_demo.records import M, read
from qa_demo.state import Int, Record, State

MOST_WORDS = 60
"""Of what a step asks and reveals together, options aside: it must fit a blackboard."""
OWN = ASSETS / "lessons"
TEACHERS = OWN / "teachers"
"""Tables for teachers: no lessons, read by the same rules."""
FIELDS = ("state:", "then:", "ask:", "check:", "right:", "within:", "source:")
Formula = Annotated[str, Field(coerce_numbers_to_str=True)]
"""A key or a formula."""


class Step(Record):
    """What is shown, asked and revealed.

    `state`: fields of the page's state, covered where something is asked; `then`: what the reveal
    changes; `check`: what computes the facts; `right`: the key of an option, or a number as in
    (log(2) + log(4)) / 2, or start + end of the check's facts; `within`: how far a number may be
    off; `options`: what can be chosen, by key; `whys`: why an option, a number or a mark is wrong.
    """

    title: str
    line: int
    state: State
    then: State
    ask: Literal["none", "mark", "choice", "pick", "number"] = "none"
    check: str = ""
    right: Formula = ""
    within: Formula = ""
    source: str = ""
    question: str
    options: dict[str, str]
    whys: dict[str, str]
    reveal: str

    @model_validator(mode="after")
    def _whole(self) -> "Step":
        ask, right, n, whole = self.ask, self.right, len(self.whys), self.question and self.reveal
        spoken = f"{self.question} {self.reveal}"
        words, terms = len(spoken.split()), len(re.findall(r"\*(?! [^*]* \*)[^*]+\*", spoken))
        choice, needed = ask == "choice", "right" if ask in ("choice", "number") else "check"
        most = {"none": 0, "pick": 0, "mark": 1}.get(ask, n)
        rules = [
            (ask != "none" and not getattr(self, needed), f"{needed}: ask: {ask} needs it"),
            (choice and not 2 <= n <= 6, f"options: a choice has 2 to 6, got {n}"),
            (choice and right not in self.whys, f"right: must be a key, got {right!r:.40}"),
            (n > most, f"options: ask: none and pick have none, mark has other alone, got {n}"),
            (right and needed != "right", f"right: a step with ask: {ask} has none of its own"),
            (self.within[:1] in ("-", "−"), f"within: must be at least 0, got {self.within!r:.40}"),
            (words > MOST_WORDS, f"words: a step has at most {MOST_WORDS}, got {words}"),
            (terms > 1, f"words: a step has one new *term* at most, got {terms}"),
            (ask != "none" and not whole, f'words: ask: {ask} needs a question and a "> reveal"'),
        ]
        if said := next((said for broken, said in rules if broken), ""):
            raise ValueError(said)
        return self


class Lesson(Record):
    """A lesson from a file."""

    id: str = Field(max_length=40)  # what a room takes
    title: str = Field(min_length=1)
    minutes: Int = Field(5, ge=1, le=90)
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Lines:
    """Some lines of a file, counted from line `at`."""

    file: Path
    at: int
    lines: Sequence[str] = ()

    def refuse(self, said: str) -> NoReturn:
        """A sentence that begins with a field, behind file and line. Errors: BadInput."""
        name = re.split(r"\W", said.removeprefix("there is no field "))[0]
        down = next((k for k, one in enumerate(self.lines) if one.startswith(f"{name}:")), 0)
        raise BadInput(f"{self.file.name}, line {self.at + down}, {said}")

    def fields(self, *names: str) -> dict[str, Any]:
        """The fields that stand here in YAML. Errors: BadInput."""
        try:
            found = yaml.safe_load("\n".join(self.lines)) or {}
        except (yaml.YAMLError, ValueError, RecursionError) as fault:  # a bell, 2020-13-45, [[[...
            mark = getattr(fault, "problem_mark", None)
            why = getattr(fault, "problem", None) or str(fault).partition("\n")[0]
            said = f"this is no YAML ({why}); a blank follows a field's colon, quotes hold : or #"
            Lines(self.file, self.at + (mark.line if mark else 0)).refuse(said)
        if not isinstance(found, dict):
            self.refuse(f"fields are wanted, such as {names[0]}: ..., got {found!r:.40}")
        if odd := [name for name in found if name not in names]:
            self.refuse(f"{odd[0]}: there is no such field; allowed: {', '.join(names)}")
        if two := [x for x in names if sum(one.startswith(f"{x}:") for one in self.lines) > 1]:
            self.refuse(f"{two[0]}: stands twice")
        return found

    def record(self, model: type[M], given: Mapping[str, Any]) -> M:
        """The record of some fields that stand here. Errors: BadInput."""
        try:
            return read(model, given)
        except BadInput as fault:
            text = "a text, in quotes where YAML reads a number, yes or no"
            self.refuse(str(fault).replace("a valid string", text))


def _step(file: Path, at: int, lines: Sequence[str]) -> Step:
    """The step whose heading stands in line `at`."""
    words = (k for k, one in enumerate(lines) if k and re.match(r"(?![a-z]+:)\S", one))
    stop = next(words, len(lines))
    head = Lines(file, at + 1, lines[1:stop])
    given = {"state": {}, "then": {}, **head.fields(*(name.rstrip(":") for name in FIELDS))}
    ask = given.get("ask", "none")
    if isinstance(given["state"], dict) and isinstance(given["then"], dict):
        given["then"] = {**given["state"], "veil": False, **given["then"]}
        given["state"] = {"veil": ask != "none", **given["state"]}
    said, options, whys, reveal = list[str](), dict[str, str](), dict[str, str](), list[str]()
    for number, line in enumerate(lines[stop:], at + stop):
        here = Lines(file, number)
        if option := re.fullmatch(r"- ([^:]{1,60}): (.+)", line):
            key, text = option.groups()
            if key in whys:
                here.refuse(f"option: {key} stands twice")
            whys[key] = ""
            (options if ask == "choice" else whys)[key] = text
        elif line[:1].isspace() and whys and not reveal:
            whys[key] = f"{whys[key]} {line.strip()}".lstrip()
        elif line.startswith(">"):
            reveal.append(line[1:].strip())
        elif line.startswith("- "):
            here.refuse(f'option: it is "- key: words", got {line[:40]!r}')
        elif line.startswith(FIELDS):
            here.refuse(f"{line.partition(':')[0]}: fields stand right below the heading")
        elif line and (whys or reveal):
            here.refuse(f'words: "> " begins a reveal, got {line[:40]!r}')
        elif line:
            said.append(line)
    given |= {"title": lines[0][3:], "line": at, "options": options, "whys": whys}
    given |= {"question": " ".join(said), "reveal": " ".join(reveal)}
    return Lines(file, at, lines[:stop]).record(Step, given)


def read_lesson(file: Path) -> Lesson:
    """A lesson. Errors: BadInput with file, line and field."""
    lines = [line.rstrip() for line in read_text(file).splitlines()]
    if lines[:1] != ["---"] or "---" not in lines[1:]:
        Lines(file, 1).refuse('front matter: a lesson begins with fields between lines "---"')
    stop = lines.index("---", 1)
    front = Lines(file, 2, lines[1:stop])
    starts = [k for k, line in enumerate(lines) if k > stop and line.startswith("## ")]
    if not starts or any(lines[stop + 1 : starts[0]]):
        Lines(file, stop + 2).refuse('step: it begins with "## " and its title')
    steps = [_step(file, a + 1, lines[a:b]) for a, b in pairwise([*starts, len(lines)])]
    given = {**front.fields("title", "minutes"), "id": file.stem, "steps": steps}
    return front.record(Lesson, given)


def read_folders(*folders: Path) -> tuple[Lesson, ...]:
    """The lessons of some folders in the order of their names. Errors: BadInput."""
    found = dict[str, Lesson]()
    for folder in folders:
        files = sorted(folder.glob("*.md"))
        if not files:
            raise BadInput(f"{folder} is no folder with a lesson, a file whose name ends in .md")
        for file in files:
            if file.stem in found:
                raise BadInput(f"two lessons are called {file.name}; rename your own")
            found[file.stem] = read_lesson(file)
    return tuple(found.values())
