"""A reading in a notebook: any chapter's figure as plotly's own, and the whole page of it."""

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qa_demo.blocks import Block, walk
from qa_demo.core.base import BadInput
from qa_demo.core.types import Reading
from qa_demo.pictures import Pictures
from qa_demo.shown import Need, without_model
from qa_demo.state import Chapter, State

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COLOURS = {
    "ink": "#1b1b1a",
    "grey": "#5f5d57",
    "line": "#e4e0d6",
    "shade": "#e9e4d8",
    "mid": "#cbc4b3",
    "paper": "#fbfaf7",
    "low": "#f3f0e8",
    "start": "#00659f",
    "end": "#a34500",
    "gold": "#00704f",
    "tag-b": "#5b2d90",
    "tag-i": "#c2a3e6",
    "tag-o": "#dfd9c9",
}
SCALES = {"score": ("low", "ink"), "share": ("paper", "ink")}


@dataclass(frozen=True)
class Held(Pictures):
    """Pictures of one reading that is at hand: for a notebook and tests."""

    reading: Reading | None = None

    @classmethod
    def of(cls, reading: Reading) -> "Held":
        """The pictures of a reading; those that ask a model are refused."""
        return cls({}, without_model, without_model, reading=reading)

    def read(self, *_: Any) -> tuple[Reading, Need]:
        """The reading."""
        assert self.reading is not None
        return self.reading, without_model


def picture_of(reading: Reading, state: State) -> list[Block]:
    """The blocks of a chapter for a reading that is at hand; its texts and windows count."""
    texts = {"question": reading.encoding.question, "context": reading.encoding.context}
    options = reading.options
    windows = {"max_seq_length": options.max_seq_length, "doc_stride": options.doc_stride}
    asked = state.model_copy(update={**texts, **windows, "example": None})
    return Held.of(reading).blocks(asked)[0]


def plot(reading: Reading, chapter: Chapter, step: int = 1, **fields: Any) -> "Figure":
    """The figure of a chapter's step as a `go.Figure`; `fields` are the state's, such as
    selection=(3, 5). Errors: BadInput where the step has no figure or asks a model.
    """
    from plotly.graph_objects import Figure

    blocks = picture_of(reading, State(chapter=chapter, step=step, **fields))
    found = next((b for b in walk(blocks) if b["kind"] == "figure"), None)
    if found is None:
        raise BadInput(f"step {step} of chapter {chapter} is drawn in the text, not as a figure")
    return Figure(coloured(found))


def coloured(block: Block) -> dict[str, Any]:
    """A figure block as plotly's dictionary, the overlay within it and colours for roles."""
    layout, over = dict(block["layout"]), block.get("overlay", {})
    for name in ("shapes", "annotations"):
        layout[name] = [*layout.get(name, []), *over.get(name, [])]
    data = [{k: v for k, v in t.items() if k != "sets"} for t in block["data"]]
    whole: dict[str, Any] = _coloured({"data": data, "layout": layout})
    return whole


def _coloured(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _coloured(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_coloured(v, key) for v in value]
    if not isinstance(value, str) or "color" not in key.lower():
        return value
    if key == "colorscale" and value in SCALES:
        low, high = (COLOURS[role] for role in SCALES[value])
        return [[0, low], [1, high]]
    scale, _, share = value.partition(":")
    if scale in SCALES and share:
        ends = [[int(COLOURS[r][k : k + 2], 16) for k in (1, 3, 5)] for r in SCALES[scale]]
        mixed = [round(a + (b - a) * float(share)) for a, b in zip(*ends, strict=True)]
        return f"rgb({','.join(map(str, mixed))})"
    return COLOURS.get(value, value)


def as_page(reading: Reading) -> str:
    """The page of a reading as a frame that a notebook shows; chapters that ask a model say so."""
    from qa_demo.bundle import plotly_file, script, style
    from qa_demo.saved import pictures_of, saved

    state = State(question=reading.encoding.question, context=reading.encoding.context)
    found = pictures_of(Held.of(reading), state)
    text = saved(found, state, script(saved=True), plotly_file().decode(), style(saved=True))
    return (
        f'<iframe srcdoc="{html.escape(text)}" style="width:100%;height:820px;border:0"></iframe>'
    )
