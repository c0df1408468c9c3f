"""A link restores a screen: the fragment after #, which no server sees, versioned and checked like
any input.

    #v=1&q=question&p=paragraph&windows=384_128_64&decode=30_20_0&chapter=spans&span=0_30_32&gold=4-9_none&marks=4-9~~4-9_12-15&veil=1

The browser writes it (assets/page/shared/header.js) and keeps `veil` to itself. `gold` and `marks`
are fields of chapters: a chapter module's `link(screen)` names its own, `restore(screen, fields)`
reads them back.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs

from qa_demo.core.errors import BadInput
from qa_demo.core.types import DecodeOptions, WindowOptions
from qa_demo.views import selection
from qa_demo.views.options import parse as parse_options
from qa_demo.views.state import Screen

VERSION = "1"
MAX_LENGTH = 300_000
WINDOWS = ("max_seq_length", "doc_stride", "max_query_length")
FIELDS = ("v", "q", "p", "windows", "decode", "chapter", "span", "veil")
DECODE = ("max_answer_length", "n_best_size", "null_score_diff_threshold")


@dataclass(frozen=True)
class Link:
    """What a link asks for; `decode` by option name, `span` as (window, start, end), `own` the
    fields of chapters.
    """

    question: str
    context: str
    windows: WindowOptions
    decode: dict[str, float]
    chapter: str
    span: tuple[int, ...] | None
    own: dict[str, str] = field(default_factory=dict)


def parse(fragment: Any) -> Link | None:
    """The link in a fragment, None when it holds no texts; damaged ones are refused with a
    sentence.
    """
    if not isinstance(fragment, str) or len(fragment) < 2:
        return None
    if len(fragment) > MAX_LENGTH:
        raise BadInput(
            f"the link has {len(fragment):,} characters, {MAX_LENGTH:,} are allowed; the first "
            f"example is shown"
        )
    fields = _fields(fragment)
    if "q" not in fields and "p" not in fields:
        return None
    if fields.get("v") != VERSION or not {"q", "p"} <= set(fields):
        raise BadInput(
            f"the link needs v={VERSION}, q (question) and p (paragraph); the first example is "
            f"shown"
        )
    limits = dict(zip(DECODE, _numbers(fields.get("decode", "")), strict=False))
    windows = dict(zip(WINDOWS, _numbers(fields.get("windows", "")), strict=False))
    span = _numbers(fields.get("span", ""))
    try:
        # A limit that cannot be must not empty the page once the texts are read.
        parse_options(DecodeOptions(), **limits)
        options = parse_options(WindowOptions(), **windows)
    except BadInput as error:
        raise BadInput(
            f"the link asks for what cannot be: {error}; the first example is shown"
        ) from error
    return Link(
        fields["q"],
        fields["p"],
        options,
        limits,
        fields.get("chapter", ""),
        tuple(int(n) for n in span) if len(span) == 3 else None,
        {name: value for name, value in fields.items() if name not in FIELDS},
    )


def _numbers(text: str) -> list[float]:
    """Numbers joined by "_" ("30_20_-1.5"), or a sentence."""
    try:
        found = [float(part) for part in text.split("_")] if text else []
    except ValueError:
        found = [math.nan]
    if not all(map(math.isfinite, found)):
        raise BadInput(
            f"the link holds '{text[:40]}' where numbers belong; the first example is shown"
        )
    return found


def print_ranges(ranges: Iterable[tuple[int, int] | None]) -> str:
    """Characters of spans as one field: 4-9_none_12-15."""
    return "_".join("none" if r is None else f"{r[0]}-{r[1]}" for r in ranges)


def parse_ranges(text: str) -> list[tuple[int, int] | None]:
    """The same read back. Errors: BadInput."""
    found: list[tuple[int, int] | None] = []
    for part in text.split("_") if text else ():
        start, dash, end = part.partition("-")
        if part != "none" and not (
            dash and start.isdecimal() and end.isdecimal() and part.isascii() and len(part) < 20
        ):
            raise BadInput(f"the link holds '{part[:40]}' where characters such as 4-9 belong")
        found.append(None if part == "none" else (int(start), int(end)))
    return found


def restore(screen: Screen, link: Link, chapters: Mapping[str, ModuleType]) -> Screen:
    """Apply a link's limits, marks, chapter and selection; an unknown chapter, or what does not
    fit the text, is left out.
    """
    for module in chapters.values():
        if link.own and hasattr(module, "restore"):
            try:
                screen = module.restore(screen, link.own)
            except BadInput:
                continue
    if link.decode:
        screen = screen.change(decode=parse_options(screen.decode, **link.decode))
    if link.chapter in chapters:
        screen = screen.open(link.chapter)
    if link.span is not None:
        try:
            screen = screen.select(selection.parse(screen.reading, link.span))
        except BadInput:
            return screen
    return screen


def _fields(fragment: str) -> dict[str, str]:
    try:
        found = parse_qs(fragment.removeprefix("#"), errors="strict", max_num_fields=20)
    except ValueError as error:
        raise BadInput("the link is damaged; the first example is shown") from error
    return {name: values[-1] for name, values in found.items()}
