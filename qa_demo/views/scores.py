"""Chapter 2, Scores: the exact plane of S and E, one logit dimension by dimension, and the head on every layer."""

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

import gradio as gr
import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.lens import Slide, slide
from qa_demo.core.pencil import Pencil, another, pencil
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader
from qa_demo.figures.payload import page_data
from qa_demo.figures.prose import piece
from qa_demo.figures.reading import in_own_words
from qa_demo.figures.scores import (
    SIMPLIFIED,
    move_table,
    plane_data,
    plane_notice,
    score_formula,
    slide_data,
    slide_notice,
    token_table,
    window_best,
)
from qa_demo.figures.scores_bench import bench_data, bench_table
from qa_demo.figures.scores_dimensions import LANES, anatomy_data, comparison_data, pencil_data, rivals, vectors_data
from qa_demo.figures.scores_layers import layers_data, layers_notice, rank_table
from qa_demo.views.desk import told
from qa_demo.views.errors import attempt
from qa_demo.views.frame import Frame, message
from qa_demo.views.scores_bench import ask_rests, predictions, rested
from qa_demo.views.scores_reader import KEY, Found, fetch, identity, keep, kept, put, shelf
from qa_demo.views.selection import whole
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(key=KEY, number=2, title="Scores", group="Predict",
                  question="How can one start vector serve every question and every paragraph?")
EXERCISES = 10_000
RUN: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "concurrency_limit": 8, "concurrency_id": "reading"}


def shown_window(screen: Screen) -> int:
    """The window this chapter shows: the selection's, else the best span's, else the first."""
    if screen.selection is not None:
        return screen.selection.window
    best = screen.prediction.best
    return 0 if best is None else best.candidate.window


def exercise(number: int) -> Pencil:
    """Exercise 0 is the page's own; every other number draws one that is always the same."""
    return pencil() if number == 0 else another(np.random.default_rng(number))


def moved(screen: Screen) -> Slide | None:
    """From the reading on screen to the other one, when it is of the same paragraph and the same reader."""
    first, other = screen.reading, kept(screen).other
    if other is None or first.encoding.context != other.encoding.context or first.weights != other.weights:
        return None
    return slide(first, other)


def present(screen: Screen) -> dict[str, Any]:
    """Plane, slide, exercise and bench; vectors and layers once the window's hidden states have been fetched."""
    window, own, copies = shown_window(screen), kept(screen), screen.merge.copies
    reading, path = screen.reading, moved(screen)
    said = [plane_notice(screen.shown, window, screen.decode, copies)]
    tables = [token_table(screen.shown, window)]
    picture: dict[str, Any] = {
        "window": window, "plane": plane_data(screen.shown, window, screen.decode, copies, path), "slide": None, "states": None,
        "bench": None, "longest": screen.decode.max_answer_length, "ownedOnly": copies == "max_context",
        "pencil": pencil_data(exercise(own.exercise), own.exercise)}
    if own.other is not None:
        pair = predictions(screen, own.other)
        rests = rested(screen, pair)
        picture["bench"] = {**bench_data(reading, own.other, pair, screen.merge), "rests": rests}
        tables.append(bench_table((reading, own.other), pair, screen.merge))
        if rests is not None and rests["table"] is not None:
            tables.append(rests["table"])
        if path is not None:
            picture["slide"] = {**slide_data(reading, own.other, path, window), "table": move_table(reading, path, window)}
            said = [slide_notice(reading, own.other, path, window, (pair[0].answer, pair[1].answer))]
            tables.append(picture["slide"]["table"])
    if own.states is not None and own.states.window == window:
        picture["states"] = {"vectors": vectors_data(own.states.heads), "layers": layers_data(own.states.lens, own.states.parts)}
        best = window_best(reading, window, screen.decode, copies)
        if best is not None:
            said.append(layers_notice(reading, window, own.states.lens, best))
            tables.append(rank_table(reading, window, own.states.lens, best))
    return page_data(CHAPTER.question, picture, " ".join(said), in_own_words(SIMPLIFIED, reading.encoding), tables)


def formula(screen: Screen) -> list[dict[str, str]]:
    """s_i = S . T_i + b_S and e_j = E . T_j + b_E; with numbers once the head's biases are known."""
    chosen, states = screen.selection, kept(screen).states
    if chosen is None or states is None:
        return score_formula(None, None)
    at, (start, end) = screen.reading.windows[chosen.window], screen.reading.logits(chosen.window)
    logits = float(start[at.to_pos(chosen.span.start)]), float(end[at.to_pos(chosen.span.end)])
    return score_formula(logits, (states.heads.b_S, states.heads.b_E))


def details(screen: Screen) -> dict[str, Any]:
    """The selected start and end dimension by dimension, each beside another token; empty until T of its window is here."""
    own, chosen = kept(screen), screen.selection
    if chosen is None or own.states is None or own.states.window != chosen.window:
        return {}
    t = shelf.get(own.of, chosen.window)
    if t is None:
        return {}
    at, heads = screen.reading.windows[chosen.window], own.states.heads
    out: dict[str, Any] = {"window": chosen.window}
    for lane, doc, row in zip(LANES, (chosen.span.start, chosen.span.end), screen.reading.logits(chosen.window), strict=True):
        pos = at.to_pos(doc)
        near = rivals(row, at.is_context, pos)
        if at.cls_at != pos:
            near.append(at.cls_at)
        wanted = own.contrast.get(lane)
        second = wanted if wanted is not None and wanted != pos and wanted < len(row) else near[0]
        names = {p: piece(screen.reading, chosen.window, p) for p in (pos, second, *near)}
        out[lane] = {"pos": pos, "anatomy": anatomy_data(heads, t[pos], lane, float(row[pos]), names[pos]),
                     "compare": comparison_data(heads, t[pos], t[second], lane, (names[pos], names[second]),
                                                (float(row[pos]), float(row[second]))),
                     "second": second, "rivals": [[p, names[p]] for p in dict.fromkeys((*near, second))]}
    return out


# Requests of the picture: each returns the fields of `Kept` that it changes -----------------------------------------

Ways = Callable[[str], Reader]


def ask_states(screen: Screen, value: Any, reader: Callable[[], Reader]) -> dict[str, Any]:
    """Hidden states of one window."""
    return {"states": fetch(reader(), screen.reading, whole(value, "the window"))}


def ask_other(screen: Screen, value: Any, ways: Ways, source: str, limit: int, on_progress: OnProgress | None = None,
              cancelled: IsCancelled | None = None) -> dict[str, Any]:
    """A second reading, {"question", "context", "reader"}; what is missing or empty stays as on screen."""
    if not isinstance(value, dict) or not all(isinstance(value.get(k, ""), str) for k in ("question", "context", "reader")):
        raise BadInput(f"a second reading needs a question, a paragraph and a reader as text, got {str(value)[:60]}")
    first = screen.reading
    question = value.get("question") or first.encoding.question
    context = value.get("context") or first.encoding.context
    check_texts(question, context, limit)
    name = (value.get("reader") or "").strip() or source
    other = ways(name).read(question, context, first.options, on_progress, cancelled)
    if not len(other.encoding.context_ids):
        raise BadInput("the paragraph holds no word piece that this reader knows")
    return {"other": other, "by": name, "rests": None}


def change_contrast(screen: Screen, value: Any) -> dict[str, Any]:
    """Compare the selected start or end with another position, {"lane", "pos"}."""
    given = value if isinstance(value, dict) else {}
    lane, pos = given.get("lane"), whole(given.get("pos"), "the position")
    n = len(screen.reading.windows[shown_window(screen)])
    if lane not in LANES or not 0 <= pos < n:
        raise BadInput(f"a comparison needs the lane start or end and a position below {n}, got {str(value)[:60]}")
    return {"contrast": MappingProxyType({**kept(screen).contrast, lane: pos})}


def change_exercise(screen: Screen, value: Any) -> dict[str, Any]:
    """Another exercise for the pencil."""
    number = whole(value, "the exercise")
    if not 0 <= number < EXERCISES:
        raise BadInput(f"exercises are numbered 0 to {EXERCISES - 1}, got {number}")
    return {"exercise": number}


HOME = ("states", "other", "rests", "drop")
"""Requests that bring something home, or take it away again; the rest changes the record at once."""


def build(frame: Frame) -> None:
    """The controls stand in the picture. What asks a reader fills `found`, whose change puts it on the screen as it is by then."""
    found = gr.State(None)
    source, ways, ask = frame.source, frame.reader_of, frame.ask
    assert source is not None and ways is not None and ask is not None, "the page names its reader before chapters are built"

    def asked(screen: Screen | None, used: str, before: Found | None, data: gr.EventData, request: gr.Request) -> Iterator[tuple[Any, Any]]:
        event = data._data or {}
        name, value = str(event.get("index")), event.get("value")
        if screen is None or name not in HOME:
            yield gr.skip(), gr.skip()
            return
        fields: dict[str, Any] | None
        if name == "drop":
            fields, error = {"other": None, "rests": None}, None
        elif name == "states":
            yield gr.skip(), message("fetching the hidden states of one window", "busy")
            fields, error = attempt(lambda: ask_states(screen, value, lambda: ways(used)))
        else:
            explains = name == "rests"
            yield gr.skip(), message("explaining two scores" if explains else "reading", "busy")

            def work(on_progress: OnProgress, cancelled: IsCancelled) -> tuple[dict[str, Any] | None, str | None]:
                if explains:
                    return attempt(lambda: ask_rests(screen, value, ways, used, on_progress, cancelled))
                return attempt(lambda: ask_other(screen, value, ways, used, ask.max_characters, on_progress, cancelled))
            fields, error = yield from told(ask.desk.run(request.session_hash, work), lambda done, total: (gr.skip(), message(
                f"explaining two scores, {done} %" if explains else f"reading window {min(done + 1, total)} of {total}", "busy")))
        if fields is None:
            yield gr.skip(), message(error or "", "error")
            return
        of = identity(screen.reading)
        held = before if before is not None and before.of == of else Found(of, MappingProxyType({}))
        yield held.plus(**fields), message("")

    frame.pictures[CHAPTER.key].input(asked, [frame.screen, source, found], [found, frame.say], **RUN)
    frame.control(found.change, [found], keep)
    frame.browser_input(CHAPTER, "contrast", lambda screen, value: put(screen, **change_contrast(screen, value)))
    frame.browser_input(CHAPTER, "exercise", lambda screen, value: put(screen, **change_exercise(screen, value)))
