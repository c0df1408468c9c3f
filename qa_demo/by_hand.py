"""Logits changed by hand: the reading that holds them, which ones they are, the press that undoes
it, and what does not follow them.
"""

from collections.abc import Mapping
from dataclasses import replace

from qa_demo.blocks import END, START, Block, button, remark
from qa_demo.core.base import BadInput
from qa_demo.core.types import Reading
from qa_demo.printed import Part, number, plural
from qa_demo.shown import Shown
from qa_demo.texts import parts_at, position_name, which_window


def apply_edits(reading: Reading, logits: Mapping[tuple[str, int, int], float]) -> Reading:
    """Set single logits: `logits` maps (side, window, pos), side "start" or "end", to the new
    value; one that is printed as the reader's own is no change, and without any the reading is
    returned itself. Errors: BadInput for no such position.
    """
    own = {START: reading.start_logits, END: reading.end_logits}
    changed, same = {side: values.copy() for side, values in own.items()}, True
    for (side, window, pos), value in logits.items():
        if window >= len(reading.windows) or pos >= len(reading.windows[window]):
            many = plural(len(reading.windows), "window")
            where = f'"WINDOW:POSITION", counted from 0, of {many}, got "{window}:{pos}"'
            raise BadInput(f"edits.{side} must name {where}; take it out or put the windows back")
        if number(value) != number(own[side][window, pos]):
            changed[side][window, pos], same = value, False
    found = replace(reading, start_logits=changed[START], end_logits=changed[END])
    return reading if same else found


def changes(shown: Shown, when: str = "") -> list[Block]:
    """Each logit that was changed, with its side, token and window, from what to what, and the
    press that undoes it; nothing where none was.
    """
    said, names = list[Part](), dict[int, list[str]]()
    for side, k, pos in shown.state.edits.logits:
        window = shown.true.windows[k]
        was, now = (r.logits(k)[side == END][pos] for r in (shown.true, shown.reading))
        if was != now:  # else it was put back
            both = [f" {number(was)} → {number(now)}", side]
            said += ["; " * bool(said), f"{side} logit of ", *parts_at(shown, window, pos)]
            if k not in names:  # hundreds may have changed in one window
                names[k] = [position_name(shown, window, p) for p in range(len(window))]
            at = f"token {window.to_doc(pos) + 1}" if window.is_context[pos] else f"position {pos}"
            said += [f" ({at})"] * (names[k].count(names[k][pos]) > 1)
            said += [both, which_window(shown, window, " ({})")]
    about = remark("by-hand", f"Changed by hand{when}: {{}}.", said, span=8)
    undo = button("undo", "Put the reader's own logits back", {"edits": None}, 4)
    return [about, undo] if said else []


def own_logits(shown: Shown) -> str:
    """What a picture adds that follows no change."""
    return " The reader's own logits count here, not those changed by hand." * shown.changed
