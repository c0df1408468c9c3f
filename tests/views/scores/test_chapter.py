"""Chapter 2's handlers as pure functions: a window's states, a second question, the bench."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from qa_demo.core.errors import BadCheckpoint, BadInput
from qa_demo.core.explaining.attribution import METHODS, Target
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.words import words
from qa_demo.figures.payload import plain
from qa_demo.views import explaining, hidden_states, selection
from qa_demo.views.background import Job
from qa_demo.views.scores import chapter as scores
from qa_demo.views.scores import record
from qa_demo.views.scores.record import fetch, kept, put
from qa_demo.views.session.recent import RecentValues
from qa_demo.views.state import Screen
from tests.fakes import FakeReader
from tests.printed import text_of, value
from tests.requests import emptied, job, selected

TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 3
READER = FakeReader(null=-3.0)
SMALL = WindowOptions(40, 15)
SCREEN = selected(READER.read("Who drew the bridge?", TEXT, SMALL))


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    emptied(monkeypatch, record._FOUND)


def answered(asked: Job, work: Callable[[Job], dict[str, Any]]) -> Screen:
    """A slow request, put on the screen it came from."""
    return scores.receive(asked.screen, asked, work(asked))


def with_states(screen: Screen, window: int | None = None) -> Screen:
    window = screen.selection.window if window is None else window
    return answered(job(screen, "states", window, READER), scores.ask_states)


def asked(screen: Screen, **value: str) -> Screen:
    return answered(job(screen, "other", value, READER), scores.ask_other)


def test_without_the_model_the_plane_stands() -> None:
    data = scores.present(SCREEN)
    assert data["picture"]["window"] == SCREEN.selection.window
    assert data["picture"]["states"] is data["picture"]["slide"] is data["picture"]["bench"] is None
    assert scores.details(SCREEN) == {}
    assert text_of(scores.formula(SCREEN)).endswith("+ bE")
    assert len(data["simplified"]) == 7


def test_states_bring_layers_vectors_formula_and_products() -> None:
    new = with_states(SCREEN)
    data = plain(scores.present(new))
    plain(scores.details(new))
    n = len(new.reading.windows[new.selection.window])
    layers = data["picture"]["states"]["layers"]
    assert (layers["rows"], layers["n"]) == (4, n)
    assert data["picture"]["states"]["vectors"]["d"] == 6
    assert "trained on layer 3 only" in data["picture"]["notices"]["layers"]
    said = text_of(scores.formula(new))
    assert " + 0.125 " in said and " − 0.250 " in said
    assert sum(len(t["rows"]) for t in data["tables"] if "lens" in t["caption"]) == 4


def test_no_tensor_is_kept_in_the_session_and_what_made_room_is_asked_for_again(
    monkeypatch: Any,
) -> None:
    monkeypatch.setattr(hidden_states, "_STATES", RecentValues(2))
    new = with_states(SCREEN)
    window = new.selection.window
    assert new.own["scores"].states.lens.start.shape[-1] != 6, "no array of width d but S and E"
    assert scores.details(new)
    for other in range(3):
        if other != window:
            fetch(job(SCREEN, reader=READER), other)
    assert scores.details(new) == {}
    fetch(job(SCREEN, reader=READER), window)
    assert scores.details(new)


def test_states_of_another_window_belong_to_that_window() -> None:
    other = (SCREEN.selection.window + 1) % len(SCREEN.reading.windows)
    new = with_states(SCREEN, other)
    assert scores.present(new)["picture"]["states"] is None and scores.details(new) == {}
    w = SCREEN.reading.windows[other]
    moved = new.select(selection.parse(new.reading, [other, w.doc_start, w.doc_start]))
    assert scores.details(moved)["window"] == other
    assert scores.present(moved)["picture"]["states"] is not None


def test_states_that_do_not_give_these_logits_are_refused() -> None:
    reading = SCREEN.reading
    moved = replace(reading, start_logits=reading.start_logits + 0.01)
    with pytest.raises(BadInput, match="misses the logits on screen"):
        fetch(job(replace(SCREEN, reading=moved), reader=READER), 0)
    with pytest.raises(BadInput, match="made by other weights"):
        fetch(job(replace(SCREEN, reading=replace(reading, checksum="another")), reader=READER), 0)
    for window in (-1, 99):
        with pytest.raises(BadInput, match="windows, got window"):
            scores.ask_states(job(SCREEN, "states", window, READER))


def test_another_question_slides_the_same_tokens() -> None:
    new = asked(SCREEN, question="Who crossed it first?")
    picture = plain(scores.present(new))["picture"]
    assert picture["slide"]["question"] == "Who crossed it first?"
    assert len(picture["slide"]["largest"]) == len(picture["slide"]["table"]["rows"]) - 1
    assert picture["bench"]["says"].startswith("Changed: the question.")
    assert "S and E stay the same" in scores.present(new)["notice"]
    gone = put(new, other=None)
    assert scores.present(gone)["picture"]["slide"] is None
    assert scores.present(gone)["picture"]["bench"] is None


def test_another_paragraph_or_reader_is_compared_but_does_not_slide() -> None:
    edited = asked(SCREEN, context=TEXT.replace("George", "Karin"))
    picture = scores.present(edited)["picture"]
    assert picture["slide"] is None
    assert picture["bench"]["says"].startswith("Changed: the paragraph.")
    named: list[str] = []

    def ways(name: str) -> FakeReader:
        named.append(name)
        found = FakeReader(name=name, null=-3.0)
        found.checksum = name
        return found

    other = answered(
        job(SCREEN, "other", {"reader": " second "}, READER, load=ways), scores.ask_other
    )
    assert named == ["second"]
    picture = scores.present(other)["picture"]
    assert picture["slide"] is None and picture["bench"]["says"].startswith("Changed: the reader.")
    assert [s["reader"] for s in picture["bench"]["sides"]] == ["fake", "second"]


@pytest.mark.parametrize("method", METHODS)
def test_the_bench_explains_both_best_scores(method: str) -> None:
    new = asked(SCREEN, question="Who crossed it first?")
    assert scores.present(new)["picture"]["bench"]["rests"] is None
    told: list[int] = []
    explained = answered(
        job(new, "rests", method, READER, progress=lambda done, total: told.append(done)),
        scores.ask_rests,
    )
    assert told == sorted(told) and (not told or told[-1] == 100)
    data = plain(scores.present(explained))
    rests = data["picture"]["bench"]["rests"]
    assert rests["method"] == method
    assert rests["refused"] == [None, None]
    assert rests["table"] in data["tables"]
    for side, reading in enumerate((new.reading, kept(new).other)):
        best = scores.predictions(new, kept(new).other)[side].best.candidate
        own = READER.attribute(reading, Target("span_score", best.span, None, best.window), method)
        column = [row[2 + 2 * side] for row in rests["table"]["rows"]]
        found = sorted(value(x) for x in column if x != "–")
        units = words(reading.encoding, reading.windows[best.window])
        assert found == pytest.approx(sorted(units.sums(own.start)), abs=6e-4)
    found = kept(explained).rests
    moved = put(explained, rests=replace(found, targets=(found.targets[1], found.targets[0])))
    assert scores.present(moved)["picture"]["bench"]["rests"] is None, (
        "other best spans are not explained by these numbers"
    )
    third = put(explained, other=READER.read("When?", TEXT, SMALL))
    assert scores.present(third)["picture"]["bench"]["rests"] is None


def test_one_reader_of_the_bench_may_refuse(monkeypatch: Any) -> None:
    def refuse(*_: Any) -> None:
        raise BadCheckpoint("its gradients are not finite")

    def ways(name: str) -> FakeReader:
        found = FakeReader(name=name, null=-3.0)
        if name == "second":
            found.checksum = name
            monkeypatch.setattr(found, "attribute", refuse)
        return found

    new = answered(job(SCREEN, "other", {"reader": "second"}, READER, load=ways), scores.ask_other)
    emptied(monkeypatch, explaining.FOUND)
    found = answered(job(new, "rests", "gradient_x_input", READER, load=ways), scores.ask_rests)
    rests = scores.present(found)["picture"]["bench"]["rests"]
    assert rests["refused"] == [None, "its gradients are not finite"] and rests["rows"] == []
    with pytest.raises(BadInput, match="must be one of integrated_gradients"):
        scores.ask_rests(job(new, "rests", "lime", READER, load=ways))
    with pytest.raises(BadInput, match="no second reading"):
        scores.ask_rests(job(SCREEN, "rests", "gradient_x_input", READER, load=ways))


def test_what_is_found_leaves_the_selection_alone() -> None:
    asked = job(SCREEN, "states", 0, READER)
    moved = SCREEN.select(selection.parse(SCREEN.reading, [None, 1, 1]))
    late = scores.receive(moved, asked, scores.ask_states(asked))
    assert late.selection == moved.selection and late.own["scores"].states is not None


def test_a_new_reading_forgets_states() -> None:
    new = with_states(SCREEN)
    assert kept(new).states is not None
    other = new.change(reading=READER.read("When?", TEXT, SMALL), selection=None)
    assert kept(other).states is None


def test_changed_logits_move_the_plane_and_not_t() -> None:
    new = with_states(SCREEN)
    chosen = new.selection
    pos = new.reading.windows[chosen.window].to_pos(chosen.span.start)
    lifted = new.change(what_if=new.what_if.with_logit("start", chosen.window, pos, 40.0))
    assert scores.present(lifted)["picture"]["plane"]["range"][1] > 40
    assert scores.details(lifted)["start"]["logit"] == scores.details(new)["start"]["logit"]
    own = text_of(scores.formula(new))
    assert text_of(scores.formula(lifted)) == f"{own}   before the change by hand"
