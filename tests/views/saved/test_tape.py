"""The tape of a saved reading: what it answers is what the running page answers."""

import base64
import copy
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from qa_demo.core.errors import Cancelled
from qa_demo.core.learning.golds import Answer
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Span
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import frame_of, tabs
from qa_demo.views.saved.file import html, saved
from qa_demo.views.saved.tape import canonical, changes, record
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.state import Screen, Selection
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.requests import services

pytestmark = pytest.mark.slow

READER = FakeReader(bio=True)
HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> \u2028"
TEXT = f"Anna Lund came to Visby in 1900. {HOSTILE} George Rotne drew the bridge there."
WHOLE = WindowOptions()
SMALL = WindowOptions(32, 12)


@pytest.fixture(scope="module")
def frame() -> Frame:
    return frame_of(services(lambda: READER, infillers=ModelCache(FakeInfiller)))


def screen_of(windows: WindowOptions = WHOLE) -> Screen:
    gold = (Answer("Visby", TEXT.index("Visby")),)
    return new_screen(None, READER.read("Who came to Visby?", TEXT, windows), gold)


@pytest.fixture(scope="module")
def tape(frame: Frame) -> dict[str, Any]:
    return record(frame, screen_of())


@pytest.fixture(scope="module")
def split(frame: Frame) -> tuple[Screen, dict[str, Any]]:
    screen = screen_of(SMALL)
    assert len(screen.reading.windows) > 2
    return screen, record(frame, screen)


def live(frame: Frame, screen: Screen, chapter: str, place: list[int]) -> dict[str, Any]:
    """The record that the running page sends when a span is selected in an open chapter."""
    shown = screen.presented(chapter)
    return frame.answers.step(shown, lambda seen: seen.select(selection(place))).selection


def selection(place: list[int]) -> Selection:
    return Selection(place[0], Span(place[1], place[2]))


def page_of(tape: dict[str, Any], request: str) -> dict[str, Any]:
    return tape["pages"][tape["answers"][request]["page"]]


def record_of(tape: dict[str, Any], place: str) -> dict[str, Any]:
    """A selection's record as the saved page puts it together."""
    made = tape["record"] | tape["records"][place]
    for parts in (made["details"] or {}).values():
        for name, one in parts.items():
            if isinstance(one, dict) and one.keys() == {"shared"}:
                parts[name] = tape["shared"][one["shared"]]
    return made


def test_every_listed_span_has_the_record_of_the_running_page(
    frame: Frame, tape: dict[str, Any]
) -> None:
    screen = screen_of()
    shown = [r.candidate for r in screen.prediction.n_best]
    assert len(shown) > 5
    for candidate in shown:
        place = [candidate.window, candidate.span.start, candidate.span.end]
        made = record_of(copy.deepcopy(tape), " ".join(map(str, place)))
        theirs = live(frame, screen, "answer", place)
        same = theirs.keys() - {"n", "stamp", "details", "formulas", "link"}
        assert {name: made[name] for name in same} == {name: theirs[name] for name in same}
        assert theirs["link"].items() <= made["link"].items()
        for key in ("answer", "start_end", "spans", "loss", "windows", "bio", "why"):
            theirs = live(frame, screen, key, place)
            assert made["formulas"].get(key) == theirs["formulas"].get(key)
        assert made["details"]["answer"] == theirs["details"]["answer"]
        assert made["details"]["scores"]["window"] == place[0]
        assert made["details"]["scores"]["start"]["rows"]
        assert made["details"]["bio"]["token"] is not None


def test_golds_words_and_rows_of_tables_can_be_selected(tape: dict[str, Any]) -> None:
    screen = screen_of()
    offsets = screen.reading.encoding.offset_mapping.tolist()
    visby = next(d for d, (start, _) in enumerate(offsets) if start == TEXT.index("Visby"))
    assert f"0 {visby} {visby}" in tape["records"]
    tables = [table for page in tape["pictures"].values() for table in page["tables"]]
    rows = [row for table in tables for row in table["select"] or () if row is not None]
    assert len(rows) > 20
    assert {" ".join(map(str, row)) for row in rows} <= tape["records"].keys()


def test_an_answer_is_what_the_handler_makes(frame: Frame, tape: dict[str, Any]) -> None:
    step = next(key for key in tape["answers"] if key == 'spanbert step "closing"')
    made = page_of(tape, step)
    assert made["picture"]["closing"] is not None and made["notice"]
    asked = [key for key in tape["answers"] if key.startswith("why ask ")]
    whats = {json.loads(key.removeprefix("why ask "))["what"] for key in asked}
    assert whats == {"seats", "attention", "relevance", "attribution", "head"}
    for key in asked:
        reply = page_of(tape, key)["picture"]["reply"]
        assert reply["what"] == json.loads(key.removeprefix("why ask "))["what"]
    refused = tape["pages"][tape["refused"]["why ask"]]["picture"]["reply"]
    assert "needs the running page" in refused["error"]
    assert tape["pictures"]["spanbert"]["picture"]["ready"]
    assert tape["pictures"]["scores"]["picture"]["states"] is not None
    assert not tape["pictures"]["bio"]["picture"]["needs"]


def test_each_window_of_a_long_text_is_there(split: tuple[Screen, dict[str, Any]]) -> None:
    screen, tape = split
    base = screen.selection
    chosen = [tape["record"][name] for name in ("window", "start", "end")]
    assert chosen == [base.window, base.span.start, base.span.end]
    for w in range(len(screen.reading.windows)):
        answer = tape["answers"][f"spans window {w}"]
        assert answer["select"] in tape["records"] if w != base.window else "select" not in answer
    for place in tape["records"].keys() - {"none"}:
        window = int(place.split()[0])
        details = record_of(copy.deepcopy(tape), place)["details"]
        assert details["scores"]["window"] == window
        if window != base.window:
            assert f"scores states {window}" in tape["answers"]
            value = [int(n) for n in place.split()]
            page = page_of(tape, f"start_end window {canonical(value)}")
            assert page["picture"]["window"] == window


def test_numbers_changed_by_hand_stay_changed(frame: Frame) -> None:
    screen = screen_of()
    place = screen.selection
    changed = screen.change(
        what_if=screen.what_if.with_logit("start", place.window, 3, 9.0),
        decode=replace(screen.decode, max_answer_length=2),
    )
    tape = record(frame, changed)
    assert tape["reading"]["changed"] and tape["reading"]["stamp"] == changed.stamp
    records = {**tape["records"]}
    del records["none"]
    legal = [p.split() for p, r in records.items() if r.get("flag", tape["record"]["flag"]) is None]
    assert max(int(end) - int(start) + 1 for _, start, end in legal) <= 2


def test_what_the_browser_alone_knows_comes_back(frame: Frame) -> None:
    tape = record(frame, screen_of().open("loss"), page={"page.step": "labels", "page.veil": True})
    page = tape["reading"]["page"]
    assert (page["step"], page["veil"], page["left"]) == ("labels", True, "")
    assert tape["reading"]["open"] == "loss"


def test_a_recording_that_is_cancelled_ends(frame: Frame) -> None:
    with pytest.raises(Cancelled, match="saving was cancelled"):
        record(frame, screen_of(), cancelled=lambda: True)


# the same as in tests/page/saved/tape_test.js
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (3, "3"),
        (None, "null"),
        ("é \u2028 </script", '"é \u2028 </script"'),
        ([1, 0, 2], "[1,0,2]"),
        (
            {"key": "x", "b": {"d": None, "c": [1, {"z": 0, "a": 1}]}, "a": "é"},
            '{"a":"é","b":{"c":[1,{"a":1,"z":0}],"d":null}}',
        ),
    ],
)
def test_a_value_is_written_as_the_browser_writes_it(value: Any, text: str) -> None:
    assert canonical(value) == text


def test_only_what_differs_is_kept() -> None:
    before = {"notice": "a", "tables": [1], "picture": {"x": 1, "y": None}}
    after = {"notice": "b", "tables": [1], "picture": {"x": 1, "y": 3}}
    assert changes(before, after) == {"notice": "b", "picture": {"y": 3}}
    assert changes(before, before) == {}


def test_no_text_ends_the_data_and_the_policy_names_the_script(tape: dict[str, Any]) -> None:
    text = html(saved(tape, tabs(), "http://127.0.0.1:7860/"))
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL | re.IGNORECASE)
    assert [how for how, _ in scripts] == [' type="application/json" id="saved"', ""]
    assert json.loads(scripts[0][1])["tape"]["reading"]["context"] == TEXT
    digest = base64.b64encode(hashlib.sha256(scripts[1][1].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert f"script-src 'sha256-{digest}';" in policy[1]
    assert policy[1].startswith("default-src 'none'")
    assert "<!--" not in text.split("<body>")[1] and "\u2028" not in scripts[0][1]
    assert "https://" not in text.split("<style>")[0]
