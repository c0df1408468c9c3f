"""Chapter 5, Loss: what training lowers, and what real steps change."""

from functools import partial
from typing import Any

from qa_demo.figures.loss.code import loss_code
from qa_demo.figures.loss.learned import bench_data, curve_table
from qa_demo.figures.loss.misread import misread_data, misread_table
from qa_demo.figures.loss.notice import loss_notice
from qa_demo.figures.loss.picture import loss_picture, loss_tables
from qa_demo.figures.loss.replay import replay_data
from qa_demo.figures.loss.step_notices import labels_notice, pull_notice
from qa_demo.figures.loss.terms import mean_loss
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.reading import simplified
from qa_demo.views.background import Busy, Job
from qa_demo.views.code import shown_of
from qa_demo.views.frame import Frame
from qa_demo.views.labels import labels_of
from qa_demo.views.loss import bench as loss_bench
from qa_demo.views.loss.bench import QUICK, Bench, bench_of, window_of
from qa_demo.views.loss.learners import Learners
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(loss_bench.KEY, 5, "Loss", "Learn", "What does training lower?")
STEPS = (
    {"key": "axes", "title": "measure"},
    {"key": "labels", "title": "label"},
    {"key": "steps", "title": "step"},
)
BUSY = {
    "step": Busy("training", "step"),
    "undo": Busy("taking the last action back"),
    "redo": Busy("doing the action again"),
    "reset": Busy("resetting"),
}


def present(screen: Screen) -> dict[str, Any]:
    """Labels, axes, terms, wrong formulas, and what the steps did."""
    bench, labels, window = bench_of(screen), labels_of(screen), window_of(screen)
    shown = screen.shown
    wrong = misread_data(shown, window, labels.golds, screen.decode)
    learned = bench_data(bench.learned, screen.decode, screen.merge)
    record = loss_bench.replay()
    rows = (
        record.rows(screen.example)
        if record is not None and screen.example and record.checksum == screen.reading.checksum
        else None
    )
    picture = {
        **loss_picture(screen.reading, shown, labels, window),
        "steps": list(STEPS),
        "notices": notices(screen, learned["learned"]),
        "mostSilent": loss_bench.MOST_SILENT,
        "misread": wrong,
        "broken": bench.broken,
        "bench": learned,
        "example": screen.example is not None,
        "canReplay": rows is not None,
        "changed": screen.what_if.changes_numbers,
        "replay": replay_data(screen.reading, rows, labels.golds, screen.decode)
        if rows is not None and bench.replayed
        else None,
    }
    tables = [*loss_tables(shown, labels.golds, window), misread_table(wrong)]
    if learned["learned"] is not None and bench.learned is not None:
        tables.append(curve_table(bench.learned))
    said = picture["notices"]["axes"]
    return page_data(
        CHAPTER.question, picture, said, simplified(CHAPTER.key, shown.encoding), tables
    )


def notices(screen: Screen, learned: dict[str, Any] | None) -> dict[str, str]:
    """Each step's own sentence; `learned` is what was trained so far."""
    shown, labels, window = screen.shown, labels_of(screen), window_of(screen)
    return {
        "axes": loss_notice(shown, labels, screen.prediction, window),
        "labels": labels_notice(shown, labels.golds),
        "steps": pull_notice(shown, labels.golds, window) if learned is None else learned["says"],
    }


LINKED = loss_bench.LINKED


def formula(screen: Screen) -> list[dict[str, str]]:
    """L = -½ Σ y log P_start - ½ Σ y log P_end of the label in use; the windows' mean."""
    learned = bench_of(screen).learned
    stepped = learned is not None and learned.steps
    mean, windows = mean_loss(screen.shown, labels_of(screen).golds), len(screen.shown.windows)
    return [
        part("L = −½ Σ y log P"),
        part("start", "sub"),
        part(" − ½ Σ y log P"),
        part("end", "sub"),
        part(" = ½ · "),
        part(mean.addends[0], "start"),
        part(" + ½ · "),
        part(mean.addends[1], "end"),
        part(f" {mean.sign} "),
        part(mean.total, "strong"),
        *([part(f", mean over {windows} windows", "quiet")] if windows > 1 else []),
        *([part(", before the steps", "quiet")] if stepped else []),
        part("      log Z = log Σ exp(logit)", "quiet"),
    ]


def receive(screen: Screen, job: Job, made: Bench) -> Screen:
    """What a slow request made goes to the newest screen, unless another label stands there."""
    if made.learned is not None and made.learned.golds != labels_of(screen).golds:
        return screen
    return loss_bench.put(screen, learned=made.learned)


def code(screen: Screen) -> str:
    """Plain torch that prints these numbers."""
    return loss_code(shown_of(screen), labels_of(screen).golds)


def build(frame: Frame) -> None:
    """Quick requests of the picture change the screen; slow ones train and return a record."""
    learners = Learners()
    for name, change in QUICK.items():
        frame.browser_input(CHAPTER, name, change)
    frame.background(CHAPTER, tuple(BUSY), partial(loss_bench.work, learners), receive, BUSY)
    frame.on_leave(learners.close)
