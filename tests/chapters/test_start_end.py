"""Chapter 3: both softmaxes against torch, bars and sums in the text, logits changed by hand."""

import re
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from qa_demo.core.text import is_mark
from qa_demo.examples import load_menu
from qa_demo.printed import number, probability
from tests.chapters.given import blocks, example, items, shown_of, stored, words

EXAMPLES = ("oresund", "natural-selection", "reef", "danube", "khwarizmi")


def truth(name: str, temperature: float = 1.0):
    """The window on screen and torch's softmaxes of its logits."""
    shown = shown_of(stored(), example=name)
    logits = torch.tensor(np.stack(shown.true.logits(shown.window.index)).astype(np.float64))
    return shown.window, *torch.softmax(logits / temperature, 1).numpy()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_bar_is_its_positions_probability_and_all_sum_to_one(name):
    found = blocks(stored(), example=name, chapter="start_end", step=3)
    window, start, end = truth(name)
    drawn = {x["sets"]["own.start_end.position"]: x for x in items(found["words"]) if "sets" in x}
    whole = items(blocks(stored(), example=name, chapter="start_end", step=3, veil=True)["words"])
    assert [drawn.get(pos, x)["t"] for pos, x in enumerate(whole)] == [x["t"] for x in whole]
    quiet = [x for pos, x in enumerate(whole) if pos not in drawn]
    left_out = sum(not (x.get("joined") or is_mark(x["t"])) for x in quiet)
    counted = [x["t"].split()[1] for x in items(found["words"]) if "sets" not in x]
    assert sum(map(int, counted)) == left_out and bool(left_out) == (len(window) >= 150)
    for lane, p in (("up", start), ("down", end)):
        bars = [drawn.get(pos, {}).get(lane, [0.0])[0] for pos in range(len(p))]
        np.testing.assert_allclose(bars, np.where(p >= 0.005, p, 0), atol=6e-5)
        each = [drawn.get(pos, {}).get(lane, [0, "", 0]) for pos in range(len(p))]
        for (_, said, frame), high in zip(each, p, strict=True):
            raised = said[:1] == "→" and abs(float(said[2:]) - frame) < 6e-4
            assert bool(said) == (high >= 0.1 or raised), "the number over a bar"
        assert "→" in str(each) or lane == "down"
        side, held = {"up": "start ", "down": "end "}[lane], found["words"]["segments"]
        cls, inside = np.arange(len(p)) == 0, window.is_context
        for segment, at in zip(held, (cls, ~(cls | inside), inside), strict=True):
            assert side + probability(p[at].sum()) in [text for text, _ in segment["holds"]]
    asked = "".join(x["t"] + x["gap"] for x in held[1]["items"][:-1]).strip()
    assert asked == load_menu()[name].question
    found = blocks(stored(), example=name, chapter="start_end")
    assert f"with {start.max():.3f}" in words(found["finding"])
    assert f" {window.is_context.sum()} tokens of the paragraph" in words(found["exact-0"])
    most = np.argsort(-np.maximum(start, end), kind="stable")[:12].tolist()
    assert [int(row["cells"][0]) for row in found["rows"]["rows"]] == most


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_chart_shows_both_softmaxes_at_the_temperature(temperature):
    asked = {"example": "oresund", "chapter": "start_end", "temperature": temperature}
    found = blocks(stored(), step=2, **asked)
    window, start, end = truth("oresund", temperature)
    for probs, dots in zip((start, end), found["shares"]["data"], strict=True):
        np.testing.assert_allclose(dots["y"], probs, rtol=1e-6)
    assert words(found["finding"]).startswith(f"At T = {temperature:g} the most likely start")
    parts, drawn = {"question": 1, "paragraph": window.context_at}, found["shares"]["layout"]
    assert {n["text"]: n["x"] for n in drawn["annotations"]}.items() >= parts.items()
    assert [line["x0"] for line in drawn["shapes"]] == [x - 0.5 for x in parts.values()]


def test_weights_too_large_to_print_whole_are_powers_of_ten():
    state = {"example": "oresund", "chapter": "start_end", "step": 3, "temperature": 0.2}
    found = blocks(stored(), **state, edits={"start": {"0:40": 100.0}})
    assert "exp(100.00 / 0.2) / Σ exp = 1.40 · 10²¹⁷ / 1.40 · 10²¹⁷" in words(found["p-start"])
    assert words(found["p-start"]).endswith("2.04 · 10¹⁴ / 1.40 · 10²¹⁷ = 1 · 10⁻²⁰³")


@pytest.mark.parametrize("edits", [{}, {"start": {"0:3": -100.0, "0:9": 100.0}}])
def test_no_probability_is_printed_as_0_or_1(edits):
    state = {"example": "reef", "chapter": "start_end", "temperature": 0.2, "edits": edits}
    for step in (1, 2, 3):
        found = blocks(stored(), step=step, **state).values()
        said = " ".join(words(b) for b in found if b["kind"] in ("sentence", "formula"))
        said += str([b.get("segments") or b.get("data") for b in found])
        assert not re.search(r"[^.\d](1\.0000?|0\.0000?)\b(?!\d)|0 · 10⁰", said)


def test_a_changed_logit_moves_both_the_chart_and_the_best_pair(monkeypatch):
    window, _, _ = truth("oresund")
    at = f"{window.index}:{window.context_at + 1}"
    edits = {"start": {at: 12.0}, "end": {at: 3.5}}
    found = blocks(stored(), example="oresund", chapter="start_end", step=3, edits=edits)
    assert re.search("start logit of .*→ 12.00.*; end logit of .*→ 3.50", words(found["by-hand"]))
    was, best = (shown_of(stored(), example="oresund", edits=x).best for x in ({}, edits))
    now = f"{number(best.start_logit)} + {number(best.end_logit)} = {number(best.score)}"
    told = f"Best pair now: “{best.text}” with {now}; it was “{was.text}” with {number(was.score)}."
    assert words(found["finding"]) == told
    assert items(found["words"])[window.context_at + 1]["up"][0] > 0.99
    assert "logits changed by hand" in words(found["answer"])
    split = blocks(stored(), **example("brooklyn"), chapter="start_end", step=3, edits=edits)
    assert words(split["finding"]).endswith("11.23. You see window 3 of 5.")
    once = Mock(side_effect=map(str, range(len(window))))  # each name for all changes of a window
    monkeypatch.setattr("qa_demo.by_hand.position_name", once)
    blocks(stored(), example="oresund", chapter="start_end", step=3, edits=edits)


@pytest.mark.parametrize("position", [None, 0, 42, 9999])
def test_a_press_raises_one_start_and_all_others_shrink_by_the_printed_factor(position):
    asked = {"example": "oresund", "chapter": "start_end", "step": 3}
    asked["own"] = {"start_end": {"position": position}}
    own = blocks(stored(), **asked)
    ((path, to),) = own["undo"]["sets"].items()
    found = blocks(stored(), **asked, edits={"start": {path.split(".")[2]: to}})
    assert found["start-logit"]["field"] == path
    assert found["start-logit"]["says"] == own["start-logit"]["says"], "the reader's own"
    top = shown_of(stored(), example="oresund").true.start_logits[0].max()
    above = ", 1 above the highest," in words(own["finding"])
    assert to == pytest.approx(top + 1, abs=0.006) and above == (position != 42)
    assert "if raised" in words(own["key"]) and "frame: before" in words(found["key"])
    before, now = ([x.get("up", [0])[0] for x in items(b["words"])] for b in (own, found))
    at, factor = np.argmax(now), float(words(found["p-start"]).split()[-1])
    framed = ([x.get("up", [0] * 3)[2] for x in items(b["words"])] for b in (own, found))
    for frames, other in zip(framed, (now, before), strict=True):  # what will be, then what was
        assert frames == [x * (b != n) for x, b, n in zip(other, before, now, strict=True)]
    assert max(before) > 0.9 and now[at] > 0.7 and f"× {factor}" in words(own["finding"])
    np.testing.assert_allclose(np.delete(now, at), np.delete(before, at) * factor, atol=0.005)
    assert not any(x.get("down", [0])[-1] for x in items(found["words"])), "no end has changed"
