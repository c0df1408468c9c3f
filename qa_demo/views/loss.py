"""Chapter 5, Loss: what training lowers, and what real steps change."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr
from gradio.context import Context

from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.figures.learned import bench_data, curve_table, matrix_table
from qa_demo.figures.loss import SIMPLIFIED, loss_notice, loss_picture, loss_tables
from qa_demo.figures.loss_terms import bridge
from qa_demo.figures.misread import misread_data, misread_table
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.reading import in_own_words
from qa_demo.figures.replay import replay_data
from qa_demo.views import loss_bench
from qa_demo.views.ask import RUN
from qa_demo.views.desk import Desk, told
from qa_demo.views.errors import attempt
from qa_demo.views.frame import Frame, message
from qa_demo.views.learners import Learners
from qa_demo.views.loss_bench import QUICK, SLOW, Bench, bench_of, labels_of, window_of
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(key=loss_bench.KEY, number=5, title="Loss", group="Learn",
                  question="What does training lower, and how does that fit prediction?")
STEPS = ({"key": "labels", "title": "label"}, {"key": "axes", "title": "measure"}, {"key": "steps", "title": "step"})
BUSY = {"step": "training", "undo": "taking the last action back", "redo": "doing the action again", "reset": "resetting",
        "forget": "reading other examples"}


def present(screen: Screen) -> dict[str, Any]:
    """Labels, axes, terms, wrong formulas, and what the steps did."""
    bench, labels, window = bench_of(screen), labels_of(screen), window_of(screen)
    shown, prediction = screen.shown, screen.prediction
    wrong = misread_data(shown, window, labels.golds, screen.decode)
    learned = bench_data(bench.learned, bench.forgot, screen.decode, screen.merge)
    record = loss_bench.replay()
    rows = record.rows(screen.example) if record is not None and screen.example and record.checksum == screen.reading.checksum else None
    picture = {
        **loss_picture(screen.reading, shown, labels, window, screen.decode, prediction), "steps": list(STEPS),
        "mostSilent": loss_bench.MOST_SILENT, "misread": wrong,
        "broken": bench.broken, "searched": bench.searched, "bench": learned, "example": screen.example is not None,
        "canReplay": rows is not None, "changed": screen.what_if.changes_numbers,
        "replay": replay_data(screen.reading, rows, labels.golds, screen.decode) if rows is not None and bench.replayed else None}
    tables = [*loss_tables(shown, labels.golds, window), misread_table(wrong)]
    if learned["learned"] is not None and bench.learned is not None:
        tables += [curve_table(bench.learned), matrix_table(learned["learned"]["matrix"])]
    said = loss_notice(shown, labels, prediction, window)
    return page_data(CHAPTER.question, picture, said, in_own_words(SIMPLIFIED, shown.encoding), tables)


link, restore = loss_bench.link, loss_bench.restore
"""What was marked as right travels in the page's link."""


def formula(screen: Screen) -> list[dict[str, str]]:
    """The bridge: score(i, j) = log P_start(i) + log P_end(j) + log Z_s + log Z_e, with the selection's numbers."""
    chosen = screen.selection
    parts = [part("score(i, j) = log P"), part("start", "sub"), part("(i)", "start"), part(" + log P"), part("end", "sub"),
             part("(j)", "end"), part(" + log Z"), part("s", "sub"), part(" + log Z"), part("e", "sub")]
    if chosen is None:
        return parts
    w = screen.shown.windows[chosen.window]
    found = bridge(screen.shown, chosen.window, (w.to_pos(chosen.span.start), w.to_pos(chosen.span.end)))
    a, b, c, d = found["addends"]
    return [*parts, part("     "), part(a, "start"), part(plus(b)), part(b.lstrip("\u2212"), "end"), part(plus(c)),
            part(c.lstrip("\u2212"), "quiet"), part(plus(d)), part(d.lstrip("\u2212"), "quiet"), part(f" {found['sign']} "),
            part(found["score"], "strong")]


def plus(printed: str) -> str:
    """The operator before a printed addend."""
    return " \u2212 " if printed.startswith("\u2212") else " + "


def build(frame: Frame) -> None:
    """Quick requests of the picture change the screen; slow ones train with progress and cancel and hand over their record."""
    learners, numbers = Learners(), itertools.count(1)
    for name, change in QUICK.items():
        frame.browser_input(CHAPTER, name, change)
    done, source, reader_of = gr.State(None), frame.source, frame.reader_of
    assert source is not None and reader_of is not None, "the page names its reader before chapters are built"

    def asked(screen: Screen | None, used: str, data: gr.EventData, request: gr.Request) -> Iterator[tuple[Any, Any]]:
        event = data._data or {}
        name, value = str(event.get("index")), event.get("value")
        if screen is None or name not in SLOW:
            yield gr.skip(), gr.skip()
            return
        work = partial(loss_bench.work, learners, request.session_hash or "", partial(reader_of, used), screen, name, value)
        for given, said in at_desk(frame.ask.desk, request.session_hash, BUSY[name], work):
            yield gr.skip() if given is None else (next(numbers), given), said

    frame.pictures[CHAPTER.key].input(asked, [frame.screen, source], [done, frame.say], **RUN)
    frame.control(done.change, [done], receive)
    page = Context.root_block
    if page is not None:
        def leave(request: gr.Request) -> None:
            """The tab was closed: its learner goes."""
            learners.close(request.session_hash)

        page.unload(leave)


def at_desk(desk: Desk[Any], visitor: str | None, busy: str,
            work: Callable[[OnProgress, IsCancelled], Bench]) -> Iterator[tuple[Bench | None, dict[str, Any]]]:
    """Run at the desk, where Cancel reaches it: progress sentences, then the record, or None and the sentence of a failure."""
    yield None, message(busy, "busy")
    run = desk.run(visitor, lambda progress, cancelled: attempt(lambda: work(progress, cancelled)))
    found, error = yield from told(run, lambda done, count: (None, message(f"{busy}: {done} of {count}", "busy")))
    yield found, message(error or "", "quiet" if error is None else "error")


def receive(screen: Screen, done: Any) -> Screen:
    """What a slow request made goes to the screen as it is now, unless another text or label stands there meanwhile."""
    bench = done[1] if isinstance(done, tuple) else None
    if not isinstance(bench, Bench) or bench.of is not screen.reading:
        return screen
    if bench.learned is not None and bench.learned.golds != labels_of(screen).golds:
        return screen
    return screen.keep(CHAPTER.key, replace(bench_of(screen), learned=bench.learned, forgot=bench.forgot))
