"""Numbers changed by hand, from wherever a chapter lets one drag them."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.figures.payload import part
from qa_demo.views import parse
from qa_demo.views.state import Screen

LOGITS = 100.0
"""How far a logit may be dragged, either way."""
FARTHEST = 100.0
"""How far a constant may shift a window's logits, either way."""
TEMPERATURES = (0.1, 10.0)
SIDES = ("start", "end")


def change_logit(screen: Screen, value: Any) -> Screen:
    """Set one logit: {"side", "window", "pos" or "doc", "value"}; a value of null gives the
    reader's own back.

    `pos` is a position of the window, [CLS] and the question included, `doc` a word piece of the
    paragraph. The change shows in every chapter until it is reset.
    """
    given = parse.record(value, "a logit", "side", "window", "pos or doc", "value")
    side = parse.choice(given.get("side"), "side", SIDES)
    window = parse.window(screen.reading, given.get("window"))
    at = screen.reading.windows[window]
    pos = (
        parse.whole(given.get("pos"), "pos")
        if given.get("doc") is None
        else at.to_pos(parse.whole(given.get("doc"), "doc"))
    )
    if not 0 <= pos < len(at):
        raise BadInput(
            f"window {window + 1} has the positions 0 to {len(at) - 1}, not {parse.got(pos)}"
        )
    if given.get("value") is None:
        rest = {k: v for k, v in screen.what_if.logits.items() if k != (side, window, pos)}
        return changed(screen, logits=MappingProxyType(rest))
    logit = parse.number(given.get("value"), f"the {side} logit", -LOGITS, LOGITS)
    return screen.change(what_if=screen.what_if.with_logit(side, window, pos, logit))  # type: ignore[arg-type]


def change_offset(screen: Screen, value: Any) -> Screen:
    """Add c to every logit of one window, {"window", "c"}; 0 takes it back and keeps the window."""
    given = parse.record(value, "the constant", "window", "c")
    window = parse.window(screen.reading, given.get("window"))
    c = parse.number(given.get("c"), "the constant", -FARTHEST, FARTHEST)
    return changed(screen, offset=(window, c))


def change_temperature(screen: Screen, value: Any) -> Screen:
    """Divide the displayed logits by another temperature."""
    return changed(screen, temperature=parse.number(value, "temperature", *TEMPERATURES))


def before(screen: Screen, formula: list[dict[str, str]]) -> list[dict[str, str]]:
    """A formula of the reader's own numbers, marked so while other numbers are on show."""
    note = [part("   before the change by hand", "quiet")]
    return formula + note if screen.what_if.changes_numbers else formula


def changed(screen: Screen, **fields: Any) -> Screen:
    """The screen with other numbers changed by hand."""
    return screen.change(what_if=replace(screen.what_if, **fields))
