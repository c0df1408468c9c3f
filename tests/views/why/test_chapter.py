"""Chapter 9's handlers as pure functions with the fake reader."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from qa_demo.core.errors import BadCheckpoint, BadInput, Cancelled
from qa_demo.core.explaining.attribution import BASELINES, KINDS, METHODS
from qa_demo.core.explaining.chance import N_SETS
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading, Span, Window
from qa_demo.figures.payload import plain
from qa_demo.figures.prose import quoted
from qa_demo.views import explaining
from qa_demo.views.examples import load_examples
from qa_demo.views.explaining import Work
from qa_demo.views.state import Screen, Selection
from qa_demo.views.why import chapter as why
from qa_demo.views.why import trust as trusted
from qa_demo.views.why.choice import other_names, others
from tests.agreement import contradictions, target_for
from tests.fakes import FakeReader
from tests.printed import text_of, unpacked
from tests.requests import emptied, opened, selected

READER = FakeReader(null=-3.0)
TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 4
SCREEN = selected(READER.read("Who drew the bridge?", TEXT, WindowOptions(64, 20)))


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    emptied(monkeypatch, explaining.ATTENTION, explaining.FOUND)


def chosen(
    kind: str = "span_score",
    other: list[int] | None = None,
    method: str = "integrated_gradients",
    baseline: str = "pad",
) -> dict[str, Any]:
    return {"kind": kind, "other": other, "method": method, "baseline": baseline}


def asked(
    screen: Screen, what: str, choice: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A request about the selected span, as the browser sends it."""
    at = screen.selection
    about = {"span": [at.window, at.span.start, at.span.end], "choice": choice or chosen()}
    return {"what": what, "key": f"key of {what}", **about, **more}


def work(screen: Screen, **more: Any) -> Work:
    return Work(READER, screen.reading, **more)


def found(screen: Screen, what: str, *choice: Any, **more: Any) -> Any:
    """The data of a reply."""
    page = why.reply(screen, asked(screen, what, *choice, **more), work(screen))
    return page["picture"]["reply"]["data"]


@pytest.mark.parametrize("what", list(why.ANSWERS))
@pytest.mark.parametrize("kind", KINDS)
def test_every_request_is_answered_with_its_key(what: str, kind: str) -> None:
    value = asked(SCREEN, what, chosen(kind), layer=1, head=0, position=3)
    page = plain(why.reply(SCREEN, value, work(SCREEN)))
    reply = page["picture"]["reply"]
    assert (reply["key"], reply["what"]) == (value["key"], what) and reply["data"]
    assert page["picture"]["target"]["kind"] == kind


def test_the_page_knows_what_was_found_out_before() -> None:
    before = why.present(SCREEN)
    assert before["tables"] == [] and "is " in before["notice"]
    found(SCREEN, "attention")
    looked = why.present(SCREEN)
    says = looked["picture"]["notices"]
    assert "looked most at the question" in looked["notice"] == says["looked"]
    assert says["rested"] == before["notice"], "no other step's sentence"
    for what in ("stood", "curves"):
        found(SCREEN, what)
    after = why.present(SCREEN)
    assert after["notice"].startswith("Masking the three top words") and len(after["tables"]) >= 6
    says = after["picture"]["notices"]
    assert "looked most at the question" in says["looked"]
    assert "largest support" in says["rested"] and says["trust"].startswith("Masking")
    assert after["notice"] == f"{says['trust']} {says['rested']}"
    start = SCREEN.selection.span.start
    moved = SCREEN.select(Selection(SCREEN.selection.window, Span(start, start)))
    assert not why.present(moved)["notice"].startswith("Masking")


def test_a_choice_changes_formula_and_makes_only_this_chapter_stale() -> None:
    shown = SCREEN.presented("spans").presented("why")
    new = why.linked.change_choice(shown, chosen("span_minus_null"))
    assert new.fresh == {"spans"} and new.stamp == shown.stamp
    assert "[CLS]" in text_of(why.formula(new)) and "[CLS]" not in text_of(why.formula(shown))


def test_the_contrast_span_is_the_one_chosen_else_the_best_listed() -> None:
    listed = [span for span, _ in others(SCREEN)]
    assert SCREEN.selection.span not in listed and listed
    fallback = why.target_of(why.linked.change_choice(SCREEN, chosen("span_minus_other")))
    assert fallback.other == listed[0]
    first = SCREEN.reading.windows[SCREEN.selection.window].doc_start
    by_hand = chosen("span_minus_other", [first, first + 1])
    other = why.target_of(why.linked.change_choice(SCREEN, by_hand))
    assert other.other == Span(first, first + 1) and other.kind == "span_minus_other"


def test_no_two_entries_of_the_contrast_menu_look_alike() -> None:
    twice = 0
    for one in (SCREEN, *map(opened, load_examples())):
        menu = other_names(one)
        names = [name for _, _, name in menu]
        assert len(set(names)) == len(names)
        for (start, end, name), (span, text) in zip(menu, others(one), strict=True):
            assert Span(start, end) == span and name.startswith(quoted(text))
            pos = one.reading.windows[one.selection.window].to_pos(start)
            twice += name.endswith(f" at position {pos}")
    assert twice


def test_the_contrast_span_ends_with_its_window_and_with_its_text() -> None:
    seen = SCREEN.select(Selection(0, Span(3, 4)))
    kept = why.linked.change_choice(seen, chosen("span_minus_other", [0, 1]))
    assert why.target_of(kept).other == Span(0, 1)
    far = len(SCREEN.reading.windows) - 1
    at = SCREEN.reading.windows[far].doc_start
    assert at > 1
    moved = kept.select(Selection(far, Span(at, at)))
    request = {**asked(moved, "attention"), "choice": chosen("span_score", [0, 1])}
    # a span of another window is no reason to refuse
    assert why.reply(moved, request, work(moved))["picture"]["reply"]["data"]
    assert why.target_of(moved).other != Span(0, 1)
    same_text = replace(kept, reading=READER.read("Who?", TEXT, SCREEN.reading.options))
    assert why.choice_of(same_text).other == Span(0, 1)
    longer = READER.read("Who?", "Another paragraph. " + TEXT, SCREEN.reading.options)
    other_text = replace(kept, reading=longer)
    assert why.choice_of(other_text).other is None
    assert why.choice_of(other_text).kind == "span_minus_other"


def test_a_reading_of_other_weights_is_not_explained() -> None:
    other = FakeReader()
    other.checksum = "other"
    with pytest.raises(BadInput, match="press Ask"):
        Work(other, SCREEN.reading)


def test_a_reader_without_attention_says_so_and_is_attributed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(window: Window) -> Any:
        raise BadCheckpoint("this reader gives no attention that could be shown")

    monkeypatch.setattr(READER, "attention", none)
    with pytest.raises(BadCheckpoint, match="no attention"):
        why.reply(SCREEN, asked(SCREEN, "attention"), work(SCREEN))
    page = why.refusal(SCREEN, asked(SCREEN, "attention"), "this reader gives no attention")
    assert page["picture"]["reply"]["error"] == "this reader gives no attention"
    assert found(SCREEN, "attribution")["sums"]


def test_numbers_changed_by_hand_do_not_move_the_explanation() -> None:
    window = SCREEN.selection.window
    changed = SCREEN.change(what_if=SCREEN.what_if.with_logit("start", window, 20, 9.0))
    assert text_of(why.formula(changed)).endswith("before the change by hand")
    assert found(SCREEN, "attribution") == found(changed, "attribution")


def test_progress_rises_and_cancel_stops() -> None:
    told: list[tuple[int, int]] = []
    telling = work(SCREEN, on_progress=lambda done, total: told.append((done, total)))
    why.reply(SCREEN, asked(SCREEN, "attribution"), telling)
    shares = [done / total for done, total in told]
    assert shares == sorted(shares) and shares[0] < 0.2 and shares[-1] == 1.0
    slow = asked(SCREEN, "attribution", chosen("end_logit", method="leave_one_out"))
    with pytest.raises(Cancelled):
        why.reply(SCREEN, slow, work(SCREEN, cancelled=lambda: True))


def test_all_methods_meet_the_same_random_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    drops = unpacked(found(SCREEN, "random")["drops"])
    assert len(drops) == N_SETS

    calls = []
    masked = READER.masked

    def counted(window: Window, masks: np.ndarray, *more: Any) -> Any:
        calls.append(masks)
        return masked(window, masks, *more)

    monkeypatch.setattr(READER, "masked", counted)
    for by in explaining.RANKINGS:
        page = why.reply(SCREEN, asked(SCREEN, "stood", by=by), work(SCREEN))
        row = page["picture"]["reply"]["data"]
        assert row["rank"] == f"{(drops < np.float32(row['drop'])).sum()} of {N_SETS}"
    sizes = [len(masks) for masks in calls]
    assert sizes.count(1) == 4 and max(sizes) < N_SETS, "of the sets only each method's own is run"
    (side,) = (one for one in page["tables"] if "side by side" in one["caption"])
    assert [row[0] for row in side["rows"]] == [trusted.NAMES[by] for by in explaining.RANKINGS]
    with pytest.raises(BadInput, match="the ranking"):
        why.reply(SCREEN, asked(SCREEN, "stood", by="lime"), work(SCREEN))


@pytest.mark.slow
@pytest.mark.parametrize("example", load_examples().values(), ids=lambda example: example.id)
def test_verdict_and_curve_agree_for_every_method_and_target(example: PoolExample) -> None:
    """Verdict, line, band, sentence; with the bundled reader: tests.benchmarks.chance_sweep."""
    asking = Work(READER, READER.read(example.question, example.context))
    for kind in KINDS:
        target = target_for(asking.reading, kind)
        for by in explaining.RANKINGS:
            assert contradictions(asking, target, by) == [], (kind, by)


def test_the_first_picture_takes_few_steps() -> None:
    first, full, again = (
        why.reply(SCREEN, asked(SCREEN, "attribution", few=few), work(SCREEN))
        for few in (True, False, True)
    )
    steps = [page["picture"]["reply"]["data"]["steps"] for page in (first, full, again)]
    assert steps[0] == explaining.FIRST_STEPS < steps[1] == steps[2]
    assert "largest support" not in first["notice"] and "largest support" in full["notice"]


@pytest.mark.parametrize("what", [k for k, one in why.ANSWERS.items() if one and one.cancelled])
def test_a_cancel_says_what_was_cancelled(what: str) -> None:
    for said in ("this was cancelled", "the reading was cancelled"):
        reply = why.refusal(SCREEN, asked(SCREEN, what), said)["picture"]["reply"]
        assert reply["error"] == why.ANSWERS[what].cancelled and reply["cancelled"]
    refused = why.refusal(SCREEN, asked(SCREEN, what), "the reader is gone")["picture"]["reply"]
    assert refused["error"] == "the reader is gone" and not refused["cancelled"]


def test_the_wait_is_estimated_from_what_was_timed() -> None:
    fresh = explaining.Pace()
    assert fresh.seconds(101, 77) is None
    fresh.learn(10, 100, 2.0)
    assert fresh.seconds(101, 77) == pytest.approx(0.002 * 101 * 77)
    fresh.learn(10, 100, 4.0)
    assert fresh.seconds(1, 1) == pytest.approx(0.003)
    found(SCREEN, "random")
    assert "at the present pace" in why.present(SCREEN)["picture"]["wait"]["curves"]


def test_without_a_selection_the_chapter_says_so() -> None:
    bare = Screen(SCREEN.reading, SCREEN.decode)
    assert why.present(bare)["picture"]["target"] is None
    assert text_of(why.formula(bare)) == "F = si + ej"


def test_question_words_are_masked_in_every_window() -> None:
    assert len(SCREEN.reading.windows) > 1
    reading: Reading = SCREEN.reading
    rows = found(SCREEN, "question")["table"]["rows"]
    assert [row[0] for row in rows] == reading.encoding.question.split()


def test_a_baseline_matters_to_integrated_gradients_alone() -> None:
    reading = FakeReader().read("Who drew it?", TEXT)
    target = target_for(reading, "span_score")
    names = {m: {Work.stood.key(reading, target, m, b) for b in BASELINES} for m in METHODS}
    assert [m for m in METHODS if len(names[m]) > 1] == ["integrated_gradients"]
