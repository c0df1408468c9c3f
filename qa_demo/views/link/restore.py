"""A link put on a screen, and a screen as a link: through the parts that are declared."""

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from types import MappingProxyType, ModuleType
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.types import Reading
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import plain
from qa_demo.views import parse
from qa_demo.views.link.fragment import Wanted
from qa_demo.views.link.parts import Part, parts_of
from qa_demo.views.state import Screen

TEXTS = ("question", "paragraph", "example", "bench", "reader", "windows", "chapter")
"""Fields that say what is read; the parts are put on the reading."""
PAGE = re.compile(r"page\.([a-z_]{1,20})")
"""What the browser alone knows (assets/page/shared/carry.js); `texts`: not too long."""
MOST_PAGE = 20_000
"""Characters of one field of the browser's, as JSON."""
REVISION = 16
"""Letters of a reader's checksum in a link."""


def digest(example: PoolExample) -> int:
    """What tells that an example still has the texts that a link was made on."""
    return zlib.crc32(f"{example.question}\n{example.context}".encode())


def save(
    screen: Screen, modules: Mapping[str, ModuleType], example: PoolExample | None
) -> dict[str, Any]:
    """The fields of a screen's link; texts that no example has are the browser's to add."""
    reading = screen.reading
    fields: dict[str, Any] = {}
    if example is not None:
        fields["example"] = [example.id, digest(example)]
    fields["reader"] = [
        printable(screen.source),
        printable(reading.model_name),
        reading.checksum[:REVISION],
    ]
    fields["windows"] = list(astuple(reading.options))
    for parts in parts_of(modules).values():
        for part in parts:
            if (value := part.save(screen)) is not None:
                fields[part.name] = _writable(value)
    return fields


def _writable(value: Any) -> Any:
    """The value with texts that can travel: half a surrogate pair that was typed cannot."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_writable(one) for one in value]
    return {k: _writable(one) for k, one in value.items()} if isinstance(value, dict) else value


def restore(
    screen: Screen, old: Screen | None, wanted: Wanted, modules: Mapping[str, ModuleType]
) -> tuple[Screen, list[str]]:
    """The parts of a link put on a fresh screen of its reading; what could not be, as phrases.

    What chapters had kept on the `old` screen stays where the link wants the same of them: a head
    that was trained is not lost on the way back.
    """
    fields, left = wanted.fields, list(wanted.left)
    parts = parts_of(modules)
    if old is not None:
        screen = screen.same(own=_kept(old, fields, parts))
    for part in (part for group in parts.values() for part in group):
        if part.name not in fields or _plain(part.save(screen)) == _plain(fields[part.name]):
            continue
        if part.bound and not wanted.same_reader:
            left.append(f"{part.says} (it belongs to the other reader)")
            continue
        try:
            screen = part.load(screen, fields[part.name])
        except BadInput as error:
            left.append(f"{part.says} ({error})")
    known = {part.name for group in parts.values() for part in group} | {*TEXTS}
    left += [
        f"'{name}', which this page does not know"
        for name in fields
        if name not in known and PAGE.fullmatch(name) is None
    ]
    chapter = fields.get("chapter")
    if isinstance(chapter, str) and chapter in modules:
        screen = screen.open(chapter)
    elif chapter is not None:
        left.append(f"the chapter (there is none called '{parse.got(chapter, 20)}')")
    return screen, left


def checked_revision(wanted: Wanted, reading: Reading) -> Wanted:
    """A reader of the same name whose weights are others: that is said, and the rest is opened."""
    named = wanted.fields.get("reader")
    if not wanted.same_reader or not isinstance(named, list) or len(named) < 3:
        return wanted
    revision = named[2]
    if not isinstance(revision, str) or reading.checksum.startswith(revision):
        return wanted
    return wanted.leaving(
        f"the revision {parse.got(revision, REVISION)} of {reading.model_name}: this page has "
        f"{reading.checksum[:REVISION] or 'one without a checksum'}, so numbers may differ"
    )


def _kept(
    old: Screen, fields: Mapping[str, Any], parts: Mapping[str, Sequence[Part]]
) -> Mapping[str, Any]:
    return MappingProxyType(
        {
            key: record
            for key, record in old.own.items()
            if all(
                _plain(part.save(old)) == _plain(fields.get(part.name))
                for part in parts.get(key, ())
            )
        }
    )


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON knows them."""
    return json.loads(json.dumps(value))


def page_of(fields: Mapping[str, Any], left: Sequence[str] = ()) -> dict[str, Any]:
    """What a link asks of the browser: step, veil, lesson, locks; and what to say of it."""
    found: dict[str, Any] = {}
    for field, value in fields.items():
        name = PAGE.fullmatch(field)
        if name is not None and _travels(value):
            found[name[1]] = value
    found["veil"] = found.get("veil") is True
    # a link that the page wrote holds the numbers as they were; by hand, a lesson sets its step up
    found["whole"] = "windows" in fields and "span" in fields
    found["left"] = printable(sentence(left))
    return found


def _travels(value: Any) -> bool:
    try:
        plain(value)
    except (TypeError, ValueError):
        return False
    return len(json.dumps(value)) <= MOST_PAGE


def sentence(left: Sequence[str]) -> str:
    """What a visitor is told of a link that could not be opened whole."""
    return f"Not all of this link could be opened: {'; '.join(left)}." if left else ""
