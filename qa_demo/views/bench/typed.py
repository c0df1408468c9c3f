"""The bench's door: what is sent becomes a checked `Bench`, and a `Bench` a link's text."""

import json
import math
from collections.abc import Mapping
from typing import Any

from qa_demo.core.course.bench import MOST, MOST_ANNOTATORS, TYPED, Bench, Numbers, Typed
from qa_demo.core.errors import BadInput
from qa_demo.core.types import TAGS
from qa_demo.figures.bench.desk import golds_text, typed_number
from qa_demo.views import parse

FIELDS = ("tokens", "start", "end", "tags", "golds", "step", "typed")
MOST_TEXT = 24
LONGEST_LINK = 4_000


def parsed(value: Any) -> Bench:
    """The bench of a record with `FIELDS`; numbers may be texts, as typed. Errors: BadInput."""
    given = parse.record(value, "the bench", *FIELDS)
    tokens = parse.many(given.get("tokens"), "the tokens", MOST)
    names = tuple(parse.text(token, "a token", MOST_TEXT) for token in tokens)
    parse.sendable(*names)
    tags, step = given.get("tags"), given.get("step")
    return Bench(
        tuple(name.strip() for name in names),
        _rows(given.get("start"), "start", 2, MOST + 1),
        _rows(given.get("end"), "end", 2, MOST + 1),
        None if tags is None else _rows(tags, "tag", MOST, len(TAGS)),
        golds(given.get("golds") or ""),
        None if step is None else parse.whole(step, "the second window's first token", 1, MOST),
        as_typed(given.get("typed", TYPED[0])),
    )


def as_typed(value: Any) -> Typed:
    """Logits or probabilities. Errors: BadInput."""
    return "logits" if parse.choice(value, "the numbers", TYPED) == "logits" else "probabilities"


def golds(text: Any) -> tuple[tuple[int, int] | None, ...]:
    """Annotators as typed, tokens counted from 1: "1-2, 3, none". Errors: BadInput."""
    if not isinstance(text, str):
        raise BadInput(f"the annotators are a text such as 1-2, 3, none; got {parse.got(text)}")
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if len(parts) > MOST_ANNOTATORS:
        raise BadInput(f"there is room for {MOST_ANNOTATORS} annotators, got {len(parts)}")
    return tuple(_gold(part) for part in parts)


def _gold(part: str) -> tuple[int, int] | None:
    if part.lower() == "none":
        return None
    first, dash, last = part.replace("\u2013", "-").partition("-")
    ends = [first.strip(), last.strip() if dash else first.strip()]
    if not all(end.isdecimal() and end.isascii() and len(end) < 4 for end in ends):
        raise BadInput(
            f"an annotator marks tokens by number, such as 2 or 1-2, or none; got {part[:20]!r}"
        )
    return int(ends[0]) - 1, int(ends[1]) - 1


def number(value: Any, name: str) -> float:
    """A number or its text: 0.5, 0,5, −2 or a fraction such as 2/3. Errors: BadInput."""
    if not isinstance(value, str):
        return parse.number(value, name)
    text = value.strip()[: MOST_TEXT + 1].replace(",", ".").replace("\u2212", "-")
    above, slash, below = text.partition("/")
    try:
        found = float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError) as error:
        raise BadInput(
            f"{name} must be numbers such as −2, 0.25 or 2/3, got {value[:20]!r}"
        ) from error
    if not math.isfinite(found):
        raise BadInput(f"{name} must be finite numbers, got {value[:20]!r}")
    return found


def _rows(value: Any, name: str, most: int, wide: int) -> Numbers:
    rows = parse.many(value, f"the rows of {name} numbers", most)
    lists = [parse.many(row, f"a row of {name} numbers", wide) for row in rows]
    return tuple(tuple(number(x, f"the {name} numbers") for x in row) for row in lists)


def as_record(bench: Bench) -> dict[str, Any]:
    """What `parsed` reads back as the same bench."""
    return {
        "tokens": list(bench.tokens),
        "start": [list(row) for row in bench.start],
        "end": [list(row) for row in bench.end],
        "tags": None if bench.tags is None else [list(row) for row in bench.tags],
        "golds": golds_text(bench),
        "step": bench.step,
        "typed": bench.typed,
    }


def link_text(bench: Bench) -> str:
    """The bench as one field of a link."""
    short = {
        name: [[float(typed_number(x)) for x in row] for row in value]
        if name in ("start", "end", "tags") and value is not None
        else value
        for name, value in as_record(bench).items()
    }
    return json.dumps(short, ensure_ascii=False, separators=(",", ":"))


def from_link(fields: Mapping[str, Any]) -> Bench | None:
    """The bench of a link's own fields, None where it has none. Errors: BadInput."""
    text = fields.get("bench")
    if text is None:
        return None
    if not isinstance(text, str):
        raise BadInput(f"the link's bench is a text, got {parse.got(text)}")
    if len(text) > LONGEST_LINK:
        raise BadInput(f"the link's bench has {len(text):,} characters, {LONGEST_LINK:,} at most")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:  # also a number that is too long to read
        raise BadInput("the link's bench is damaged") from error
    return parsed(found)
