"""Logits changed by hand: which ones, the press that undoes it, and what does not follow them."""

from qa_demo.blocks import END, START, Block, button, remark
from qa_demo.printed import Part, number
from qa_demo.shown import Shown
from qa_demo.texts import said_at, which_window


def changes(shown: Shown) -> list[Part]:
    """Each logit that was changed by hand: its side, token and window, from what to what."""
    said = list[Part]()
    for (side, k, pos), now in shown.state.edits.logits.items():
        window = shown.true.windows[k]
        was = dict(zip((START, END), shown.true.logits(k), strict=True))[side][pos]
        both = [f" {number(was)} → {number(now)}", side]
        where = which_window(shown, window, " ({})")
        said += ["; " * bool(said), f"{side} logit of ", *said_at(shown, window, pos), both, where]
    return said


def told(shown: Shown, when: str = "", untouched: str = "") -> list[Block]:
    """Which logits were changed and the press that undoes it; else what is said `untouched`."""
    said = f"Changed by hand{when}: {{}}." if shown.changed else untouched
    label = "Put the reader's own logits back"
    undo = button("undo", label, {"edits": None}, 4, off=not shown.changed)
    return [remark("by-hand", said, changes(shown), span=8), undo] if said else []


def own_logits(shown: Shown) -> str:
    """What a picture adds that follows no change."""
    return " The reader's own logits count here, not those changed by hand." * shown.changed
