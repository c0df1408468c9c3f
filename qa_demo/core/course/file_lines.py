"""The lines of a file that people write by hand, read one by one: what is refused is refused with
the file, the line and the field.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from qa_demo.core.errors import BadInput

_FIELD = re.compile(r"([a-z]+):\s*(.*)")


@dataclass
class Lines:
    """A file's lines with the number of the one being read."""

    file: str
    lines: Sequence[str]
    at: int = 0
    fields: dict[str, int] = field(default_factory=dict)

    def fault(self, name: str, cause: str, line: int | None = None) -> NoReturn:
        """Refuse the file."""
        raise BadInput(f"{self.file}, line {line or self.at}, field {name}: {cause}")

    def __iter__(self) -> Iterator[str]:
        while self.at < len(self.lines):
            self.at += 1
            yield self.lines[self.at - 1].rstrip()


def named(lines: Lines, row: str, allowed: Sequence[str] | None) -> tuple[str, str]:
    """A "name: value" line; None allows every name."""
    match = _FIELD.fullmatch(row)
    if match is None:
        lines.fault("?", f"a line 'name: value' is needed, got '{row[:40]}'")
    name, value = match.groups()
    if allowed is not None and name not in allowed:
        lines.fault(name, f"there is no such field; allowed are {', '.join(allowed)}")
    return name, value.strip()


def front_matter(lines: Lines, wanted: Sequence[str], *optional: str) -> dict[str, str]:
    """The fields between the first two lines of three hyphens. Errors: BadInput."""
    rows = iter(lines)
    if next(rows, "") != "---":
        lines.fault("front matter", "the file must begin with a line of three hyphens")
    head: dict[str, str] = {}
    for row in rows:
        if row == "---":
            break
        name, value = named(lines, row, (*wanted, *optional))
        head[name], lines.fields[name] = value, lines.at
    if missing := [name for name in wanted if not head.get(name)]:
        lines.fault(missing[0], "it is missing in the front matter")
    return head


@dataclass
class Block:
    """A heading of second order and the fields below it, each with its line."""

    title: str
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    where: dict[str, int] = field(default_factory=dict)

    def at(self, name: str) -> int:
        """The line of a field; of the heading, where it is missing."""
        return self.where.get(name, self.line)


def blocks(lines: Lines, allowed: Sequence[str] | None) -> Iterator[Block]:
    """Each heading with its fields, of which `allowed` may stand there (None: all). Errors:
    BadInput.
    """
    block: Block | None = None
    for row in lines:
        if row.startswith("## "):
            if block is not None:
                yield block
            block = Block(row[3:].strip(), lines.at)
        elif row.strip():
            if block is None:
                lines.fault("rows", "text stands before the first heading '## title'")
            name, value = named(lines, row, allowed)
            if name in block.fields:
                lines.fault(name, "it stands twice below this heading")
            block.fields[name], block.where[name] = value, lines.at
    if block is not None:
        yield block


def needed(lines: Lines, block: Block, names: Sequence[str]) -> None:
    """Errors: BadInput where one of these fields is missing or empty."""
    for name in names:
        if not block.fields.get(name):
            lines.fault(name, "it is missing below this heading", block.line)
