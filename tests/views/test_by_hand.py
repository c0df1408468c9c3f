"""What was changed by hand: said, taken back one by one, given back at once."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.views.answer import chapter as answer
from qa_demo.views.bio.bench import change_preset
from qa_demo.views.bio.bench import change_threshold as change_tags
from qa_demo.views.by_hand import by_hand, changes, give_back
from qa_demo.views.link.parts import load_offset
from qa_demo.views.loss.bench import mark
from qa_demo.views.new_reading import new_screen
from qa_demo.views.state import Screen
from qa_demo.views.style import PAGE
from qa_demo.views.what_if import change_logit, change_temperature
from tests.fakes import FakeReader
from tests.requests import MODULES

QUESTION, TEXT = "Who drew it?", "The towers were drawn by Georg Rotne. They stand near Malmö."


def logit(pos: int) -> Callable[[Screen], Screen]:
    place = {"side": "start", "window": 0, "pos": pos, "value": 3.25}
    return lambda screen: change_logit(screen, place)


HANDS: dict[str, tuple[Callable[[Screen], Screen], str]] = {
    "threshold": (lambda s: answer.change_threshold(s, 8.42), "threshold 8.42 below"),
    "length": (
        lambda s: s.change(decode=replace(s.decode, max_answer_length=12)),
        "max_answer_length 12",
    ),
    "logit": (logit(6), "1 logit"),
    "another": (logit(0), "1 logit"),  # [CLS]
    "offset": (lambda s: load_offset(s, [0, -1.5]), "window 1 −1.50"),
    "temperature": (lambda s: change_temperature(s, 0.5), "temperature 0.50"),
    "merge": (lambda s: s.change(merge=MergeOptions("all")), "merge rule"),
    "label": (lambda s: mark(s, [5, 6]), "1 label"),
    "marks": (lambda s: change_preset(s, "agree"), "annotators' marks"),
    "tags": (lambda s: change_tags(s, 0.75), "tags' threshold"),
}


def opened(question: str = QUESTION, context: str = TEXT, old: Screen | None = None) -> Screen:
    return new_screen(old, FakeReader(bio=True).read(question, context))


def saved(screen: Screen) -> dict[str, object]:
    return {part.name: part.save(screen) for part in by_hand(MODULES)}


def test_the_browser_knows_the_same_parts() -> None:
    script = (PAGE / "shared" / "by_hand.js").read_text("utf-8")
    listed = re.search(r"PARTS = \[(.*?)\]", script, re.DOTALL)[1]
    assert re.findall(r'"(\w+)"', listed) == [part.name for part in by_hand(MODULES)]


@pytest.mark.parametrize("name", HANDS)
def test_each_change_is_named_with_its_value(name: str) -> None:
    change, said = HANDS[name]
    assert changes(change(opened()), MODULES) == [said]


def test_two_logits_are_counted_and_all_is_said_in_one_order() -> None:
    screen = opened()
    for change, _ in reversed(HANDS.values()):
        screen = change(screen)
    assert "2 logits" in changes(screen, MODULES) and len(changes(screen, MODULES)) == 8
    assert changes(screen, MODULES)[3] == "threshold 8.42 below, max_answer_length 12"


@given(st.lists(st.sampled_from(sorted(HANDS)), min_size=1, max_size=6))
def test_any_row_of_changes_is_taken_back_step_by_step_and_at_once(names: list[str]) -> None:
    path = [opened()]
    for name in names:
        path.append(HANDS[name][0](path[-1]))
    screen = path[-1]
    for before in reversed(path[:-1]):
        screen = give_back(screen, saved(before), MODULES)
        assert saved(screen) == saved(before)
        assert changes(screen, MODULES) == changes(before, MODULES)
    whole = give_back(path[-1], {}, MODULES)
    assert changes(whole, MODULES) == [] and saved(whole) == saved(path[0])


@pytest.mark.parametrize("value", [None, [], "all", {"decode": [0]}, {"logits": [["start"]]}])
def test_what_no_screen_had_is_refused(value: object) -> None:
    with pytest.raises(BadInput):
        give_back(HANDS["logit"][0](opened()), value, MODULES)


def test_a_threshold_holds_for_its_own_text_and_a_limit_for_all() -> None:
    changed = HANDS["length"][0](HANDS["threshold"][0](opened()))
    again = new_screen(changed, FakeReader(bio=True).read(QUESTION, TEXT, WindowOptions(64, 20)))
    assert again.decode == changed.decode
    for question, context in ((QUESTION + "?", TEXT), (QUESTION, TEXT + " Indeed.")):
        assert opened(question, context, changed).decode == DecodeOptions(max_answer_length=12)
