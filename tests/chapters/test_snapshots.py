"""What each step says of eight examples, and what stands around it for two of them, as it was when
somebody last looked; `pytest --snapshot-update` takes what it says now. Every number of a sentence
is tested elsewhere too.
"""

import re

import orjson
import pytest

from qa_demo.blocks import Block
from tests.chapters.given import STEPS, blocks, full, words

EXAMPLES = ("nobel-1903", "south-pole", "reef", "emoji", "khwarizmi", "danube")
WHOLE = ("oresund", "brooklyn")
ELSEWHERE = {"code", "fold", "heading", "answer"}  # tested by other means, or of one fixed form
CONTENT = {"kind", "key", "span", "blocks", "segments", "data", "layout", "overlay", "narrow"}
PLACED = {"text", "title", "ticktext", "font", "xanchor", "fillcolor", *"xy"}
PLACED |= {"x0", "x1", "y0", "y1", "range"}


def told(block: Block) -> str:
    """A block with its roles on one line: of a table the first rows, of a figure no values."""
    made = {k: v for k, v in block.items() if k not in CONTENT}
    made |= {"rows": block["rows"][:3]} if "rows" in block else {}
    if block["kind"] == "figure":
        both = block["layout"], block.get("overlay", {})
        each = [x for y in both for name in ("annotations", "shapes") for x in y.get(name, ())]
        each += [block["layout"][axis] for axis in ("xaxis", "yaxis")]
        made["drawn"] = [{k: x[k] for k in PLACED & {*x}} for x in each]
        kept = ("marker", "line", "insidetextfont", "sets")
        made["points"] = [{k: x[k] for k in kept if k in x} for x in block["data"]]
    text = orjson.dumps(made, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_SORT_KEYS).decode()
    number = r"(?<=[:,[])-?\d+\.[\de-]+(?=[],}])"  # without the last digits, which machines change
    return re.sub(number, lambda found: f"{float(found[0]):.4g}", text)


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_what_a_step_says_is_what_it_said(chapter, step, snapshot):
    said = dict[str, object]()
    for name in EXAMPLES + WHOLE:
        found = blocks(full(), chapter=chapter, step=step, example=name)
        if name in WHOLE:
            said[name] = {k: told(b) for k, b in found.items() if not ELSEWHERE & {b["kind"], k}}
        else:
            kept = [
                b for b in found.values() if b.get("role") == "finding" or b["kind"] == "formula"
            ]
            said[name] = [words(b) for b in kept]
    assert said == snapshot
