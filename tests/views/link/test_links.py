"""Links: any state that can be reached comes back, others open as far as they go."""

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.types import Span
from qa_demo.figures.payload import plain
from qa_demo.views.by_hand import changes, give_back
from qa_demo.views.labels import labels_of
from qa_demo.views.link import fragment
from qa_demo.views.link.fragment import END, VERSION, Wanted, parse
from qa_demo.views.link.parts import parts_of
from qa_demo.views.link.restore import page_of, restore, save, sentence
from qa_demo.views.loss import bench as loss
from qa_demo.views.new_reading import new_screen
from qa_demo.views.spanbert import chapter as spanbert
from qa_demo.views.spanbert import mask, predict
from qa_demo.views.spanbert.lab import lab_of
from qa_demo.views.windows import chapter as windows
from tests.odd import JSON
from tests.views.link.states import (
    MODULES,
    answered,
    followed,
    fragment_of,
    pack,
    reading,
    seen,
    starts,
    wander,
)

NAMES = [part.name for group in parts_of(MODULES).values() for part in group]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_any_state_comes_back_on_a_fresh_page_and_over_any_other_state(seed: int) -> None:
    dice = random.Random(seed)
    screen = wander(dice, 12)
    for before in (None, wander(dice, 10)):
        found, left = followed(screen, before)
        assert left == [] and seen(found) == seen(screen)


def test_a_word_put_beside_a_run_comes_back_once_the_run_has_grown_or_gone() -> None:
    """The page keeps such a word until it is hidden: then the text's own word is guessed."""
    screen = answered(starts()[0], "load")
    for handler, value in (
        (mask.by_hand, [Span(3, 4)]),
        (predict.change_word, {"side": "right", "word": "Ada"}),
        (mask.hide_span, [0, 4]),
        (mask.hide_span, [20, 20]),
        (mask.show_run, 0),
    ):
        screen = spanbert.asked(handler, screen, value)
        found, left = followed(screen)
        assert left == [] and seen(found) == seen(screen)
    words = seen(screen)["fields"]["blanks"]["words"]
    assert [word for _, word in words] == ["ada"]
    hidden = lab_of(spanbert.asked(mask.hide_span, screen, [words[0][0]] * 2))
    np.testing.assert_array_equal(hidden.masked.true_ids, hidden.encoding.context_ids)


def test_no_two_parts_share_a_name() -> None:
    assert len(NAMES) == len(set(NAMES))


def test_what_a_chapter_computed_stays_where_the_link_wants_the_same_of_it() -> None:
    """The back button must not lose a head that was trained, or steps that were taken."""
    screen = starts()[1].keep("loss", "something slow")
    tried = windows.try_windows(screen, {"max_seq_length": 50, "doc_stride": 9})
    found, _ = followed(screen, tried)
    assert found.own["loss"] == "something slow" and "windows" not in found.own


@pytest.mark.parametrize("cut", [0.25, 0.5, 0.8, 0.97])
def test_a_link_that_was_cut_off_opens_its_beginning(cut: float) -> None:
    whole = fragment_of(wander(random.Random(3), 20))
    found = parse(whole[: int(len(whole) * cut)])
    assert "its end is missing or damaged" in found.left
    full = parse(whole)
    assert full.left == ()
    assert all(full.fields[name] == value for name, value in found.fields.items())


def test_most_of_a_link_survives_when_its_last_tenth_is_lost() -> None:
    whole = fragment_of(wander(random.Random(4), 20))
    found = parse(whole[: int(len(whole) * 0.9)])
    assert {"question", "paragraph", "reader", "windows"} <= set(found.fields)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#7.abc", "it is of version 7, this page reads version 2"),
        ("#2.", "its end is missing or damaged"),
        ("#2.%%%%", "its end is missing or damaged"),
        ("#" + "x" * 400_000, "it has 400,000 characters, 300,000 are the most"),
        ("#v=1&q=a&p=b&windows=x", "it holds 'x' where numbers belong"),
        ("#v=1&q=a&p=b&span=0_nan_1", "it holds '0_nan_1' where numbers belong"),
        ("#v=1&q=a&p=b&gold=4to9", "it holds '4to9' where characters such as 4-9 belong"),
        ("#lesson_step=x", "lesson_step is a number from 1, got 'x'"),
        ("#lock=all", "lock may name texts and settings, joined by _, got 'all'"),
        ("#v=1&q=%ff&p=b", "its letters are damaged"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    found = parse(text)
    assert said in found.left


def test_a_bomb_is_not_unfolded() -> None:
    found = parse(pack({"question": "x" * 5_000_000}))
    assert found.fields == {} and found.left


@pytest.mark.parametrize("text", ["", "#", None, 7, "#other", "#a=1&b=2", "#stage-answer"])
def test_no_link_is_none(text: object) -> None:
    assert parse(text) is None


def test_fields_by_hand_and_the_first_version() -> None:
    texts, wanted = "q=Who%3F&p=Ada+met+Grace.", {"question": "Who?", "paragraph": "Ada met Grace."}
    numbers = "windows=100_50_20&decode=7_5_-1.5_1&span=0_1_1&merge=all~log_odds~none"
    wanted |= {"windows": [100, 50, 20], "decode": [7, 5, -1.5, True], "span": [0, 1, 1]}
    wanted |= {"merge": ["all", "log_odds", "none"]}
    marks = "gold=0-3_none&marks=0-3~~4-7"
    wanted |= {"gold": [[0, 3], None], "given": True, "marks": [[[0, 3]], [], [[4, 7]]]}
    page = "chapter=spans&veil=1&step=table&lesson=span&lesson_step=2&lock=texts_settings"
    wanted |= {"chapter": "spans", "page.veil": True, "page.step": "table", "page.lesson": "span"}
    wanted |= {"page.lesson_step": 1, "page.lock": ["texts", "settings"]}
    found = parse(f"#v=1&{texts}&{numbers}&{marks}&{page}")
    assert found.left == () and found.fields == wanted
    screen = new_screen(None, reading("Who?", "Ada met Grace.", windows.WindowOptions()))
    made, left = restore(screen, None, Wanted(found.fields), MODULES)
    assert left == [] and made.decode == DecodeOptions(7, 5, -1.5, True)
    assert made.merge == MergeOptions("all", "log_odds", "none") and made.chapter == "spans"
    assert made.selection.span == Span(1, 1)
    assert [a.text for a in made.gold] == ["Ada"] and made.silent == 1


def test_labels_that_come_with_a_text_are_its_annotators_until_others_are_marked() -> None:
    fresh = new_screen(None, reading("Who?", "Ada met Grace.", windows.WindowOptions()))
    made, _ = restore(fresh, None, parse("#v=1&q=Who%3F&p=Ada+met+Grace.&gold=0-3"), MODULES)
    again, left = restore(fresh, None, Wanted(save(made, MODULES, None)), MODULES)
    assert left == [] and again.given == made.gold
    assert changes(again, MODULES) == [] and labels_of(again).source == "annotators"
    marked = loss.mark(again, [2, 2])
    assert changes(marked, MODULES) == ["1 label"]
    assert give_back(marked, {}, MODULES).gold == made.gold


def test_a_query_gives_what_the_fragment_does_not() -> None:
    found = parse("#chapter=bio", "?example=saxophone&chapter=why&__theme=dark")
    assert found == Wanted({"example": ["saxophone"], "chapter": "bio"})
    whole = fragment_of(starts()[0])
    assert parse(whole, "?example=saxophone") == parse(whole)


def test_another_reader_takes_no_logits_and_says_so() -> None:
    screen = wander(random.Random(12), 30)
    fields = {**save(screen, MODULES, None), "logits": [["start", 0, 1, 3.0]]}
    fresh = new_screen(None, screen.reading)
    found, left = restore(fresh, None, Wanted(fields, same_reader=False), MODULES)
    assert not found.what_if.logits
    assert "the changed logits (it belongs to the other reader)" in left


def test_what_does_not_fit_is_left_out_and_the_rest_is_opened() -> None:
    screen = starts()[0]
    fields = {"span": [0, 9000, 9000], "temperature": 2.5, "chapter": "nowhere", "new": 1}
    found, left = restore(screen, None, Wanted(fields), MODULES)
    said = sentence(left)
    assert found.what_if.temperature == 2.5 and found.selection == screen.selection
    assert "the selection (a selection must lie within" in said
    assert "there is none called 'nowhere'" in said and "'new', which this page" in said


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from([*NAMES, "chapter", "page.step"]), JSON, max_size=4))
def test_any_data_in_any_field_is_loaded_or_named(fields: dict[str, Any]) -> None:
    found, left = restore(starts()[1], None, Wanted(fields), MODULES)
    assert found.reading is not None and plain(page_of(fields, left))
    json.dumps(save(found, MODULES, None), allow_nan=False)


@settings(max_examples=200, deadline=None)
@given(st.text() | st.binary(max_size=60).map(lambda b: f"#2.{fragment.base64.b64encode(b)!r}"))
def test_any_fragment_is_a_link_or_none(text: str) -> None:
    found = parse(text)
    assert found is None or isinstance(found, Wanted)


def test_the_page_and_the_browser_write_the_same_lines() -> None:
    """tests/page/shared/address_test.js holds the browser's side of this."""
    assert VERSION == 2 and END == "."
