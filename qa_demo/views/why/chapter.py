"""Chapter 9, Why: where the reader looked, what a score rested on, how far to trust it."""

from collections.abc import Iterator
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import BASELINES, KINDS, METHODS, Target, window_of
from qa_demo.core.reading.words import words
from qa_demo.core.types import Reading
from qa_demo.figures.methods import METHOD_NAMES
from qa_demo.figures.numbers import decimals_for, number
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.reading import simplified
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import attribution as rested
from qa_demo.figures.why.code import why_code
from qa_demo.views import selection, what_if
from qa_demo.views.answers import shown
from qa_demo.views.background import Busy, Job, Wanted
from qa_demo.views.code import shown_of
from qa_demo.views.explaining import Work
from qa_demo.views.frame import Frame
from qa_demo.views.state import Chapter, Screen
from qa_demo.views.why import linked
from qa_demo.views.why import trust as trusted
from qa_demo.views.why.answers import ANSWERS, Asked
from qa_demo.views.why.choice import KEY, Choice, choice_of, other_names, score_name, target_of

CHAPTER = Chapter(
    KEY, 9, "Why", "Why", "Where did the reader look, and what did the score rest on?"
)

NOTHING = "Nothing is selected, so there is no score to explain."
MOST_SEATS = 600_000
"""Numbers of all heads together that a saved reading takes along."""
LINKED = linked.LINKED
"""What of this chapter travels in a link: the question, not what was computed for it."""


def present(screen: Screen) -> dict[str, Any]:
    """The seats of the selected window, the menus, and all that was found out about this target."""
    target, choice = target_of(screen), choice_of(screen)
    fixed = simplified(KEY, screen.reading.encoding)
    if target is None:
        return page_data(CHAPTER.question, {"target": None, "reply": None}, NOTHING, fixed)
    reading, window = screen.reading, window_of(screen.reading, target)
    picture = {
        "reply": None,
        "window": window.index,
        "seats": looked.seats(reading.encoding, window),
        "target": {
            "kind": target.kind,
            "start": target.span.start,
            "end": target.span.end,
            "other": None if target.other is None else [target.other.start, target.other.end],
        },
        "method": choice.method,
        "baseline": choice.baseline,
        "wait": trusted.waits(reading, target),
        "attention": trusted.NAMES["attention"],
        "menus": {
            "target": [[k, rested.KIND_NAMES[k]] for k in KINDS],
            "method": [[m, METHOD_NAMES[m]] for m in METHODS],
            "baseline": [[b, rested.BASELINE_NAMES[b]] for b in BASELINES],
            "other": other_names(screen),
        },
    }
    own, start, tables = known(reading, target, choice)
    picture["notices"] = {step: own.get(step, start) for step in ("looked", "rested", "trust")}
    said = " ".join([*own.values()][:2]) or start
    return page_data(CHAPTER.question, picture, said, fixed, tables)


def known(
    reading: Reading, target: Target, choice: Choice
) -> tuple[dict[str, str], str, list[dict[str, Any]]]:
    """What each step has found out, the verdict first; what a step says before; table twins."""
    window, said, tables = window_of(reading, target), dict[str, str](), []
    how, name = (choice.method, choice.baseline), score_name(target)
    verdict, measured_tables = trusted.known(reading, target, *how, name)
    if verdict is not None:
        said["trust"] = verdict
    lanes = Work.attribution.known(reading, target, *how, None)
    if lanes is not None:
        said["rested"] = rested.attribution_notice(reading, lanes.found)
        tables.append(rested.lanes_table(reading, lanes.found))
    heads = Work.attention.known(reading, window)
    if heads is not None:
        said["looked"] = looked.attention_notice(heads, reading.encoding, window, target.span)
        tables.append(looked.grid_table(heads, reading.encoding, window, target.span))
    summaries = Work.relevance.known(reading, window, target)
    if summaries is not None:
        tables.append(looked.relevance_table(summaries, words(reading.encoding, window)))
    tables += measured_tables
    value = rested.value_of(reading, target, window)
    start = f"{name[0].upper()}{name[1:]} of this span is {number(value, decimals_for([value]))}."
    return said, start, tables


def formula(screen: Screen) -> list[dict[str, str]]:
    """F, the number that is explained, with this reading's logits."""
    target = target_of(screen)
    if target is None:
        return [part("F = s", "quiet"), part("i", "sub"), part(" + e", "quiet"), part("j", "sub")]
    window = window_of(screen.reading, target)
    return what_if.before(screen, rested.target_formula(screen.reading, target, window))


def opening(screen: Screen) -> Iterator[tuple[str, Any]]:
    """What the first two steps ask for with the choice in use: the head that is drawn first, and in
    a short window all others, the last layer's before those below.
    """
    chosen, target, choice = screen.selection, target_of(screen), choice_of(screen)
    if chosen is None or target is None:
        return
    base = {
        "span": [chosen.window, chosen.span.start, chosen.span.end],
        "choice": {
            "kind": target.kind,
            "other": None if target.other is None else [target.other.start, target.other.end],
            "method": choice.method,
            "baseline": choice.baseline,
        },
    }
    for what in ("seats", "attention", "relevance", "attribution"):
        yield "ask", {"what": what, **base}
    yield "ask", {"what": "attribution", **base, "few": True}
    window = window_of(screen.reading, target)
    heads = Work.attention.known(screen.reading, window)
    if heads is None:
        return
    top = looked.grid_data(heads, screen.reading.encoding, window, target.span)["top"]
    layers = reversed(range(heads.n_layers))
    every = [top, *([n, k] for n in layers for k in range(heads.n_heads) if [n, k] != top)]
    for layer, head in every if len(every) * len(window) ** 2 <= MOST_SEATS else [top]:
        yield "ask", {"what": "head", **base, "layer": layer, "head": head}


def asked_of(screen: Screen, value: Any) -> Screen:
    """The screen as the browser saw it when it asked: its selection and its choice."""
    if not isinstance(value, dict) or value.get("what") not in ANSWERS:
        raise BadInput(f"chapter 9 can be asked for {', '.join(ANSWERS)}, got {str(value)[:60]}")
    seen = screen.select(selection.parse(screen.reading, value.get("span")))
    return linked.change_choice(seen, value.get("choice"))


def reply(screen: Screen, value: Any, work: Work) -> dict[str, Any]:
    """The chapter's payload with the answer to one request in `picture.reply`."""
    seen = asked_of(screen, value)
    target = target_of(seen)
    if target is None:
        raise BadInput(NOTHING)
    answer = ANSWERS[value["what"]]
    asked = Asked(seen, target, value)
    data = {"window": target.window} if answer is None else answer.given(asked, work)
    page = present(seen)
    page["picture"]["reply"] = {
        "key": str(value.get("key"))[:200],
        "what": value["what"],
        "data": data,
    }
    return page


def refusal(screen: Screen, value: Any, sentence: str) -> dict[str, Any]:
    """The payload of a request that was not answered; the picture shows why in its place."""
    page, asked = present(screen), value if isinstance(value, dict) else {}
    key = printable(str(asked.get("key"))[:200])
    cancelled = sentence.endswith("was cancelled")
    answer = ANSWERS.get(str(asked.get("what")))
    if cancelled and answer is not None:
        sentence = answer.cancelled or sentence
    page["picture"]["reply"] = {"key": key, "what": None, "error": sentence, "cancelled": cancelled}
    return page


def work(job: Job) -> dict[str, Any]:
    """One answer."""
    return reply(job.screen, job.value, Work.of(job))


def wanted(job: Job) -> Wanted | None:
    """What the reader must make before the answer can be given."""
    seen = asked_of(job.screen, job.value)
    target, answer = target_of(seen), ANSWERS[job.value["what"]]
    return (
        None if target is None or answer is None else answer.wanted(Asked(seen, target, job.value))
    )


def busy(job: Job) -> Busy | None:
    """A sentence for what takes seconds."""
    value = job.value if isinstance(job.value, dict) else {}
    answer = ANSWERS.get(str(value.get("what")))
    doing = None if answer is None else answer.busy
    if doing is not None and value.get("by") in trusted.NAMES:
        doing += f" by {trusted.NAMES[value['by']]}"
    return None if doing is None else Busy(doing, "%")


def code(screen: Screen) -> str:
    """Plain torch that prints these numbers."""
    target, choice = target_of(screen), choice_of(screen)
    shown = shown_of(screen)
    if target is None:
        raise BadInput(NOTHING)
    return why_code(shown, target, choice.method, choice.baseline or shown.reading.baseline)


def build(frame: Frame) -> None:
    """Menus stand in the picture; what needs the reader is answered there, refusals too."""
    frame.browser_input(CHAPTER, "choice", linked.change_choice)
    frame.background(
        CHAPTER,
        ("ask",),
        work,
        lambda screen, job, page: shown(CHAPTER, job.screen, page),
        busy,
        refused=lambda screen, job, sentence: shown(
            CHAPTER, job.screen, refusal(job.screen, job.value, sentence)
        ),
        wanted=wanted,
    )
