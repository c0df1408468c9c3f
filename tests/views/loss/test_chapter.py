"""Chapter 5's handlers as pure functions, and its learners."""

from dataclasses import replace
from typing import Any

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Span
from qa_demo.figures.labels import Labels
from qa_demo.figures.loss.terms import mean_loss
from qa_demo.figures.payload import plain
from qa_demo.views import selection
from qa_demo.views.examples import load_examples
from qa_demo.views.labels import labels_of
from qa_demo.views.loss import bench as loss_bench
from qa_demo.views.loss import chapter as loss
from qa_demo.views.loss.bench import bench_of, window_of, work
from qa_demo.views.loss.learners import IDLE, Learners
from qa_demo.views.state import Screen, WhatIf
from tests.fakes import FakeReader
from tests.printed import text_of
from tests.requests import job, selected

READER = FakeReader(null=-3.0)
TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 3
SCREEN = selected(READER.read("Who drew the bridge?", TEXT, WindowOptions(40, 16)))


def example_screen() -> Screen:
    example = load_examples()["machu-picchu"]
    reading = FakeReader().read(example.question, example.context)
    return selected(reading, gold=example.answers, example=example.id)


def run(learners: Learners, screen: Screen, name: str, value: Any = None) -> Screen:
    asked = job(screen, name, value, READER)
    return loss.receive(screen, asked, work(learners, asked))


STEP = {"scope": "head", "steps": 5, "rate": 1.0, "optimizer": "sgd"}


def test_the_payload_has_every_window_and_every_twin() -> None:
    data = loss.present(SCREEN)
    assert [s["key"] for s in data["picture"]["steps"]] == ["axes", "labels", "steps"]
    assert len(data["picture"]["windows"]) == len(SCREEN.reading.windows) > 2
    assert data["tables"][0]["caption"].startswith("The loss, term by term")
    assert len(data["tables"]) == 4 and len(data["simplified"]) >= 6


def test_the_formula_is_the_loss_of_the_label() -> None:
    mean = mean_loss(SCREEN.reading, labels_of(SCREEN).golds)
    start, end = mean.addends
    said = text_of(loss.formula(SCREEN))
    assert f" = ½ · {start} + ½ · {end} {mean.sign} {mean.total}, mean over " in said
    assert f"over {len(SCREEN.reading.windows)} windows" in said


def test_the_stand_in_is_the_readers_own_answer_whatever_is_dragged() -> None:
    own, other = labels_of(SCREEN).golds[0], Span(1, 1)
    w = next(w for w in SCREEN.reading.windows if w.doc_start <= 1 < w.doc_stop)
    at = (w.index, w.to_pos(1), 90.0)
    dragged = SCREEN.change(what_if=WhatIf().with_logit("start", *at).with_logit("end", *at))
    assert dragged.prediction.best.candidate.span == other != own
    assert labels_of(dragged).golds == (own,), "a raised wrong tick must cost, not become the label"
    silent = SCREEN.change(decode=replace(SCREEN.decode, null_score_diff_threshold=-99.0))
    assert silent.prediction.answer is None
    assert labels_of(silent) == Labels((None,), "reader")
    picture = loss.present(silent)["picture"]
    assert "so “no answer” stands in" in picture["says"]
    assert picture["source"] == "reader"
    assert "no answer, which is the label" in loss.present(silent)["notice"]


def test_marks_by_word_piece_come_and_go() -> None:
    one = loss_bench.mark(SCREEN, [5, 6])
    assert labels_of(one).source == "marked" and labels_of(one).golds == (Span(5, 6),)
    two = loss_bench.mark(one, [0, 0])
    assert set(labels_of(two).golds) == {Span(5, 6), Span(0, 0)}
    assert labels_of(loss_bench.mark(two, [5, 6])).golds == (Span(0, 0),)
    assert two.stamp != one.stamp
    assert "each counts alike" in loss.present(two)["picture"]["says"]


def test_no_answer_is_a_label_too() -> None:
    none = loss_bench.no_answer(SCREEN, True)
    assert labels_of(none).golds == (None,)
    targets = loss.present(none)["picture"]["windows"]
    assert all(w["start"] == [[0, 1.0]] == w["end"] for w in targets)
    assert labels_of(loss_bench.as_annotated(none, True)).source == "reader"


def test_an_annotator_without_an_answer_stands_beside_marked_ones() -> None:
    mixed = loss_bench.silent(loss_bench.mark(SCREEN, [5, 6]), 2)
    assert labels_of(mixed).golds == (Span(5, 6), None, None)
    assert labels_of(mixed).source == "marked"
    picture = loss.present(mixed)["picture"]
    assert "no answer (2 of 3)" in picture["says"]
    assert "[CLS] has 2/3" in picture["says"]
    assert picture["silent"] == 2
    held = [w for w in mixed.reading.windows if w.doc_start <= 5 and w.doc_stop > 6]
    for w in mixed.reading.windows:
        wanted = {0: 2 / 3, w.to_pos(5): 1 / 3} if w in held else {0: 1.0}
        assert dict(map(tuple, picture["windows"][w.index]["start"])) == pytest.approx(wanted)
    assert labels_of(loss_bench.mark(mixed, [0, 0])).golds == (Span(5, 6), Span(0, 0), None, None)
    assert labels_of(loss_bench.silent(mixed, 0)).golds == (Span(5, 6),)
    assert labels_of(loss_bench.no_answer(mixed, True)).golds == (None,)
    assert labels_of(loss_bench.mark(loss_bench.no_answer(mixed, True), [1, 1])).golds == (
        Span(1, 1),
    )
    with pytest.raises(BadInput, match="somebody has to mark"):
        loss_bench.silent(SCREEN, 1)
    annotators = loss_bench.silent(example_screen(), 1)
    assert len(labels_of(annotators).golds) == 4 and labels_of(annotators).source == "marked"
    assert labels_of(loss_bench.as_annotated(annotators, True)) == labels_of(example_screen())


def test_an_examples_annotators_are_loaded_and_come_back() -> None:
    screen = example_screen()
    labels = labels_of(screen)
    assert labels.source == "annotators" and len(labels.golds) == 3
    marked = loss_bench.mark(screen, [0, 0])
    assert labels_of(marked).source == "marked" and len(labels_of(marked).golds) == 1
    for back in (loss_bench.as_annotated(marked, True), loss_bench.mark(marked, [0, 0])):
        assert labels_of(back) == labels


def test_another_window_is_shown_and_a_new_reading_starts_afresh() -> None:
    assert window_of(loss_bench.show_window(SCREEN, 2)) == 2
    other = loss_bench.show_window(SCREEN, 2).change(reading=READER.read("When?", TEXT))
    assert bench_of(other).window is None


def test_steps_undo_redo_reset() -> None:
    learners, marked = Learners(), loss_bench.mark(SCREEN, [5, 6])
    one = run(learners, marked, "step", STEP)
    two = run(learners, one, "step", {**STEP, "steps": 1})
    learned = bench_of(two).learned
    assert [", before the steps" in text_of(loss.formula(x)) for x in (marked, two)] == [
        False,
        True,
    ]
    assert learned.steps == 6 and learned.curve[-1].loss < learned.curve[0].loss
    data = plain(loss.present(two))
    drawn = data["picture"]["bench"]["learned"]
    assert len(drawn["curve"]) == 7 and drawn["canUndo"] and "the loss fell from" in drawn["says"]
    assert data["tables"][-1]["caption"] == "The loss after each step"
    assert len(data["tables"][-1]["rows"]) == 7
    back = run(learners, two, "undo")
    assert bench_of(back).learned.steps == 5 and bench_of(back).learned.can_redo
    assert bench_of(run(learners, back, "redo")).learned.steps == 6
    fresh = run(learners, back, "reset")
    assert bench_of(fresh).learned is None and len(learners) == 0
    with pytest.raises(BadInput, match="no step was taken"):
        run(learners, fresh, "undo")


def test_a_result_that_comes_too_late_is_dropped() -> None:
    marked = loss_bench.mark(SCREEN, [5, 6])
    asked = job(marked, "step", STEP)
    made = work(Learners(), asked)
    moved = marked.select(selection.parse(marked.reading, [None, 0, 0]))
    kept = loss.receive(moved, asked, made)
    assert bench_of(kept).learned is made.learned and kept.selection == moved.selection
    assert bench_of(loss.receive(loss_bench.mark(marked, [8, 8]), asked, made)).learned is None


def test_another_label_or_scope_starts_another_learner() -> None:
    learners, marked = Learners(), loss_bench.mark(SCREEN, [5, 6])
    one = run(learners, marked, "step", STEP)
    first = learners._seats["me"].learner
    run(learners, one, "step", {**STEP, "scope": "last_layer"})
    assert first.closed and not learners._seats["me"].learner.closed
    other = loss_bench.mark(one, [8, 8])
    assert bench_of(other).learned is None


def test_idle_learners_go_when_somebody_else_comes() -> None:
    now = [0.0]
    learners = Learners(clock=lambda: now[0])
    golds = labels_of(SCREEN).golds
    first = learners.get("a", FakeReader, SCREEN.reading, golds, "head")
    assert learners.get("a", FakeReader, SCREEN.reading, golds, "head") is first
    now[0] = IDLE + 1
    learners.get("b", FakeReader, SCREEN.reading, golds, "head")
    assert first.closed and len(learners) == 1
    learners.close("b")
    learners.close("b")
    assert len(learners) == 0


def stand_ins(monkeypatch: pytest.MonkeyPatch, count: int = 3) -> None:
    """Examples with readings of the fake reader in place of the stored ones."""
    found = {key: replace(e) for key, e in list(load_examples().items())[:count]}
    monkeypatch.setattr(loss_bench, "load_menu", lambda: found)
    monkeypatch.setattr(
        loss_bench.PoolExample,
        "stored",
        lambda self, checksum=None: FakeReader().read(self.question, self.context),
    )


def test_break_it_searches_the_stored_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins(monkeypatch)
    marked = loss_bench.mark(SCREEN, [0, 0])
    for key in ("gold_only", "predicted", "searched", "no_exp", "shared_z"):
        broken = bench_of(loss_bench.break_rule(marked, key)).broken
        assert broken["says"].startswith("In 4 readings")
    broken = bench_of(loss_bench.break_rule(marked, "no_bias")).broken
    assert broken == {"key": "no_bias", "says": "No counterexample in 4 readings."}
