"""One HTML file of all chapters that opens offline: the renderer, plotly and every picture inside.

User text stands in it as JSON in an inert element alone; only the two scripts named by their
digests may run.
"""

import time
from typing import Any

import orjson

from qa_demo.blocks import sentence, travelling
from qa_demo.bundle import one_file, plotly_file, script, style
from qa_demo.model.work import Pending
from qa_demo.pictures import CHAPTERS, Pictures
from qa_demo.shown import NoModel
from qa_demo.state import State, dump

PATIENCE = 120.0
"""Seconds that a chapter's models may take before its place says that it is missing."""


def pictures_of(pictures: Pictures, state: State, patience: float = PATIENCE) -> dict[str, Any]:
    """Every step of every chapter of this state, by "chapter/step". Raises QADemoError for a state
    that has no picture; a chapter that takes too long raises Pending.
    """
    found = {}
    for chapter, module in CHAPTERS.items():
        for step in range(1, len(module.STEPS) + 1):
            asked = state.model_copy(update={"chapter": chapter, "step": step, "veil": False})
            if state.pristine:  # a saved file is of one text, not of each chapter's opening
                asked = asked.model_copy(update={"example": next(iter(pictures.examples))})
            found[f"{chapter}/{step}"] = waited(pictures, asked, patience)
    return found


def waited(pictures: Pictures, state: State, patience: float) -> dict[str, Any]:
    """The picture of a state, however long its models take up to `patience` seconds; where no model
    is at hand, its place says so.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return pictures.picture(state)
        except NoModel as fault:
            heading = CHAPTERS[state.chapter].HEADINGS[state.step - 1]
            blocks = [sentence("heading", "heading", heading), sentence("idea", "idea", str(fault))]
            held = ("chapter", "step", "question", "context", "reader", "selection", "example")
            return {name: getattr(state, name) for name in held} | {
                "blocks": [travelling(b, frozenset()) for b in blocks]
            }
        except Pending:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def saved(found: dict[str, Any], state: State) -> str:
    """The file's text from its pictures."""
    first = found[f"{state.chapter}/{state.step}"]
    names = [[key, module.NAME] for key, module in CHAPTERS.items()]
    data = orjson.dumps({"pictures": found, "state": dump(state), "chapters": names}).decode()
    run = (
        f"{script(saved=True)}\nglobalThis.SAVED = "
        "JSON.parse(document.querySelector('#saved').textContent);\n"
        "mount(document.querySelector('.spanlight'), globalThis.SAVED.chapters);\n"
    )
    scripts, title = (plotly_file().decode(), run), f"Spanlight: {first['question'][:80]}"
    return one_file(title, "saved", data, scripts, style(saved=True))
