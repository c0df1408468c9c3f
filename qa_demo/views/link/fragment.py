"""What stands behind # in an address: a link that the page wrote, or one written by hand.

    #2.7VZ...                                the page's own: compressed, see `unpacked`
    #example=saxophone&chapter=spans         by hand, see `by_hand`
    #v=1&q=Who%3F&p=Ada+met+Grace.&span=0_1_1    the first version, and reports: by hand too

What cannot be read is named, and the rest is opened. The same names may come as query parameters,
as a page that embeds this one hands them over.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs

from qa_demo.core.errors import BadInput
from qa_demo.views.link.plain import NAMES, read_field

VERSION = 2
MAX_LENGTH = 300_000
MAX_TEXT = 4_000_000
"""Characters that a link may unfold into."""
MOST_FIELDS = 60
END = "."
"""The last line of a whole link."""


@dataclass(frozen=True)
class Wanted:
    """What a link asks for: plain data by field. `left` says what is left out of it so far;
    `same_reader` is false where another reader had to read the texts.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    same_reader: bool = True

    def leaving(self, *said: str) -> "Wanted":
        """The same with more that is left out."""
        return replace(self, left=(*self.left, *said))


def parse(fragment: Any, query: Any = "") -> Wanted | None:
    """The link in a fragment, or in a query; None when neither holds one."""
    texts = [text if isinstance(text, str) else "" for text in (fragment, query)]
    behind, query = texts[0].removeprefix("#"), texts[1].removeprefix("?")
    for text in (behind, query):
        if len(text) > MAX_LENGTH:
            return Wanted(left=(f"it has {len(text):,} characters, {MAX_LENGTH:,} are the most",))
    version, dot, packed = behind.partition(".")
    if dot and version.isascii() and version.isdecimal() and len(version) < 6:
        if int(version) != VERSION:
            return Wanted(left=(f"it is of version {version}, this page reads version {VERSION}",))
        return unpacked(packed)
    found, left = by_hand(query)
    fields, more = by_hand(behind)
    fields = {**found, **fields}
    return Wanted(fields, (*left, *more)) if fields or left or more else None


def by_hand(text: str) -> tuple[dict[str, Any], list[str]]:
    """The known fields of a=b&c=d, and what is wrong with them; other names are the host's."""
    try:
        raw = parse_qs(text, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        return {}, ["its letters are damaged"] if NAMES & set(_names(text)) else []
    fields: dict[str, Any] = {}
    left: list[str] = []
    for name, values in raw.items():
        if name in NAMES:
            try:
                fields |= read_field(name, values[-1])
            except BadInput as error:
                left.append(str(error))
    return fields, left


def _names(text: str) -> list[str]:
    return [part.partition("=")[0] for part in text.split("&")]


def unpacked(packed: str) -> Wanted:
    """The fields of a link of ours, as far as it can be read: one cut off holds its beginning."""
    lines = _inflated(packed).split("\n")
    whole = lines[-1] == END
    fields: dict[str, Any] = {}
    left = [] if whole else ["its end is missing or damaged"]
    for line in lines[:MOST_FIELDS] if whole else lines[:-1][:MOST_FIELDS]:
        if line == END:
            break
        try:
            name, value = json.loads(line)
            json.dumps(value)  # what is nested too deep to be written is refused here
        except (ValueError, TypeError, RecursionError):
            left.append("a part of it is damaged")
            continue
        if isinstance(name, str):
            fields[name[:40]] = value
    return Wanted(fields, tuple(dict.fromkeys(left)))


def _inflated(packed: str) -> str:
    """As much of the text as the letters still give."""
    letters = packed[: len(packed) - (len(packed) % 4 == 1)]
    try:
        body = base64.b64decode(letters + "=" * (-len(letters) % 4), "-_", validate=True)
    except (binascii.Error, ValueError):
        return ""
    unfold, found = zlib.decompressobj(-zlib.MAX_WBITS), bytearray()
    try:
        for at in range(0, len(body), 64):
            found += unfold.decompress(body[at : at + 64])
            if len(found) > MAX_TEXT:
                return ""
    except zlib.error:
        pass  # what came before the damage is kept
    return found.decode("utf-8", "replace")
