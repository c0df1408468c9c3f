"""Chapter 6: each number of each window against brute force; examples through all steps."""

import re

import numpy as np
import pytest
import torch

from qa_demo.chapters import windows as chapter
from tests.chapters.given import blocks, example, faked, pairs, real, shown_of, stored, words
from tests.printed import value

LONG = "Ada Kok lives in Oslo and Bo Lie in Malmo. Nobody else came. " * 22


def numbers(**state) -> chapter.Windows:
    return chapter.Windows(shown_of(faked(), chapter="windows", **state))


def drawn(step, pictures=None, **state):
    return blocks(pictures or faked(), chapter="windows", step=step, **state)


@pytest.mark.parametrize("cut", [(64, 50), (32, 9), (200, 128)])
@pytest.mark.parametrize("place", [{"example": "brooklyn"}, {"question": "Who?", "context": LONG}])
def test_each_window_says_what_brute_force_says(cut, place):
    w = numbers(max_seq_length=cut[0], doc_stride=cut[1], **place)
    best = (-np.inf, 0)
    for row, window in zip(w.rows, w.reading.windows, strict=True):
        s, e = (torch.tensor(x).double() for x in w.reading.logits(window.index))
        ps, pe = s.softmax(0), e.softmax(0)
        cs, ce = (x[torch.tensor(window.is_context)].softmax(0) for x in (s, e))
        score, i, j = max(pairs(w.reading, window), key=lambda p: (p[0], -p[1], -p[2]))
        assert (row.own.span.start, row.own.span.end) == (i, j)
        i, j = i - window.doc_start, j - window.doc_start
        wanted = score, float(s[0] + e[0]), float(ps.max() + pe.max()) / 2, float(cs[i] * ce[j])
        assert (row.score, row.null, row.mean, row.product) == pytest.approx(wanted)
        best = max(best, (row.score, -row.k))
    presses = [row["sets"] for row in chapter.as_table(w)["rows"]]
    assert presses == [{"selection": [r.own.span.start, r.own.span.end]} for r in w.rows]
    assert w.win.k == -best[1]
    start = w.best.span.start  # which counts where its shorter side has most text
    held = [v for v in w.reading.windows if v.doc_start <= start < v.doc_stop]
    edges = {v.index + 1: min(start - v.doc_start, v.doc_stop - 1 - start) for v in held}
    assert {r.k: r.edge for r in w.holding} == edges
    assert edges[w.win.k] == max(edges.values()) and w.holding[0] is w.win


def test_the_staircase_draws_the_cut_and_the_sum_is_the_size():
    w = numbers(example="brooklyn", max_seq_length=64, doc_stride=20)
    found = drawn(1, example="brooklyn", max_seq_length=64, doc_stride=20)
    boxes = [s for s in found["lanes"]["layout"]["shapes"] if s["fillcolor"] == "pale"]
    cuts = [(r.window.doc_start, r.window.doc_stop) for r in chapter.few(w.rows, [w.win])]
    assert [(s["x0"] + 0.5, s["x1"] + 0.5) for s in boxes] == cuts
    assert w.asked + w.special + w.capacity == 64
    assert f"64 = {w.asked} question + {w.special} special tokens" in words(found["length"])
    assert (found["size"]["min"], found["stride"]["max"]) == (w.asked + w.special + 20, w.capacity)
    touch = drawn(1, example="brooklyn", max_seq_length=64, doc_stride=w.capacity)
    assert "they touch" in words(touch["closing"]) and "also read" not in words(touch["key"])
    tablet, phone = (view["annotations"] for view in found["lanes"]["narrow"])
    assert len(tablet) > len(phone), "as many words of the paragraph as fit"
    for note in found["lanes"]["layout"]["annotations"]:
        if note.get("borderpad"):  # the name of a best span leads away from the nearer end
            half = found["lanes"]["layout"]["xaxis"]["range"][1] / 2
            assert (note["x"] < half + 3) if note["xanchor"] == "left" else (note["x"] > half - 3)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@pytest.mark.parametrize("state", [{}, {"veil": True}, {"threshold": -50}, {"rule": "product"}])
def test_every_opening_and_every_press_is_drawn(step, state):
    found = drawn(step, **state)
    assert ("rule" in found) == ("rule" in state and step < 4), "that BERT's is shown"
    if step == 3 and "veil" not in state:
        said = words(found["finding"])
        assert ("less than the threshold allows: it wins" in said) == ("threshold" in state)
    other = found.get("other")
    if other is not None and not state.get("veil"):
        patch = {k: v for k, v in other["sets"].items() if v is not None}
        assert drawn(step, **{**state, **patch})["finding"] != found["finding"]


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_many_windows_stand_in_few_rows(step):
    text = {"question": "Who?", "context": LONG, "max_seq_length": 64, "doc_stride": 10}
    found = drawn(step, **text)
    assert len(found["rows"]["rows"]) > 25
    for figure in (b for b in found.values() if b["kind"] == "figure"):
        assert figure["layout"]["height"] <= 400
    w = numbers(**text)
    best = sorted(w.rows, key=lambda r: r.score)[-chapter.MOST_ROWS :]
    assert [r.k for r in chapter.few(w.rows, [w.win])] == sorted(r.k for r in best)
    least = min(w.rows, key=lambda r: r.score)
    assert chapter.few(w.rows, [least]).count(least) == 1
    assert step == 2 or f"{chapter.MOST_ROWS} of {len(w.rows)} windows" in words(found["few"])
    seven = drawn(step, **{**text, "doc_stride": 46})
    assert len(seven["rows"]["rows"]) == chapter.MOST_ROWS and "few" not in seven
    if step == 3:  # a window's ring stands above its cross
        rings, crosses = (t["y"] for t in found["dots"]["data"])
        assert all(0 < c - r < 0.5 for r, c in zip(rings, crosses, strict=True))
        names = [n["y"] for n in found["dots"]["layout"]["annotations"] if "<b>" in n["text"]]
        assert len(names) == 2 and {*names} <= {*rings, *crosses}, "beside its dot, on no other"


def test_one_window_small_ones_and_too_small_ones_say_so():
    for step in (1, 2, 3, 4):
        found = drawn(step, question="Who?", context="Ada Kok lives in Oslo.")
        assert "indow" in words(found["finding"]) or step == 3
        assert found["other"]["sets"] == chapter.OWN_TEXT
        assert step == 4 or "proposes" not in words(found["key"]), "that stands beside the best"
        assert step < 3 or "default for a reader without one" in words(found["exact-0"])
        assert step < 4 or ": wrong" not in words(found["takes-logits"]), "nobody marked"
    text = {"question": "Who?", "context": LONG, "max_seq_length": 24, "doc_stride": 18}
    assert "may be cut" in words(drawn(1, **text)["exact-0"])
    said = [chapter.listing(range(1, n + 1)) for n in (1, 2, 5, 9)]
    assert said == ["1", "1 and 2", "1, 2, 3, 4 and 5", "1, 2, 3, 4 and 5 more"]


@pytest.mark.model
@pytest.mark.parametrize(
    ("step", "odd", "said"),
    [
        (1, False, "window 3 proposes “Emily Warren Roebling” with 11.30"),
        (2, False, "it counts there: 11.30. In window 2 these words score more, 11.74, but"),
        (3, True, "it wins"),
        (4, False, "Window 4 is the surest, 0.960, but of “no answer”: both P are on [CLS]."),
        (4, True, "that start counts in another window"),
    ],
)
def test_the_bundled_reader_shows_what_the_steps_are_there_for(step, odd, said):
    found = drawn(step, real(), **(chapter.ODD[step][1] if odd else {}))
    assert said in words(found["finding"])
    if step == 4 and not odd:
        found |= drawn(step, real(), rule="product")
        told = [words(found[f"takes-{rule}"]) for rule in chapter.RULES]
        ends = ["takes window 2, “Trajan”: right", "takes window 4, “Johann Strauss”: wrong"]
        assert all(a.endswith(b) for a, b in zip(told, [*ends, ends[0]], strict=True))
        p, q, product = map(value, re.findall(r"\d\.\d+", words(found["sum-product"])))
        assert p * q == pytest.approx(product, abs=2e-3)


@pytest.mark.model
@pytest.mark.parametrize(
    ("cut", "far", "said"),
    [
        ((200, 171), (10, 9), "In window 1 its shorter side is longest, so it counts there"),
        ((200, 170), (10, 10), "Window 1 is the first of equals, so it counts there"),
        ((200, 169), (10, 11), "Window 1 is the longest of nearly equal ones, so it counts there"),
        ((191, 170), (1, 10), "In window 2 its shorter side is longest, so it counts there"),
    ],
)
def test_a_window_that_counts_by_its_length_is_not_said_to_have_the_longest_side(cut, far, said):
    filler, answer = "The sun was low and the wind was cold. ", "Ada Kok founded the Oslo Bank. "
    asked = {"question": "Who founded the Oslo Bank?", "context": filler * 18 + answer + filler}
    found = drawn(2, real(), **asked, max_seq_length=cut[0], doc_stride=cut[1])
    assert f"“Ada” stands in windows 1 and 2. {said}" in words(found["finding"])
    assert [int(x) for x in re.findall(r"= (\d+)", words(found["nearer"]))] == [*far]
    assert ("the most" in words(found["nearer"])) == ("is longest" in said)


def test_a_score_that_is_told_as_higher_is_printed_as_higher():
    place = example("brooklyn")
    shown = shown_of(stored(), chapter="windows", **place)
    window = next(w for w in shown.reading.windows[shown.best.window + 1 :])
    i, j = window.positions(shown.best.span)
    start = shown.best.score + 0.002 - float(shown.reading.logits(window.index)[1][j])
    edits = {"start": {f"{window.index}:{i}": start}}
    said = words(drawn(2, stored(), **place, edits=edits)["finding"])
    counts, other = map(value, re.findall(r"(?:there:|score more,) (\d+[.]\d+)", said))
    assert counts < other and "but do not count" in said
    lead = words(drawn(3, stored(), **place, threshold=-6.783)["lead"])
    assert "= −6.785 ≤ −6.783, the threshold" in lead
    alone = drawn(2, example="metre", max_seq_length=100, doc_stride=24)  # not 11.53212071
    assert "so it counts there: 11.53." in words(alone["finding"])
