"""A reading in a notebook: any chapter's figure as plotly's own, and the whole page of it."""

import html
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from qa_demo.blocks import Block, walk
from qa_demo.bundle import style
from qa_demo.core.base import BadInput
from qa_demo.core.types import Reading
from qa_demo.pictures import Pictures
from qa_demo.shown import Need, without_model
from qa_demo.state import Chapter, State, load

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SCALES = {"score": ("low", "ink"), "share": ("paper", "ink")}


@cache
def colours() -> dict[str, str]:
    """Each role's colour on a light page, from the page's own sheet."""
    return dict(re.findall(r"--([\w-]+): (#\w{6})", style().partition("}")[0]))


@dataclass(frozen=True)
class Held(Pictures):
    """Pictures of one reading that is at hand: for a notebook and tests."""

    reading: Reading | None = None
    model: Any = None

    @classmethod
    def of(cls, reading: Reading, model: Any = None) -> "Held":
        """The pictures of a reading; without the model that a chapter asks they are refused."""
        return cls({}, without_model, without_model, reading=reading, model=model)

    def read(self, *_: Any) -> tuple[Reading, Need]:
        """The reading."""
        assert self.reading is not None
        return self.reading, without_model if self.model is None else self.ask

    def ask(self, key: Any, make: Any, *, of: str = "reader", slow: bool = False) -> Any:
        """What the model at hand makes, at once."""
        return make(self.model, lambda *_: None, lambda: False)


def picture_of(reading: Reading, state: State, model: Any = None) -> list[Block]:
    """The blocks of a chapter for a reading that is at hand; its texts and windows count."""
    texts = {"question": reading.encoding.question, "context": reading.encoding.context}
    options = reading.options
    windows = {"max_seq_length": options.max_seq_length, "doc_stride": options.doc_stride}
    asked = state.model_copy(update={**texts, **windows, "example": None})
    return Held.of(reading, model).blocks(asked)[0]


def plot(
    reading: Reading, chapter: Chapter, step: int = 1, model: Any = None, **fields: Any
) -> "Figure":
    """The figure of a chapter's step as a `go.Figure`; `fields` are the state's, such as
    selection=(3, 5). `model` is the reader of the reading where a step asks it (scores, why), a
    loaded SpanBERT for spanbert. Errors: BadInput where the step has no figure or lacks its model.
    """
    from plotly.graph_objects import Figure

    blocks = picture_of(reading, load({"chapter": chapter, "step": step, **fields}), model)
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
        low, high = (colours()[role] for role in SCALES[value])
        return [[0, low], [1, high]]
    scale, _, share = value.partition(":")
    if scale in SCALES and share:
        ends = [[int(colours()[r][k : k + 2], 16) for k in (1, 3, 5)] for r in SCALES[scale]]
        mixed = [round(a + (b - a) * float(share)) for a, b in zip(*ends, strict=True)]
        return f"rgb({','.join(map(str, mixed))})"
    return colours().get(value, value)


def as_page(reading: Reading) -> str:
    """The page of a reading as a frame that a notebook shows; chapters that ask a model say so."""
    from qa_demo.saved import pictures_of, saved

    state = State(question=reading.encoding.question, context=reading.encoding.context)
    text = html.escape(saved(pictures_of(Held.of(reading), state), state))
    return f'<iframe srcdoc="{text}" style="width:100%;height:820px;border:0"></iframe>'
