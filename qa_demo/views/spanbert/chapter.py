"""Chapter 8, SpanBERT: hide words, guess them from inside and from the boundary, and see what is
left after pre-training.

The chapter has three steps, of which one is drawn at a time: "mask", "predict", "closing". All
three show one frozen `Lab` (lab.py), kept for each visitor in `Screen.own` with the step that is
open: `page.input("step", key)`. Notice, formula and tables are those of the open step.

- Browser: mask.js, predict.js and closing.js each draw one step into a node of its own, as often as
  they are asked. `picture.predict` is None while another step is open or no model is in memory,
  `picture.closing` while another is open: then the step is not drawn and its place says why.
- Python: mask.py and predict.py have a dict of handlers each, `ASKS = {name: handler(lab, value,
  model) -> Lab}`. They may raise a `QADemoError`. A handler that hides other pieces uses
  `masked_lab`, which also draws the single pieces and chooses a blank. One that changes an observed
  piece leaves `beside` alone. `predict.present` may run the model, and is called on every change of
  the lab while its step is open.
- The model comes from a `ModelCache`: loaded when the chapter is first opened, released when nobody
  used it or memory runs short.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast, get_args

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.words import fixed_words
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import POSITIONS
from qa_demo.core.masking.span_masking import DEFAULTS
from qa_demo.core.types import Encoding
from qa_demo.figures.payload import page_data
from qa_demo.figures.spanbert import picture as figure
from qa_demo.figures.spanbert.code import spanbert_code
from qa_demo.figures.spanbert.mask import mask_formula
from qa_demo.views import parse
from qa_demo.views.background import Busy, Job
from qa_demo.views.frame import Frame
from qa_demo.views.session.errors import attempt
from qa_demo.views.spanbert import linked, mask, mask_shown, predict
from qa_demo.views.spanbert.lab import (
    BUNDLED,
    KEY,
    MOST_PIECES,
    Kept,
    Lab,
    Step,
    kept_of,
    lab_of,
    name_of,
)
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(
    KEY, 8, "SpanBERT", "Other heads", "What do the words around a hidden span know about it?"
)
LINKED = linked.LINKED
SLOW = ("load", "mask-text", "mask-passage", "mask-reading")
MOST_BLANKS = 12
"""Blanks whose arithmetic a saved reading takes along beside the chosen one's."""
WAITING = "Nothing is hidden yet: the chapter's text is being prepared."
LOADING = "No guess is here yet: the model is being loaded."
OTHER_PIECES = (
    "the model was loaded meanwhile, and the text is being cut into its pieces; "
    "try again in a moment"
)


def present(screen: Screen) -> dict[str, Any]:
    """The open step with notice and tables; the model runs for its guesses alone."""
    kept = kept_of(screen)
    lab, model, step = kept.lab, kept.model, kept.step
    released = model is None and kept.failed is None and kept.keeper is not None
    ready = lab is not None and (step != "predict" if released else kept.fits(model))
    shown: dict[Step, dict[str, Any] | None] = {
        "mask": None if lab is None else mask_shown.present(lab),
        "predict": predict.present(lab, model)
        if step == "predict" and lab is not None and model is not None and kept.fits(model)
        else None,
        "closing": figure.closing_data(stored("metrics"), stored("ablation"))
        if step == "closing"
        else None,
    }
    waiting = f"{kept.failed}; so nothing can be predicted." if kept.failed else LOADING
    notice, tables = WAITING if lab is None else waiting, []
    for name, drawn in shown.items():
        if drawn is not None:
            own = drawn.pop("notice"), drawn.pop("tables")
            notice, tables = own if name == step else (notice, tables)
    picture = {"step": step, "ready": ready, "failed": kept.failed, **shown}
    return page_data(
        CHAPTER.question, picture, notice, fixed_words(CHAPTER.key)["simplified"], tables
    )


def stored(name: str) -> Any:
    """What training measured and left beside the bundled weights."""
    return json.loads((ASSETS / "spanbert" / f"{name}.json").read_text(encoding="utf-8"))


def formula(screen: Screen) -> list[dict[str, str]]:
    """The length law and the budget with the lab's numbers, in the first step alone."""
    lab, step = kept_of(screen).lab, kept_of(screen).step
    if step != "mask":
        return []
    if lab is None:
        return mask_formula(None, DEFAULTS)
    return mask_formula(
        len(lab.encoding.context_ids), lab.options, len(lab.masked.hidden) if lab.by_hand else None
    )


def change_step(screen: Screen, value: Any) -> Screen:
    """Another step of the chapter; the guesses are made when theirs is opened."""
    step = cast(Step, parse.choice(value, "the step", get_args(Step)))
    return screen.keep(KEY, replace(kept_of(screen), step=step))


def asked(handler: Callable[[Lab, Any, Any], Lab], screen: Screen, value: Any) -> Screen:
    """Run a handler of a lab with the model, loaded again if released, else with None; before there
    is a lab nothing happens.
    """
    kept = kept_of(screen)
    model = None if kept.keeper is None or kept.failed is not None else kept.keeper.get(BUNDLED)
    if model is None and handler in predict.ASKS.values():
        raise BadInput(f"{kept.failed or mask.NO_MODEL}; so nothing can be predicted")
    if kept.lab is not None and not kept.fits(model):
        raise BadInput(OTHER_PIECES)
    return (
        screen
        if kept.lab is None
        else screen.keep(KEY, replace(kept, lab=handler(kept.lab, value, model)))
    )


def work(job: Job) -> Kept:
    """Load the model, or find out why there is none, and encode the text that is asked for; a lab
    of this model stays for "load".
    """
    kept, name, keeper = kept_of(job.screen), job.name, job.services.infillers
    model, failed = (
        (None, mask.NO_MODEL) if keeper is None else attempt(lambda: keeper.get(BUNDLED))
    )

    def encode(text: str) -> Encoding:
        return (
            model.encode(text, MOST_PIECES)
            if model is not None
            else mask.encode_by(job.reader, text)
        )

    if name == "load" and linked.wants(job.screen):
        lab = linked_or_opening(job.screen, encode, model)
    elif name != "load" or kept.lab is None:
        lab = mask.text_lab(job.screen, name, job.value, encode, model)
    else:
        lab = (
            kept.lab
            if kept.lab.model == name_of(model)
            else mask.same_text(kept.lab, encode, model)
        )
    return replace(kept, lab=lab, keeper=keeper, failed=failed, wanted=None)


def linked_or_opening(
    screen: Screen, encode: Callable[[str], Encoding], model: Infiller | None
) -> Lab:
    """The lab of a link; where it cannot be made, the opening one, which says so."""
    try:
        return linked.linked_lab(screen, encode, model)
    except (BadInput, ModelUnavailable) as error:
        lab = mask.text_lab(screen, "load", None, encode, model)
        return replace(lab, said=f"The text of this link could not be shown: {error}.")


def opening(screen: Screen) -> list[tuple[str, Any]]:
    """What is asked for when the chapter is opened, when its steps are, and when a blank is chosen;
    the open step comes last and stays, and so does the chosen blank.
    """
    lab, step = kept_of(screen).lab, kept_of(screen).step
    asked: list[tuple[str, Any]] = [("load", True)]
    for one in (*(other for other in get_args(Step) if other != step), step):
        asked.append(("step", one))
        if one == "predict" and lab is not None:
            own = predict.chosen(lab)
            others = [int(at) for at in lab.masked.hidden if at != own][:MOST_BLANKS]
            asked += [("predict-blank", at) for at in (*others, own)]
    return asked


def receive(screen: Screen, job: Job, made: Kept) -> Screen:
    """Put what the slow request made on the screen as it is by now.

    A model that came back leaves the lab alone. Who went on while a model was loading keeps what
    was done: a lab that does not fit its model is not ready, the browser asks for it once more and
    `work` cuts the same text anew.
    """
    before, now = kept_of(job.screen), kept_of(screen)
    other_text = (
        before.lab is not None and made.lab is not None and made.lab.text != before.lab.text
    )
    lab = made.lab if now.lab is before.lab or other_text else now.lab
    return screen.keep(KEY, replace(made, step=now.step, lab=lab))


def busy(job: Job) -> Busy:
    """The first request loads the model, the others encode a text."""
    return Busy(figure.BUSY["load" if kept_of(job.screen).model is None else "text"])


def code(screen: Screen) -> str:
    """Plain torch that fills the blanks of this text."""
    kept, lab = kept_of(screen), lab_of(screen)
    if lab is None or lab.model is None:
        raise BadInput(kept.failed or WAITING.removesuffix("."))
    positions = POSITIONS if kept.model is None else kept.model.positions
    return spanbert_code(lab.text, lab.masked, BUNDLED, lab.model, positions, lab.cut)


def build(frame: Frame) -> None:
    """Quick requests change the lab, slow ones load and encode. It outlives a reading."""
    for name, asks in (mask.ASKS | predict.ASKS).items():
        frame.browser_input(CHAPTER, name, partial(asked, asks))
    frame.browser_input(CHAPTER, "step", change_step)
    frame.background(CHAPTER, SLOW, work, receive, busy, outlives=True, loads=True)
