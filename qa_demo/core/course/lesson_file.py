"""A lesson's file: one Markdown file each, with front matter and one heading per step.

    ---
    id: span                                    front matter: one "name: value" a line
    title: A text, a question, a span
    minutes: 4
    example: saxophone
    wrong: The model writes an answer.
    track: For engineers                        optional: a heading of its own in the list
    ---

    ## Find it yourself                         a step: title, fields, a blank line, text
    view: answer
    predict: mark
    check: answer_span

    Select the words that answer the question.

    - key: a text to choose                     options, for predict: choice
    > What stands there after the guess, with {facts} that the check computes.

A file that cannot be used is refused with its name, the line and the field.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from qa_demo.core.course.file_lines import Block, Lines, front_matter, named
from qa_demo.core.course.lessons import (
    MOST_STEPS,
    MOST_WORDS,
    PREDICTS,
    SELECTIONS,
    Lesson,
    Option,
    Step,
)

HEAD = ("id", "title", "minutes", "example", "wrong")
TRACK = "track"
WORDS = ("view", "step", "open", "act", "source", "example", "question", "predict", "check")
SWITCHES = ("byhand", "veil", "own")
FIELDS = (*WORDS, *SWITCHES, "selection", "temperature", "highlight")
NO_STEPS: Mapping[str, Collection[str]] = MappingProxyType({})
_OPTION = re.compile(r"-\s+([a-z0-9-]+):\s+(.+)")


@dataclass(frozen=True)
class Known:
    """The names that a lesson may use: ids of examples, keys of chapters, names of parts of the
    page, names of checks, the steps of each chapter that has some, and what a step may press.
    """

    examples: Collection[str]
    views: Collection[str]
    parts: Collection[str]
    checks: Collection[str]
    steps: Mapping[str, Collection[str]] = field(default_factory=lambda: NO_STEPS)
    acts: Collection[str] = ()


def parse_lesson(text: str, file: str, known: Known) -> Lesson:
    """One lesson from its file. Errors: BadInput with file, line and field."""
    lines = Lines(file, text.splitlines())
    head = front_matter(lines, HEAD, TRACK)
    minutes = head["minutes"]
    if not minutes.isdecimal() or not 1 <= int(minutes) <= 60:
        lines.fault(
            "minutes", f"a whole number from 1 to 60, got '{minutes[:20]}'", lines.fields["minutes"]
        )
    if not re.fullmatch(r"[a-z][a-z0-9-]*", head["id"]):
        lines.fault("id", "small letters, digits and hyphens only", lines.fields["id"])
    _allowed(lines, "example", head["example"], known.examples, lines.fields["example"])
    steps = tuple(_steps(lines, known))
    if not 1 <= len(steps) <= MOST_STEPS:
        lines.fault("steps", f"1 to {MOST_STEPS} headings that begin with ##, got {len(steps)}")
    return Lesson(
        head["id"],
        head["title"],
        int(minutes),
        head["example"],
        head["wrong"],
        steps,
        file,
        head.get(TRACK, ""),
    )


def _allowed(lines: Lines, name: str, value: str, names: Collection[str], line: int) -> None:
    if value not in names:
        allowed = ", ".join(sorted(filter(None, names)))
        cause = (
            f"there is no '{value[:40]}' here; allowed {f'are {allowed}' if allowed else 'is none'}"
        )
        lines.fault(name, cause, line)


@dataclass
class _Draft(Block):
    """A step while its lines are read."""

    text: list[str] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    reveal: list[str] = field(default_factory=list)


def _steps(lines: Lines, known: Known) -> Iterator[Step]:
    draft: _Draft | None = None
    in_fields = False
    for row in lines:
        if row.startswith("## "):
            if draft is not None:
                yield _finished(lines, draft, known)
            draft, in_fields = _Draft(row[3:].strip(), lines.at), True
        elif draft is None:
            if row.strip():
                lines.fault("steps", "text stands before the first heading '## title'")
        elif in_fields and row.strip():
            name, value = named(lines, row, FIELDS)
            if name in draft.fields:
                lines.fault(name, "it stands twice in this step")
            draft.fields[name], draft.where[name] = value, lines.at
        elif row.strip():
            _words_of(lines, draft, row)
        else:
            in_fields = False
    if draft is not None:
        yield _finished(lines, draft, known)


def _words_of(lines: Lines, draft: _Draft, row: str) -> None:
    """A line of a step's text, one of its options, or one of its reveal."""
    if row.startswith(">"):
        draft.reveal.append(row[1:].strip())
    elif row.startswith("- "):
        match = _OPTION.fullmatch(row)
        if match is None:
            lines.fault("options", f"a line '- key: text' is needed, got '{row[:40]}'")
        if "*" in match[2]:
            lines.fault("options", f"an option is plain, without *: got '{match[2][:40]}'")
        draft.options.append(Option(*match.groups()))
    else:
        draft.text.append(row.strip())


def _finished(lines: Lines, draft: _Draft, known: Known) -> Step:
    """The step, once everything that it names is there."""
    get = draft.fields.get
    text, reveal = _words(lines, draft)
    parts = tuple(get("highlight", "").replace(",", " ").split())
    _names(lines, draft, parts, known)
    _asked(lines, draft)
    return Step(
        title=draft.title,
        text=text,
        line=draft.line,
        selection=get("selection", "keep"),
        temperature=_temperature(lines, draft),
        highlight=parts,
        options=tuple(draft.options),
        reveal=reveal,
        byhand=get("byhand") == "yes",
        veil=get("veil") != "no",
        own=get("own") != "no" and not get("question"),
        **{name: get(name, "") for name in WORDS},
    )


def _words(lines: Lines, draft: _Draft) -> tuple[str, str]:
    """A step's text and its reveal, each of `MOST_WORDS` words at most."""
    text, reveal = " ".join(draft.text), " ".join(draft.reveal)
    for name, words in (("text", text), ("reveal", reveal)):
        if len(words.split()) > MOST_WORDS:
            cause = f"{len(words.split())} words, {MOST_WORDS} are allowed"
            lines.fault(name, cause, draft.line)
    if not text or not draft.title:
        lines.fault("text", "a step needs a title and a text", draft.line)
    return text, reveal


def _names(lines: Lines, draft: _Draft, parts: Sequence[str], known: Known) -> None:
    """Everything that a step names must be there."""
    get = draft.fields.get
    checked: list[tuple[str, str, Collection[str]]] = [
        ("view", get("view", ""), known.views),
        ("step", get("step", ""), ("", *known.steps.get(get("view", ""), ()))),
        ("example", get("example", ""), ("", *known.examples)),
        ("selection", get("selection", "keep"), SELECTIONS),
        ("predict", get("predict", ""), ("", *PREDICTS)),
        ("check", get("check", ""), ("", *known.checks)),
        *((name, get(name, "yes"), ("yes", "no")) for name in SWITCHES),
        ("act", get("act", ""), ("", *known.acts)),
        *(("highlight", part, known.parts) for part in parts),
    ]
    for name, value, names in checked:
        _allowed(lines, name, value, names, draft.at(name))


def _asked(lines: Lines, draft: _Draft) -> None:
    """A question needs what answers it, and options stand where they are chosen from."""
    predict, keys = draft.fields.get("predict", ""), [o.key for o in draft.options]
    line = draft.at("predict")
    if predict and predict != "chips" and not draft.fields.get("check"):
        lines.fault("check", "a prediction needs a check that says what is right", line)
    if predict == "choice" and len(set(keys)) < 2:
        lines.fault("options", "a choice needs two options with different keys", line)
    if predict != "choice" and keys:
        lines.fault("options", "only predict: choice has options", line)
    if len(set(keys)) != len(keys):
        lines.fault("options", "two options have the same key", line)


def _temperature(lines: Lines, draft: _Draft) -> float | None:
    given = draft.fields.get("temperature")
    if given is None:
        return None
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not 0.1 <= value <= 10:
        cause = f"a number from 0.1 to 10, got '{given[:20]}'"
        lines.fault("temperature", cause, draft.where["temperature"])
    return value
