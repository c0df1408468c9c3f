"""Chapter 5: loss and pull are torch's, the scales differ by a constant, marks are trained on."""

import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from qa_demo.chapters import loss
from qa_demo.chapters.loss import Case, Own
from qa_demo.core.spans import best_pairs, scored_pair, span_scores
from qa_demo.core.types import Answer
from qa_demo.examples import load_menu
from qa_demo.printed import escape, probability, small_number
from tests.chapters.given import blocks, example, faked, full, items, shown_of, stored, words
from tests.printed import value

EXAMPLES = ("oresund", "machu-picchu", "reef", "danube")


def at(name: str, step: int = 1, **own):
    return {**example(name), "chapter": "loss", "step": step, "own": {"loss": own}}


def case_of(name: str, step: int = 1, **own) -> Case:
    return Case(shown_of(stored(), **at(name, step)), Own(**own))


def pictured(shown) -> dict:
    return {b["key"]: b for b in loss.picture(shown, Own()) if b}


@pytest.mark.parametrize(("step", "label"), [(4, 0), (4, 1), (1, "mean")])
@pytest.mark.parametrize("name", EXAMPLES)
def test_loss_and_pull_are_torchs(name, step, label):
    for k in (0, 13, 27):
        case = case_of(name, step, label=label, moment=k)
        sides = [torch.tensor(x, requires_grad=True) for x in case.logits]
        start, end = map(cross_entropy, sides, map(torch.tensor, case.targets))
        mean = (start + end) / 2
        mean.backward()
        assert case.now == k or step == 1
        np.testing.assert_allclose(case.loss, mean.item(), rtol=1e-9)
        for pull, x in zip(case.record.pull(case.now), sides, strict=True):
            np.testing.assert_allclose(pull, -x.grad.numpy(), atol=1e-12)
            assert abs(pull.sum()) < 1e-9


@pytest.mark.parametrize("name", EXAMPLES)
def test_both_scales_differ_by_one_constant_and_the_highest_pair_is_brute_force(name):
    for k in (14, 89):
        case = case_of(name, 2, moment=k)
        right, shown = scored_pair(*case.logits, *case.pair), case.shown
        five = best_pairs(*case.logits, case.window, shown.encoding, shown.decode)
        found = five if right in five else [*five[:4], right]
        gaps = [p.score - p.log_p for p in found]
        np.testing.assert_allclose(gaps, gaps[0])
        np.testing.assert_allclose(-right.log_p, 2 * case.loss, rtol=1e-9)
        w, scores = case.window, span_scores(*case.logits)
        starts, ends = (np.flatnonzero(x).tolist() for x in (w.is_max_context, w.is_context))
        rank = sorted(scores[i, j] for i in starts for j in ends if i <= j < i + 30)[::-1]
        assert abs(max(rank[0], scores[0, 0]) - found[0].score) < 1e-6
        assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)
        (said, _, key, figure, _), _ = loss.the_fit(case)
        finding, row = words(said), case.moments.index(case.now)
        ends, notes = [b["x"][row] for b in figure["data"]], figure["layout"]["annotations"]
        higher, products = scores > right.score + 1e-9, np.exp(np.add.outer(*case.log_p))
        above, total = int(higher.sum()), products[higher].sum()
        assert ends == pytest.approx([1, total + (p := np.exp(-2 * case.loss)), p], rel=1e-9)
        over, under, best = *(n["text"] for n in notes[2 * row :][:2]), [loss.span_of(w, found[0])]
        assert f"best allowed pair is <b>{escape(case.names(best, 18)[0])}</b>" in over
        counts = [value(x) for x in re.findall(r"([\d,]+) (?:above|others)", under)]
        assert counts == [above] * bool(above) + [scores.size - 1 - above]
        assert ("above" in words(key)) == any(" above " in n["text"] for n in notes), "drawn"
        assert sum(map(value, re.findall(r"\d\.\d+", under))) == pytest.approx(1, abs=0.002)
        p, then = re.search(r"L\) = (\S+) of.*?(?:training it has (\S+), so.*)?$", finding).groups()
        most = max(0, int(np.ceil(1 / value(p))) - 2)  # with its own all probabilities sum to 1
        told = f"at most {small_number(most)} can" if most else "none can fit into the rest."
        assert told in finding and above <= most < scores.size - 1
        assert not most or f"the rest; {small_number(above) if above else 'none'} " in finding
        ends = -np.log(value(then)) / 2 if case.now != case.record.last else case.loss
        assert ends == pytest.approx(case.record.costs[-1][2], abs=0.01)
        assert loss.room_above(np.log(scores.size), w)[1] == "every other pair"
        assert value(p) == pytest.approx(np.exp(-2 * case.loss), rel=0.01)


def test_the_right_positions_follow_from_people_and_the_window_and_the_mean_is_a_mean():
    case, w = case_of("brooklyn"), case_of("danube").window
    assert case_of("reef").pair == (0, 0) and case.window.holds(case.span)
    assert case_of("danube").pair == (w.to_pos(263), w.to_pos(264))
    cut = replace(case.shown, golds=(Answer(case.shown.encoding.context, 0),))
    assert Case(cut, Own()).pair == (0, 0)
    assert "No window holds the answer whole" in words(pictured(cut)["finding"])
    case = case_of("oresund", label="mean")
    assert [label.marks for label in case.labels] == [2, 1]
    assert case.mean and not case_of("oresund", 2, label="mean").mean
    by_hand = sum(label.marks * case.loss_by(label) for label in case.labels) / 3
    np.testing.assert_allclose([case.loss, case.targets[0].sum()], [by_hand, 1])
    assert case_of("oresund", label=99).span == case_of("oresund").labels[-1].span
    two = blocks(stored(), **at("oresund", 2, moment=27), edits={"start": {"0:40": 9, "0:42": 9}})
    assert "above" not in two["figure"]["layout"]["annotations"][-1]["text"], "alike"


def test_on_a_text_of_ones_own_a_link_may_mark_what_is_right():
    given = {"question": "Who?", "context": "Ada Kok lives in Oslo.", "chapter": "loss"}
    assert "Nobody marked" in words(blocks(faked(), **given)["finding"])
    assert "“Oslo”" in words(blocks(faked(), **given, gold=[[17, 21]])["finding"])
    assert "[CLS]" in words(blocks(faked(), **given, gold=[])["finding"])
    long = blocks(faked(), **given, gold=[[0, 7]], max_answer_length=1, step=2)["finding"]
    assert "The right pair is not allowed (too long): no search returns it." in words(long)
    two = {"gold": [[0, 3], [17, 21]], "own": {"loss": {"label": "mean"}}}
    assert "the mean over the marks" in words(blocks(faked(), **given, **two)["finding"])
    assert "not recorded" in words(blocks(faked(), **given, step=4)["finding"])


def test_every_arrow_carries_its_number_and_an_idle_separator_is_left_out():
    for name in EXAMPLES:
        case = case_of(name, 3)
        made = pictured(case.shown)
        least = float(words(made["key"]).split("under ")[-1])
        for lane, pull in zip(("up", "down"), case.record.pull(case.now), strict=True):
            drawn = [i[lane] for i in items(made["pulls"]) if lane in i]
            assert len(drawn) == int((np.abs(pull) >= least).sum())
            assert all(abs(value(label) - v) <= 0.006 for v, label in drawn)
    assert blocks(stored(), **at("reef"))["rows"]["rows"][0]["cells"][0] == "no answer"
    bars = items(blocks(stored(), **at("oresund", 4))["bars"])
    assert not any("+" in str(one.get(lane)) for one in bars for lane in ("up", "down")), "P"
    read = items(blocks(stored(), **at("reef", 3))["pulls"])
    assert "right" in read[0]["looks"] and read[0]["t"] == "[CLS] no answer"
    assert read[-1]["t"] != "[SEP]" or "up" in read[-1] or "down" in read[-1]


def test_the_record_belongs_to_the_reader_and_opens_where_the_loss_is_large():
    case = case_of("oresund", 4)
    assert not case.unrecorded and case.record.steps[case.now] == 91
    found, most = blocks(stored(), **at("oresund", 4)), float(np.exp(case.log_p[0].max()))
    assert f"most probable start is “[CLS]” ({probability(most)})" in words(found["finding"])
    assert f"; {len(case.record.steps)} moments were" in found["moment"]["says"]
    assert found["figure"]["overlay"]["annotations"][0]["x"] == pytest.approx(np.log10(91))
    assert "not recorded" in case_of("suez", 4).unrecorded
    cut = shown_of(stored(), **at("brooklyn", 4))
    cut = replace(cut, golds=(Answer(cut.encoding.context[:9], 0),))
    assert "of window 3, not of window 1." in Case(cut, Own()).unrecorded
    other = shown_of(stored(), **at("oresund", 4))
    windows = replace(other.true.options, doc_stride=9)
    cut = replace(other, true=replace(other.true, options=windows))
    assert "in its own windows" in Case(cut, Own()).unrecorded
    other = replace(other, true=replace(other.true, checksum="other"))
    assert "bundled" in Case(other, Own()).unrecorded
    early = blocks(stored(), **at("oresund"))
    assert words(early["finding"]).startswith("After 91 training steps")
    assert words(early["answer"]).endswith(" sure · by the fully trained reader")
    assert [o["label"][:8] for o in early["moment"]["options"]] == ["after 91", "at the e"]
    last = early["moment"]["options"][-1]["sets"]["own.loss.moment"]
    end = blocks(stored(), **at("oresund", moment=last))
    _, *then, now = early["figure"]["data"] + end["figure"]["data"][1:]
    for marks in (*then, now):  # they lie at P and -log P, a little above or below the curve
        np.testing.assert_allclose(marks["y"], -np.log(marks["x"]), atol=0.11)
    assert sorted(then[1]["x"]) == now["x"], "empty: at the end"
    said = [words(x["finding"]).split("the loss is ")[1] for x in (early, end)]
    assert said == ["2.854. At the end of training it is 0.040.", "0.040."]


@pytest.mark.parametrize("moment", [13, 27])
@pytest.mark.parametrize("label", [0, "mean"])
def test_no_name_of_the_curve_covers_it_another_name_or_its_line(label, moment):
    for name in [name for name, one in load_menu().items() if one.stored()]:
        figure = blocks(stored(), **at(name, label=label, moment=moment))["figure"]
        low, high = figure["layout"]["yaxis"]["range"]
        line, both = -low / 1.5, (figure["layout"], figure["narrow"])  # half a line of text
        for pixels, notes in zip((1124, 290), (one["annotations"] for one in both), strict=True):
            drawn = []
            for n in notes:
                rows = re.sub("</?b>", "", n["text"]).split("<br>")
                wide, half = max(map(len, rows)) * 7 / pixels, len(rows) * line - 0.01
                x0 = n["ax"] - wide * (n["xanchor"] == "right")
                box = np.array([[x0, n["ay"] - half], [x0 + wide, n["ay"] + half]])
                assert x0 > 0 and box[1, 0] < 1.03 and box[1, 1] < high, name
                assert box[0, 1] > -np.log(x0) - 0.1, name
                drawn.append((box, np.linspace((n["ax"], n["ay"]), (n["x"], n["y"]), 40)))
            for (box, _), (other, way) in permutations(drawn, 2):
                covered = ((way > box[0]) & (way < box[1])).all(1).any()
                assert label == "mean" or not covered, name  # six names: some lines are behind one
                assert not ((box[0] < other[1]) & (other[0] < box[1])).all(), name


def test_names_wider_than_a_phone_stand_somewhere():
    """The curve has no height left of P = 0, where such a name begins."""
    words = ["antidisestablishmentarianism", "counterrevolutionaries", "internationalization"]
    words.append("W" * 28)
    context = " ".join(words) + " came."
    gold = [[context.index(w), context.index(w) + len(w)] for w in words]
    state = {"question": "What came?", "context": context, "gold": gold}
    with np.errstate(invalid="raise", divide="raise"):
        figure = blocks(full(), chapter="loss", own={"loss": {"label": "mean"}}, **state)["figure"]
    assert all(np.isfinite(one["ay"]) for one in figure["narrow"]["annotations"])
