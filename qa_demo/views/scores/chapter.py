"""Chapter 2, Scores: two questions, the plane of S and E, one logit, every layer."""

from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.inputs import check_texts
from qa_demo.core.reading.lens import Slide, slide
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading, Span
from qa_demo.figures.payload import page_data
from qa_demo.figures.prose import piece
from qa_demo.figures.reading import simplified
from qa_demo.figures.scores.bench import bench_data, bench_table
from qa_demo.figures.scores.code import scores_code
from qa_demo.figures.scores.dimensions import LANES, anatomy_data, vectors_data
from qa_demo.figures.scores.layers import layers_data, layers_notice, rank_table
from qa_demo.figures.scores.picture import (
    plane_data,
    plane_notice,
    score_formula,
    token_table,
    window_best,
)
from qa_demo.figures.scores.slide import move_table, slide_data, slide_notice
from qa_demo.views import hidden_states, parse, what_if
from qa_demo.views.background import Busy, Job
from qa_demo.views.code import printed
from qa_demo.views.examples import other_questions
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import known_texts
from qa_demo.views.scores.bench import ask_rests, predictions, rested
from qa_demo.views.scores.record import KEY, States, fetch, kept, put, wanted
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(
    KEY,
    2,
    "Scores",
    "Predict",
    "How can one start vector serve every question and every paragraph?",
)
code = printed(scores_code)


def moved(screen: Screen) -> Slide | None:
    """From the reading on screen to another of the same paragraph by the same reader."""
    first, other = screen.reading, kept(screen).other
    if (
        other is None
        or first.encoding.context != other.encoding.context
        or first.weights != other.weights
    ):
        return None
    return slide(first, other)


def answer_span(prediction: Prediction) -> Span | None:
    """Where the answer stands; None where it is withheld."""
    best = prediction.best
    return None if prediction.answer is None or best is None else best.candidate.span


def states_data(states: States) -> dict[str, Any]:
    """What needs T: both vectors, and the head on every layer."""
    return {"vectors": vectors_data(states.heads), "layers": layers_data(states.lens)}


def second(
    screen: Screen, other: Reading, pair: tuple[Prediction, Prediction], winner: Span | None
) -> tuple[dict[str, Any], list[Any]]:
    """What a second reading adds to the picture, and its tables."""
    reading, window, path = screen.reading, screen.window, moved(screen)
    rests = rested(screen, pair)
    more = {"bench": {**bench_data(reading, other, pair, screen.merge), "rests": rests}}
    tables = [bench_table((reading, other), pair, screen.merge)]
    if rests is not None and rests["table"] is not None:
        tables.append(rests["table"])
    if path is not None:
        table = move_table(reading, path, window, winner)
        answers = [pair[0].answer, pair[1].answer]
        slide = slide_data(reading, other, path, window, winner)
        more["slide"] = {**slide, "table": table, "answers": answers}
        tables.append(table)
    return more, tables


def present(screen: Screen) -> dict[str, Any]:
    """Plane, slide and bench; vectors and layers once the hidden states of the window are here."""
    window, own, copies = screen.window, kept(screen), screen.merge.copies
    reading, path = screen.reading, moved(screen)
    pair = None if own.other is None else predictions(screen, own.other)
    winner = None if pair is None or path is None else answer_span(pair[1])
    said = plane_notice(screen.shown, window, screen.decode, copies)
    tables, notices = [token_table(screen.shown, window)], dict[str, str]()
    picture: dict[str, Any] = {
        "window": window,
        "notices": notices,
        "plane": plane_data(screen.shown, window, screen.decode, copies, path, winner),
        "offers": other_questions(reading.encoding.question, reading.encoding.context),
        "slide": None,
        "states": None,
        "bench": None,
        "longest": screen.decode.max_answer_length,
        "copies": copies,
    }
    if own.other is not None and pair is not None:
        more, twins = second(screen, own.other, pair, winner)
        picture |= more
        tables += twins
        if path is not None:
            notices["one"] = said
            answers = pair[0].answer, pair[1].answer
            said = slide_notice(reading, own.other, path, window, answers, winner)
            notices["asked"] = said
    if own.states is not None and own.states.window == window:
        lens, best = own.states.lens, window_best(reading, window, screen.decode, copies)
        picture["states"] = states_data(own.states)
        if best is not None:
            notices["layers"] = layers_notice(reading, window, lens, best)
            tables.append(rank_table(reading, window, lens, best))
    fixed = simplified(CHAPTER.key, reading.encoding)
    return page_data(CHAPTER.question, picture, said, fixed, tables)


def formula(screen: Screen) -> list[dict[str, str]]:
    """s_i = S . T_i + b_S and e_j = E . T_j + b_E; with numbers once the biases are known."""
    chosen, states = screen.selection, kept(screen).states
    if chosen is None or states is None:
        return score_formula(None, None)
    at, (start, end) = screen.reading.windows[chosen.window], screen.reading.logits(chosen.window)
    logits = float(start[at.to_pos(chosen.span.start)]), float(end[at.to_pos(chosen.span.end)])
    return what_if.before(screen, score_formula(logits, (states.heads.b_S, states.heads.b_E)))


def details(screen: Screen) -> dict[str, Any]:
    """The selected start and end by dimension; empty without T."""
    own, chosen = kept(screen), screen.selection
    if chosen is None or own.states is None or own.states.window != chosen.window:
        return {}
    t = hidden_states.get(screen.reading, screen.reading.windows[chosen.window])
    if t is None:
        return {}
    at, heads = screen.reading.windows[chosen.window], own.states.heads
    out: dict[str, Any] = {"window": chosen.window}
    for lane, doc, row in zip(
        LANES,
        (chosen.span.start, chosen.span.end),
        screen.reading.logits(chosen.window),
        strict=True,
    ):
        pos = at.to_pos(doc)
        name = piece(screen.reading, chosen.window, pos)
        out[lane] = anatomy_data(heads, t[pos], lane, float(row[pos]), name)
    return out


def following(screen: Screen) -> list[tuple[str, Any]]:
    """What the picture asks for once a span of another window is selected."""
    states, window = kept(screen).states, screen.window
    return [] if states is not None and states.window == window else [("states", window)]


opening = following


# Requests of the picture: each returns the fields of `Kept` that it changes


def ask_states(job: Job) -> dict[str, Any]:
    """Hidden states of one window."""
    return {"states": fetch(job, parse.window(job.screen.reading, job.value))}


def ask_other(job: Job) -> dict[str, Any]:
    """A second reading, {"question", "context", "reader"}; what is missing stays as on screen."""
    given = parse.record(job.value, "a second reading", "a question", "a paragraph", "a reader")
    if not all(isinstance(given.get(k, ""), str) for k in ("question", "context", "reader")):
        raise BadInput(
            f"a second reading needs a question, a paragraph and a reader as text, got "
            f"{parse.got(job.value, 60)}"
        )
    first = job.screen.reading
    question = given.get("question") or first.encoding.question
    context = given.get("context") or first.encoding.context
    check_texts(question, context, job.services.max_characters)
    name = (given.get("reader") or "").strip() or job.screen.source
    other = known_texts(
        job.services.read(name, question, context, first.options, job.progress, job.cancelled)
    )
    return {"other": other, "by": name, "rests": None}


def receive(screen: Screen, job: Job, fields: dict[str, Any]) -> Screen:
    """What a request brought goes into the chapter's record."""
    return put(screen, **fields)


def build(frame: Frame) -> None:
    """The controls stand in the picture. Each kind of slow request has its own place."""
    frame.background(
        CHAPTER,
        ("states",),
        ask_states,
        receive,
        {"states": Busy("fetching the hidden states of one window")},
        wanted=lambda job: wanted(job, parse.window(job.screen.reading, job.value)),
    )
    frame.background(CHAPTER, ("other",), ask_other, receive, {"other": Busy("reading", "window")})
    frame.background(
        CHAPTER, ("rests",), ask_rests, receive, {"rests": Busy("explaining two scores", "%")}
    )
    frame.browser_input(CHAPTER, "drop", lambda screen, value: put(screen, other=None, rests=None))
