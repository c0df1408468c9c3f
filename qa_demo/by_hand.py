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


def told(shown: Shown, when: str = "") -> list[Block]:
    """Where logits were changed: which ones, before any number, and the press that undoes it."""
    said = remark("by-hand", f"Changed by hand{when}: {{}}.", changes(shown), span=8)
    return [said, undo(shown)] if shown.changed else []


def own_logits(shown: Shown) -> str:
    """What a picture adds that follows no change."""
    return " The reader's own logits count here, not those changed by hand." * shown.changed


def undo(shown: Shown) -> Block:
    """The press that puts the reader's own logits back."""
    label = "Put the reader's own logits back"
    return button("undo", label, {"edits": None}, 4, off=not shown.changed)
