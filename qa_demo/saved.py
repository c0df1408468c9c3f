"""Pictures outside the running page: all chapters as one HTML file, a reading in a notebook, any
chapter's figure as plotly's own.
"""

import html
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from qa_demo.blocks import sentence, travelling, walk
from qa_demo.bundle import one_file, script, style
from qa_demo.core.base import BadInput
from qa_demo.core.types import Reading
from qa_demo.model.work import AtOnce
from qa_demo.pictures import CHAPTERS, CUT, Pictures
from qa_demo.shown import NoModel, without_model
from qa_demo.state import Chapter, State, dump, load

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SCALES = {"score": ("low", "ink"), "share": ("paper", "ink")}


# ---- one file


def pictures_of(
    pictures: Pictures, state: State, found: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Every step of every chapter of this state, by "chapter/step"; where no model is at hand, its
    place says so. Raises Pending while one works; `found` then holds those made before, to go on
    with. Errors: QADemoError for a state without a picture.
    """
    found = {} if found is None else found
    pictures.opened(state)  # refuses a step that its chapter has not
    if state.pristine:  # a saved file is of one text, not of each chapter's opening
        state = state.model_copy(update={"example": next(iter(pictures.examples))})
    for chapter, module in CHAPTERS.items():
        for step, (_, heading) in enumerate(module.STEPS, 1):
            asked = {"chapter": chapter, "step": step, "veil": False}
            one, name = state.model_copy(update=asked), f"{chapter}/{step}"
            if name in found:
                continue
            try:
                found[name] = pictures.picture(one)
            except NoModel as fault:
                said = sentence("heading", "heading", heading), sentence("idea", "idea", str(fault))
                blocks = [travelling(block, frozenset()) for block in said]
                found[name] = one.model_dump(exclude={"edits", "own"}) | {"blocks": blocks}
    return found


def saved(found: dict[str, Any], state: State) -> str:
    """One HTML file from its pictures, which opens offline: renderer and plotly inside. User text
    stands in it as JSON in an inert element alone; only two scripts, named by their digests, run.
    """
    question = found[f"{state.chapter}/{state.step}"]["question"]
    names = [[key, module.NAME] for key, module in CHAPTERS.items()]
    data = orjson.dumps({"pictures": found, "state": dump(state), "chapters": names}).decode()
    run = (
        f"{script(saved=True)}\nglobalThis.SAVED = "
        "JSON.parse(document.querySelector('#saved').textContent);\n"
        "mount(document.querySelector('.spanlight'), globalThis.SAVED.chapters);\n"
    )
    return one_file(f"Spanlight: {question[:80]}", "saved", data, run)


# ---- a reading that is at hand


class Held(Pictures):
    """Pictures of one reading; without the model that a chapter asks they are refused."""

    def __init__(self, reading: Reading, model: Any = None) -> None:
        asked = without_model if model is None else lambda *_: model
        super().__init__({}, asked, asked, work=AtOnce())
        self.held = reading

    def reading(self, *_: Any) -> Reading:
        return self.held


def as_page(reading: Reading) -> str:
    """The page of a reading as a frame that a notebook shows; chapters that ask a model say so."""
    state = State(question=reading.encoding.question, context=reading.encoding.context)
    text = html.escape(saved(pictures_of(Held(reading), state), state))
    return f'<iframe srcdoc="{text}" style="width:100%;height:820px;border:0"></iframe>'


def plot(
    reading: Reading, chapter: Chapter, step: int = 1, model: Any = None, **fields: Any
) -> "Figure":
    """The figure of a chapter's step as a `go.Figure`; `fields` are the state's, such as
    selection=(3, 5). `model` is the reader of the reading where a step asks it (scores, why, bio of
    another reader than the bundled one), a loaded SpanBERT for spanbert. Errors: BadInput where the
    step has no figure or lacks its model.
    """
    from plotly.graph_objects import Figure

    own: dict[str, Any] = {name: getattr(reading.options, name) for name in CUT}
    own |= {"question": reading.encoding.question, "context": reading.encoding.context}
    own |= {"example": None, "reader": "bundled"}
    if named := own.keys() & fields.keys():
        raise BadInput(f"{min(named)} is the reading's own; another one is read anew")
    state = load({"chapter": chapter, "step": step, **fields}).model_copy(update=own)
    has = "infill" if chapter == "spanbert" else "read"  # one of the other kind is none
    blocks = Held(reading, model if hasattr(model, has) else None).blocks(state)[0]
    found = next((b for b in walk(blocks) if b["kind"] == "figure"), None)
    if found is None:
        raise BadInput(f"step {step} of chapter {chapter} is drawn in the text, not as a figure")
    layout, over = dict(found["layout"]), found.get("overlay", {})
    for name in ("shapes", "annotations"):
        layout[name] = [*layout.get(name, []), *over.get(name, [])]
    data = [{k: v for k, v in trace.items() if k != "sets"} for trace in found["data"]]
    return Figure(coloured({"data": data, "layout": layout}))


@cache
def colours() -> dict[str, str]:
    """Each role's colour on a light page, from the page's own sheet."""
    return dict(re.findall(r"--([\w-]+): (#\w{6})", style().partition("}")[0]))


def coloured(value: Any, key: str = "") -> Any:
    """A figure's dictionary with colours in the place of roles."""
    if isinstance(value, dict):
        return {k: coloured(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [coloured(v, key) for v in value]
    if not isinstance(value, str) or "color" not in key.lower():
        return value
    if key == "colorscale" and value in SCALES:
        return [[k, colours()[role]] for k, role in enumerate(SCALES[value])]
    scale, _, share = value.partition(":")
    if scale in SCALES:
        low, high = (bytes.fromhex(colours()[role][1:]) for role in SCALES[scale])
        mixed = [round(a + (b - a) * float(share)) for a, b in zip(low, high, strict=True)]
        return f"rgb({','.join(map(str, mixed))})"
    return colours().get(value, value)
