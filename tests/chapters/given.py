"""Pictures without a server: examples by their stored readings, models by fakes or real."""

import re
from functools import cache
from typing import Any

import plotly.graph_objects as go

from qa_demo.blocks import Block, walk
from qa_demo.core.base import BadInput
from qa_demo.core.types import Reading, Window
from qa_demo.examples import PoolExample, load_menu
from qa_demo.model.work import AtOnce
from qa_demo.pictures import CHAPTERS, Pictures
from qa_demo.shown import Shown
from qa_demo.state import load
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.odd import HOSTILE

OWN = [
    ("Who?", "x"),
    ("Who?", "Ada"),
    ("?", "…"),
    ("<b>?", HOSTILE * 2),
    ("Where does Ada live?", "Ada lives in Oslo. " * 90),
    ("Who?", "x" * 300 + " saw 厄勒海峡大桥于2000年开通由丹麦建筑师设计。" + "a/" * 90),
]
"""A question and a paragraph each, on which every chapter has to stand."""
EVERY = {"answer", "heading", "idea", "finding", "closing", "exactly", "table", "code"}
"""Keys that every step has, for every text."""
STEPS = [(name, k + 1) for name, chapter in CHAPTERS.items() for k in range(len(chapter.STEPS))]


def refused(name: str = "SpanBERT") -> Any:
    raise BadInput(f"this test asks no {name}")


@cache
def stored() -> Pictures:
    """Examples by what came with them; no model is loaded."""
    return Pictures(load_menu(), refused, refused, PoolExample.stored, AtOnce())


@cache
def faked() -> Pictures:
    """The examples' texts read by the fake reader, without a threshold of its own."""
    reader = FakeReader(threshold=None)
    return Pictures(load_menu(), lambda _: reader, refused, work=AtOnce())


@cache
def full() -> Pictures:
    """The same with tags and a model that fills blanks."""
    reader, filler = FakeReader(bio=True), FakeInfiller()
    return Pictures(load_menu(), lambda _: reader, lambda: filler, work=AtOnce())


@cache
def real() -> Pictures:
    """The examples with the bundled reader and SpanBERT."""
    from qa_demo.model.loading import load_reader
    from qa_demo.model.spanbert import load_spanbert

    reader, filler = cache(load_reader), cache(load_spanbert)
    return Pictures(load_menu(), reader, filler, PoolExample.stored, AtOnce())


def example(name: str) -> dict[str, Any]:
    """The state of an example in the windows that it brings."""
    o = load_menu()[name].options
    return {"example": name, "max_seq_length": o.max_seq_length, "doc_stride": o.doc_stride}


def shown_of(pictures: Pictures, **state: Any) -> Shown:
    """What a chapter is handed in this state."""
    return pictures.shown(load(state))


def items(text: Block) -> list[dict[str, Any]]:
    """The pieces of a text block, each with what stands on it."""
    return [one for segment in text["segments"] for one in segment["items"]]


def pairs(reading: Reading, window: Window) -> list[tuple[float, int, int]]:
    """Every allowed pair of a window by the rule's own words: score, start and end in pieces."""
    start, end = (x.astype(float) for x in reading.logits(window.index))
    return [
        (start[window.to_pos(i)] + end[window.to_pos(j)], i, j)
        for i in range(window.doc_start, window.doc_stop)
        if window.is_max_context[window.to_pos(i)]
        for j in range(i, min(i + 30, window.doc_stop))
    ]


def blocks(pictures: Pictures, **state: Any) -> dict[str, Block]:
    """All blocks of a state by key, those in groups and folds too; every figure is plotly's, with
    no markup of a text in it; the closing line is short. plotly checks one figure of each form.
    """
    found = {b["key"]: b for b in walk(pictures.blocks(load(state))[0])}
    assert len(words(found.get("closing", {"kind": ""})).split()) <= 24
    for block in found.values():
        if block["kind"] == "figure":
            drawn = str([block.get(x) for x in ("data", "layout", "overlay", "narrow")])
            assert "<" not in re.sub(r"</?(b|br|extra|sub)>|<(?=[\d.])", "", drawn), block["key"]
            # a name with these words would be taken for one of the two boxes
            assert "question" not in block["alt"].lower(), block["alt"]
            assert "paragraph" not in block["alt"].lower(), block["alt"]
            data = [{k: v for k, v in t.items() if k != "sets"} for t in block["data"]]
            data = [dict(t) for t in cleaned(data)]
            for trace in data:
                trace.pop("colorscale", None)
            figure = {"data": data, "layout": cleaned(block["layout"])}
            for one in (figure, {"layout": cleaned(block.get("overlay", {}))}):
                if (seen := form(one)) not in FORMS:
                    go.Figure(one)
                    FORMS.add(seen)
    return found


FORMS: set[Any] = set()
"""Of the figures that plotly has checked: it takes longer to check one than to make it."""


def form(value: Any) -> Any:
    """The fields of a figure and the types of their values; of a list those that stand in it."""
    if isinstance(value, dict):
        return tuple(sorted((key, form(inner)) for key, inner in value.items()))
    return frozenset(map(form, value)) if isinstance(value, list) else type(value)


def cleaned(value: Any, key: str = "") -> Any:
    """A figure's dictionary with a colour in the place of every role: only they stand there."""
    if isinstance(value, dict):
        return {k: cleaned(v, k) for k, v in value.items()}
    if isinstance(value, list) and key != "marker":
        return [cleaned(v, key) for v in value]
    return "#123456" if isinstance(value, str) and "color" in key.lower() else value


def words(block: Block) -> str:
    """What a sentence, a formula, a legend or a table says, as one text."""
    lines = block.get("lines") or [block.get("parts", [])]
    if block["kind"] == "legend":
        lines = [parts for _, _, parts in block["items"]]
    if block["kind"] == "table":
        lines = [[[c, ""] for c in r["cells"]] for r in block["rows"]]
    return "\n".join("".join(text for text, _ in line) for line in lines)
