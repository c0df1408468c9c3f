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


def named(lines: Lines, row: str, allowed: Sequence[str]) -> tuple[str, str]:
    """A "name: value" line."""
    match = _FIELD.fullmatch(row)
    if match is None:
        lines.fault("?", f"a line 'name: value' is needed, got '{row[:40]}'")
    name, value = match.groups()
    if name not in allowed:
        lines.fault(name, f"there is no such field; allowed are {', '.join(allowed)}")
    return name, value.strip()
