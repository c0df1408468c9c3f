"""picture(state): every chapter on every example, the veil, what travels, and the one door."""

import json
import re
from dataclasses import replace
from functools import reduce
from unittest.mock import Mock

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qa_demo.blocks import walk
from qa_demo.core.attribution import Target
from qa_demo.core.base import BadInput, Cancelled, ModelUnavailable
from qa_demo.core.store import ASSETS
from qa_demo.core.types import Span
from qa_demo.model.work import AtOnce, Pending
from qa_demo.pictures import CHAPTERS, Pictures
from qa_demo.printed import number
from qa_demo.server.answers import attempt
from qa_demo.state import State, load
from tests.chapters import given as ready
from tests.chapters.given import STEPS, blocks, example, full, items, refused, stored, words
from tests.core.toys import t1, unowned
from tests.fakes import FakeReader, fake_encode
from tests.odd import JSON
from tests.printed import value


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_every_chapter_draws_every_example_in_one_of_its_steps(chapter, step):
    """Eight of them are drawn in all steps by test_snapshots."""
    every = set(ready.EVERY)
    # a path of boxes holds no number, a fake was never recorded; two tables stand beside a figure
    if (chapter, step) in (("spanbert", 3), ("loss", 4), ("spans", 1), ("scores", 2)):
        every.remove("table")
    if chapter == "spans":
        every.add("listed")
    models = chapter in ("scores", "spanbert", "why")
    for name in [*full().examples][step - 1 :: len(CHAPTERS[chapter].STEPS)]:
        by_fake = models or not (ASSETS / "readings" / f"{name}.npz").is_file()
        asked = {"example": name} if by_fake else example(name)
        found = blocks(full() if by_fake else stored(), chapter=chapter, step=step, **asked)
        assert every <= set(found) and found["idea"]["role"] == "idea", name
        assert " nan" not in words(found["finding"]), name


ONE_IN_MANY = r"(?<![.\d])1 (tokens|spans|allowed sums|starts)\b|\b0 other|\b1 of 1 tokens"


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_own_texts_of_any_kind_are_drawn_without_many_for_one_and_long_names(chapter, step):
    for question, context in ready.OWN:
        state = {"chapter": chapter, "step": step, "question": question, "context": context}
        small = {"max_seq_length": 64, "doc_stride": 16} if len(context) > 99 else {}
        made = blocks(full(), **state, **small, gold=[[0, 1], [0, len(context)]], selection=[0, 0])
        rows = made["listed"]["rows"] if "listed" in made else []
        told = [c[0] for r in rows for c in (r["cells"], *r.get("more", {"rows": ()})["rows"])]
        assert len({*told}) == len(told), "equal spans are told apart, variants too"
        state |= {"max_answer_length": 1, "own": {"spanbert": {"text": context[:300]}}}
        for key, block in blocks(full(), **state).items():
            said = words(block) if block["kind"] in ("sentence", "formula", "legend") else ""
            assert not re.search(ONE_IN_MANY, said), (key, said)
            for name in ("xaxis", "yaxis"):
                ticks = block.get("layout", {}).get(name, {}).get("ticktext", [])
                assert all(len(re.sub("<.*?>", "", tick)) <= 60 for tick in ticks), (key, ticks)


def test_no_chapter_calls_the_special_tokens_by_another_name_than_its_reader(monkeypatch):
    def encode(*texts):
        e, last = fake_encode(*texts), ("</s>",)
        return replace(e, prefix_tokens=("<s>", *e.prefix_tokens[1:-1], *last), suffix_tokens=last)

    monkeypatch.setattr("tests.fakes.fake_encode", encode)
    pictures = Pictures(full().examples, lambda _: FakeReader(bio=True), refused, work=AtOnce())
    for chapter, step in STEPS:
        if chapter != "spanbert":  # its own model is a BERT
            for name in ("reef", "danube"):
                found = blocks(pictures, chapter=chapter, step=step, example=name)
                said = [b for key, b in found.items() if key not in ("code", "snippet")]
                assert not re.search(rb"\[(CLS|SEP)\]", orjson.dumps(said)), (chapter, step)


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_a_selection_sends_no_figure_again(chapter, step):
    one = blocks(full(), chapter=chapter, step=step, example="south-pole")
    two = blocks(full(), chapter=chapter, step=step, example="south-pole", selection=[3, 5])
    for key, block in one.items():
        if block["kind"] == "figure":
            assert all(block.get(x) == two[key].get(x) for x in ("data", "layout", "narrow"))


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_the_veil_leaves_out_what_tells_the_answer_and_keeps_the_words(chapter, step):
    kept = {"special", "blank", "masked"}
    shown = blocks(full(), chapter=chapter, step=step, veil=True)
    kinds = {b["kind"] for b in shown.values()}
    assert not kinds & {"figure", "flow", "table", "formula", "code", "fold"}
    roles = {b.get("role") for b in shown.values()}
    assert not roles & {"idea", "finding", "closing", "answer"} and "heading" in roles
    assert not {"cut", "together", "undo"} & set(shown)
    assert full().picture(State(chapter=chapter, step=step, veil=True))["selection"] is None
    long = blocks(full(), chapter=chapter, step=step, veil=True, example="danube")
    whole = [one["t"] for b in long.values() if "segments" in b for one in items(b)]
    assert chapter == "spanbert" or not any(t.startswith("… ") for t in whole)
    for block in shown.values():
        assert not any(segment["holds"] for segment in block.get("segments", []))
        assert "lines" not in block, "marks of people"
        for one in items(block) if "segments" in block else ():
            assert not {"up", "down", "under"} & {*one} and {*one.get("looks", [])} <= kept
        assert "text" not in [shape for shape, *_ in block.get("items", [])]
        told = [block.get("parts", []), *(item[2] for item in block.get("items", []))]
        for parts in told if block.get("role") not in ("asked", "heading") else ():
            assert "“" not in "".join(x for x, _ in parts).replace("“no answer”", "")
        assert not block.get("field", "").startswith("edits")


def test_every_chapter_scores_a_selection_in_the_window_where_its_start_counts():
    place = example("brooklyn")
    shown = full().shown(load(place))
    for d in range(0, len(shown.reading.owners) - 1, 7):
        window = shown.reading.home(Span(d, d + 1))
        start, end = shown.reading.logits(window.index)
        score = start[window.to_pos(d)] + end[window.to_pos(d + 1)]
        for chapter in ("answer", "spans"):
            said = words(blocks(full(), chapter=chapter, selection=[d, d + 1], **place)["sum"])
            found = re.search(r"[=≈] (−?[\d.]+)(  “.*)?$", said)
            assert found and value(found[1]) == pytest.approx(score, abs=0.006), (chapter, d)


APART = ("bio", "spanbert")
"""Chapters of other numbers than the reader's logits of start and end."""
FOLLOW = [("answer", 1), ("answer", 2), ("spans", 1)]
FOLLOW += [(name, step) for name, step in STEPS if name in ("start_end", "loss", "windows")]


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_a_logit_changed_in_another_window_is_named_with_its_window(chapter, step):
    place = {"chapter": chapter, "step": step, **example("brooklyn")}
    own = full().shown(load(place)).true
    back = {"start": {"1:30": round(float(own.start_logits[1, 30]), 2)}}  # as its slider has it
    changed = {**place, "edits": {"end": {"0:20": -7.5, "1:0": -8.0}, **back}}
    plain, found = blocks(full(), **place, edits=back), blocks(full(), **changed)
    assert found["answer"] != plain["answer"] or chapter == "spanbert"
    if (chapter, step) in FOLLOW:
        said = words(found["by-hand"])
        assert re.match("Changed by hand[^:]*: end logit of “Roebling” ", said)
        assert f"{number(own.end_logits[0, 20])} → −7.50 (window 1 of 4); end logit of “[CL" in said
        assert "→ −8.00 (window 2 of 4)" in said and found["undo"]["sets"] == {"edits": None}
        assert not {"by-hand", "undo"} & set(blocks(full(), veil=True, **changed))
    elif chapter not in APART:
        assert "not those changed by hand" in words(found["finding"])
    assert "by-hand" not in plain and ("undo" in plain) == ((chapter, step) == ("start_end", 3))


@pytest.mark.parametrize(("chapter", "step"), STEPS)
def test_a_press_on_an_option_presses_it_and_one_on_a_row_selects_what_stands_there(chapter, step):
    place = {"chapter": chapter, "step": step, "example": "oresund"}
    found, e = blocks(full(), **place), full().shown(load(place)).encoding
    for key, block in found.items():
        for k, option in enumerate(block.get("options", ())):
            state = {**place, "own": {chapter: {}}}
            for path, to in option["sets"].items():
                *way, name = path.split(".")
                reduce(dict.get, way, state).update({} if to is None else {name: to})
            same = blocks(full(), **state).get(key, {"options": []})["options"]
            assert [n for n, one in enumerate(same) if one["pressed"]] == [k] or not same, key
        for row in block.get("rows", ()):
            first, _ = row.get("sets", {}).get("selection", (None, None))
            assert first is None or e.text(Span(first, first)) in " ".join(row["cells"]), key


def test_a_block_that_the_browser_holds_is_not_sent_again():
    first = full().picture(load({"chapter": "spans", "example": "oresund"}))
    held = {b["digest"] for b in walk(first["blocks"]) if "digest" in b}
    again = full().picture(load({"chapter": "spans", "example": "oresund"}), frozenset(held))
    assert all("kind" not in b for b in walk(again["blocks"]) if "digest" in b)
    moved = load({"chapter": "spans", "example": "oresund", "selection": [2, 4]})
    sent = full().picture(moved, frozenset(held))
    fresh = [b["key"] for b in walk(sent["blocks"]) if "kind" in b and "digest" in b]
    assert fresh == ["sum"] and len(orjson.dumps(sent)) < 6_000


DOORS = {
    "nothing": (None, "a picture is asked for by"),
    "a step": ({"state": {"chapter": "spans", "step": 7}}, "this chapter has 1 step, got step 7"),
    "a selection": ({"state": {"question": "x", "context": "x", "selection": [0, 1]}}, "token 1"),
    "a gold": ({"state": {"example": "oresund", "gold": [[5, 99999]]}}, "gold needs"),
    "a gold of blanks": ({"state": {"example": "oresund", "gold": [[6, 7]]}}, "not blanks alone"),
    "a window": ({"state": {"example": "oresund", "max_seq_length": 12}}, "12"),
    "a cut": ({"state": {"question": "x", "context": "x " * 4000, "doc_stride": 3}}, "least 4"),
    "own": ({"state": {"own": {"spans": {"x": 1}}, "chapter": "spans"}}, "no field x"),
    "place": ({"state": {"chapter": "start_end", "own": {"start_end": {"position": -5}}}}, "to 0"),
    "an edit": ({"state": {"example": "oresund", "edits": {"start": {"7:1": 1}}}}, "7:1"),
}


@pytest.mark.parametrize(("asked", "said"), DOORS.values(), ids=DOORS)
def test_the_door_answers_with_one_sentence(asked, said):
    status, found = attempt(full().asked, asked)
    assert status == 422 and said in found["error"] and "\n" not in found["error"]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["state", "have", "than"]), JSON))
def test_any_json_at_the_door_is_a_picture_or_a_sentence(asked):
    status, body = attempt(full().asked, asked)
    assert status in (200, 422) and json.dumps(body)


def test_a_model_that_is_missing_or_broken_is_said_and_a_pending_one_is_told():
    def answer(fault):
        pictures = Pictures(full().examples, Mock(side_effect=fault), refused, work=AtOnce())
        return attempt(pictures.asked, {"state": {}})

    waits = {"place": 2, "seconds": 1.5, "done": 0.25}
    for key, model in ((("reading", "x"), "the reader"), (("spanbert", "x"), "SpanBERT")):
        assert answer(Pending(key, *waits.values())) == (202, {"model": model} | waits)
    assert answer(Cancelled("this machine slept"))[0] == 202
    assert answer(ModelUnavailable("no such reader")) == (503, {"error": "no such reader"})
    status, said = answer(BaseException("a panic of the tokenizer"))
    assert status == 500 and "panic" not in said["error"]


def test_nothing_chosen_opens_each_chapter_on_its_own_text_and_a_chosen_one_in_its_windows():
    for name, module in CHAPTERS.items():
        opens = getattr(module, "OPENS", {}).get(1, {}).get("example", "oresund")
        assert full().picture(State(chapter=name))["example"] == opens
        assert full().picture(State(chapter=name, example="gold"))["example"] == "gold"
    made, cut = full().picture(State(example="brooklyn")), {"max_seq_length": 99, "doc_stride": 9}
    own = {"example": "brooklyn"}
    assert own | made["opened"] == example("brooklyn") != own
    assert made["question"] == full().examples["brooklyn"].question
    assert not full().picture(load(own | cut))["opened"], "windows that were chosen stay"


@pytest.mark.parametrize("pinned", [{}, {"example": "oresund"}])
def test_what_differs_from_a_pinned_state_is_one_line(pinned):
    own = float(full().shown(load(pinned)).true.start_logits[0, 5])
    than = {"temperature": 2.0, "veil": True, "own": {"loss": {"label": 1}}}
    than["edits"] = {"start": {"0:5": own}}
    differs = full().asked({"state": pinned, "than": than | {"example": "oresund"}})["differs"]
    assert differs == "Pinned. It differs in: temperature 1.0, there 2.0."
    than["edits"]["start"]["0:5"] += 1
    asked = {"state": {**pinned, "chapter": "loss"}, "than": {**than, "chapter": "loss"}}
    told = "changed logits; temperature 1.0, there 2.0; the chapter's settings."
    assert told in full().asked(asked)["differs"]
    asked = {"state": pinned, "than": {"example": "reef"}}
    assert "“The Öresund Bridge”, there “The Great Barrier Reef”" in full().asked(asked)["differs"]


def test_an_examples_shares_stand_for_its_own_span_and_a_rule_without_one_is_named():
    shown = stored().shown(load({"example": "oresund"}))
    target = Target("span_minus_null", shown.best.span, None, shown.best.window)
    assert shown.need(("attribution", target), refused).target == target
    for key in (("attribution", replace(target, span=Span(0, 0))), "heads"):
        with pytest.raises(BadInput, match="asks no bundled"):
            shown.need(key, refused)
    # the window that wins by its maxima may own pieces without a character alone
    reader = Mock(max_seq_length=512, **{"read.return_value": unowned(t1())})
    own = {"question": "a", "context": "b", "rule": "mean_of_maxima"}
    with pytest.raises(BadInput, match="by the rule mean_of_maxima this paragraph has no span of"):
        Pictures({}, lambda _: reader, refused, work=AtOnce()).shown(load(own))


PRINTS = {
    "answer": r"\(2, 3\) 12.1 -9.1 answer",
    "scores": r"start logit 5.86\n.* start logit -6.14",
    "start_end": r"0.986 .*\] (1.0|0.99999)",
    "spans": r"\(np.int64\(2\), np.int64\(2\)\) 7.0",
    "loss": r"2 L (1.8873)\d+  constant - score \1",
    "windows": "window 2 nearer edge: 26\nwindow 3 nearer edge: 5",
    "bio": "alone 0.931 possible 0.994",
    "spanbert": "L_SBO of word 0: 0.04",
    "why": r"\] (7.5)\d* \1",
}


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_code_that_a_chapter_shows_runs_alone_and_prints_its_numbers(name, capsys):
    shown = (blocks(full(), chapter=name, step=k)["snippet"] for n, k in STEPS if n == name)
    (code,) = {one["text"] for one in shown}
    exec(code, {})
    said = capsys.readouterr().out.strip()
    assert name in PRINTS, f"say here what the code prints: {said}"
    assert re.search(PRINTS[name], said) and len(code.splitlines()) <= 24, said
