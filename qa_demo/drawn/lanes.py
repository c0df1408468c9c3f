"""A window as text with a value on its words: bars or arrows, of starts above and of ends below."""

from collections.abc import Sequence

import numpy as np

from qa_demo.blocks import END, START, Block
from qa_demo.core.base import Floats
from qa_demo.core.types import Encoding, Span, Window
from qa_demo.printed import probability, signed
from qa_demo.texts import item, mark, paragraph_items, question_items, segment, shortened, text

LONG = 130
"""From so many pieces on a paragraph is shown without its quiet middle parts."""


def window_text(
    key: str,
    e: Encoding,
    window: Window,
    values: tuple[Floats, Floats],
    least: float,
    marked: Sequence[Span | None],
    name: str,
    arrows: bool,
    height: int,
) -> Block:
    """Values [n] of starts and of ends, at least `least` in size, on the words; the spans `marked`
    carry the mark `name`, or [CLS] does. Question and [SEP] stand there if something of theirs is
    drawn; of a long paragraph only what lies near a value or a mark.
    """
    drawn = [lifts(e, window, v, least, height) for v in values]

    def valued(one: Block, pos: int) -> Block:
        for lane, v, at in zip(("up", "down"), values, drawn, strict=True):
            if pos in at:
                said = signed(v[pos], 3) if arrows else probability(float(v[pos]))
                one[lane] = [round(float(v[pos]), 4), said, at[pos]]
        return one

    held = {span for span in marked if span is not None and window.holds(span)}
    marks = ["special", *[name] * any(span not in held for span in marked)]
    null = valued(item("[CLS] no answer", "  ", marks=marks), 0)
    asked = [*question_items(e), item("[SEP]", marks=["special"])]
    asked = [valued(one, window.context_at - len(asked) + k) for k, one in enumerate(asked)]
    inside = paragraph_items(e, window.doc_start, window.doc_stop)
    for span in held:
        mark(inside, span, name)
    inside = [valued(one, window.context_at + k) for k, one in enumerate(inside)]
    shown = shortened(inside, least) if len(inside) > LONG else inside
    last = valued(item("[SEP]", marks=["special"]), len(window) - 1)
    shown = [*shown, *[last] * has_value(last)]
    segments = [segment([null, *shown], "paragraph")]
    if any(map(has_value, asked)):
        segments = [segment([null, *asked], "question"), segment(shown, "paragraph")]
    return text(key, *segments, up=START, down=END, height=height, arrows=arrows)


def has_value(one: Block) -> bool:
    """Whether something is drawn on an item."""
    return "up" in one or "down" in one


def lifts(e: Encoding, w: Window, values: Floats, least: float, height: int) -> dict[int, int]:
    """The positions drawn, and by how many rows each label is raised so that none touch."""
    placed, found = list[tuple[float, float]](), dict[int, int]()
    for pos in np.flatnonzero(np.abs(values) >= least).tolist():
        x = float(e.offset_mapping[w.to_doc(pos)].mean()) if w.is_context[pos] else 9.0 * pos - 9999
        y, lift = max(9.0, abs(float(values[pos])) * height), 0
        while any(abs(x - a) < 6 and abs(y + 17 * lift - b) < 17 for a, b in placed) and lift < 4:
            lift += 1
        placed.append((x, y + 17 * lift))
        found[pos] = lift
    return found
