"""What no control of the page sends: every handler of a chapter refuses it in one sentence."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.views import selection, what_if
from qa_demo.views.bio import bench as bio
from qa_demo.views.bio import linked as bio_linked
from qa_demo.views.explaining import Work
from qa_demo.views.loss import bench as loss
from qa_demo.views.loss.learners import Learners
from qa_demo.views.new_reading import new_screen
from qa_demo.views.scores import chapter as scores
from qa_demo.views.spans import chapter as spans
from qa_demo.views.start_end import chapter as start_end
from qa_demo.views.state import Screen
from qa_demo.views.why import chapter as why
from qa_demo.views.windows import chapter as windows
from tests.fakes import FakeReader
from tests.requests import job

TEXT = "The bridge opened in July. George Rotne drew it, and Anna Lindh crossed it first. " * 3
READER = FakeReader(bio=True, null=-3.0)
SCREEN = new_screen(None, READER.read("Who drew the bridge?", TEXT, WindowOptions(48, 16)))
STEP = {"scope": "head", "steps": 5, "rate": 1.0, "optimizer": "sgd"}
CHOICE = {"kind": "span_score", "other": None, "method": "leave_one_out", "baseline": "pad"}
PLACE = {"span": [0, 1, 2], "layer": 0, "head": 0, "position": 0}
EXACT = {"what": "exact", "key": "k", "choice": CHOICE, **PLACE}
LOGIT = {"side": "start", "window": 0, "doc": 0, "value": 1}


def other(screen: Screen, value: Any) -> None:
    scores.ask_other(job(screen, "other", value, READER))


def states(screen: Screen, value: Any) -> None:
    scores.ask_states(job(screen, "states", value, READER))


def marked_and_silent(screen: Screen, value: Any) -> None:
    loss.silent(loss.mark(screen, [5, 6]), value)


def step(screen: Screen, value: Any) -> None:
    loss.work(Learners(), job(screen, "step", value, READER))


def explain(screen: Screen, value: Any) -> None:
    why.reply(screen, value, Work(READER, screen.reading))


def parse(screen: Screen, value: Any) -> None:
    selection.parse(screen.reading, value)


def with_(good: dict[str, Any], *wrong: dict[str, Any]) -> list[dict[str, Any]]:
    """What is right but for one field."""
    return [{**good, **one} for one in wrong]


MARK = [None, 3, [1], [1, 2, 3], [5, 2], [-1, 2], [0, 10**6], [0.5, 1], [True, 2], ["0", 1]]
SPOTS = [[0], [0, 1, 2, 3], [0, "1", 2], [0, 3, 1], [0, -1, 0], [99, 0, 0], [0, 0, 10_000]]
SPOTS += [[0, nan, 1], [0, inf, 1], [-inf, 0, 0], [0, 10**400, 10**400], [0, True, 1], [0, 1.5, 2]]
LOGITS = with_(LOGIT, {"side": "up"}, {"window": 99}, {"doc": -1}, {"doc": 10_000}, {"value": "x"})
LOGITS += with_(LOGIT, {"value": 1e6}, {"value": nan}, {"value": True})
LOGITS += [{"side": "start", "window": 0, "pos": 999, "value": 1}]
WHO = {"who": 0, "start": 1, "end": 1}
MARKS = with_(WHO, {"who": 3}, {"start": 4, "end": 3}, {"start": -1}, {"end": 999}, {"who": True})
STEPS = with_(STEP, {"steps": 3}, {"steps": True}, {"rate": "1"}, {"rate": 99}, {"rate": None})
GOLD = [[4], [[9, 4]], [[0, 999999]], [None] * 9, [[-1, 4]], [[0, 1]] * 30, [["٣", 4]]]
ANNOTATED = [[[[0, 3]]], [[[0, 3]], [None], []], [[[0, 9]], [[0, 99999]], []]]
CHOICES = with_(CHOICE, {"kind": "x"}, {"method": "x"}, {"baseline": "x"}, {"other": [0]})
CHOICES += with_(CHOICE, {"other": [3, 1]}, {"other": [0, 10_000]}, {"other": ["a", "b"]})
ASKED = with_(EXACT, {"what": "x"}, {"span": [0, 5, 2]}, {"span": None}, {"choice": None})
ASKED += with_(EXACT, {"layer": 99}, {"head": -1}, {"position": 4000}, {"layer": 1.5})
PLAN = {"max_seq_length": 60, "doc_stride": 3}
PLANS = with_(PLAN, {"max_seq_length": "60"}, {"max_seq_length": 9e9}, {"max_seq_length": 60.5})
C = {"window": 0, "c": 1}
RULE = {"copies": "all", "scale": "logit", "null": "none"}

REFUSED: list[tuple[Callable[[Screen, Any], Any], list[Any], str]] = [
    (parse, [None, "012", {"a": 1}, *SPOTS], ""),
    (what_if.change_temperature, [0, -1, 11, nan, inf, "2", None, True, [1]], "temperature must"),
    (start_end.change_window, [None, 1, [99, 0, 0], [0, 5, 2], [0, 0, 10_000]], ""),
    (what_if.change_logit, [None, 3, {}, *LOGITS], ""),
    (spans.change_length, [0, 2.5, "9"], ""),
    (spans.change_listed, [1e9, None], ""),
    (spans.change_grid, [1, None], ""),
    (spans.change_window, [99, -1, "0"], ""),
    (loss.mark, MARK, ""),
    (loss.load_gold, ["", [], *GOLD], ""),
    (loss.show_window, [99, -1, "1", None, 1.5], ""),
    (marked_and_silent, [-1, 6, "1", None, True], ""),
    (loss.break_rule, ["mean"], ""),
    (windows.change_merge, [3, *with_(RULE, {"copies": "some"}, {"scale": "cosine"})], ""),
    (step, [None, {}, *STEPS, *with_(STEP, {"scope": "all"}, {"optimizer": "lion"})], ""),
    (windows.try_windows, [None, {"max_seq_length": 60}, *PLANS, {**PLAN, "doc_stride": 400}], ""),
    (windows.change_offset, [None, *with_(C, {"window": 99}, {"c": nan}, {"c": 1e9})], ""),
    (windows.change_offset, with_(C, {"window": True}), ""),
    (bio.change_mark, [None, {}, *MARKS, {**WHO, "start": 0.5}], ""),
    (bio.change_threshold, [0, 1, "0.5", None, True, nan], r"between 0\.01 and 0\.99"),
    (bio_linked.load_marks, ["", [], *ANNOTATED], ""),
    (bio_linked.load_marks, [[[[0, 7], [3, 9]], [], []]], "overlaps"),
    (other, [None, "text", {"question": 3}, {"context": ["x"]}, {"question": " \t "}], ""),
    (other, [{"context": "x" * 60_000}], ""),
    (states, [None, "0", 1.5, nan, [0]], ""),
    (why.linked.change_choice, [None, [], *CHOICES], ""),
    (explain, [*ASKED, *with_(EXACT, {"layer": "x"})], ""),
]


@pytest.mark.parametrize(
    ("handler", "value", "said"),
    [(handler, value, said) for handler, values, said in REFUSED for value in values],
)
def test_what_cannot_be_is_refused(
    handler: Callable[[Screen, Any], Any], value: Any, said: str
) -> None:
    with pytest.raises(BadInput, match=said or None):
        handler(SCREEN, value)


def test_what_is_refused_is_refused_for_its_own_fault() -> None:
    """The same handlers take the values of which one field is wrong above."""
    for handler, value in (
        (parse, [0, 1, 2]),
        (what_if.change_logit, LOGIT),
        (step, STEP),
        (windows.try_windows, PLAN),
        (windows.change_offset, C),
        (windows.change_merge, RULE),
        (marked_and_silent, 2),
        (states, 0),
        (loss.show_window, 1),
        (bio.change_mark, WHO),
        (why.linked.change_choice, CHOICE),
        (explain, EXACT),
    ):
        handler(SCREEN, value)
