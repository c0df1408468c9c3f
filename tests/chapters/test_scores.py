"""Chapter 2: every printed logit is S . h + b by hand, and the plane holds every token."""

import re

import numpy as np
import pytest

from qa_demo.chapters.scores import since
from qa_demo.core.predict import predict
from qa_demo.core.types import Span
from qa_demo.examples import load_menu
from tests import fakes as fake
from tests.chapters.given import blocks, example, faked, shown_of, words
from tests.printed import unpacked, value

OWN = {"question": "Where does Ada live?", "context": "Here lives Ada Kok in Oslo since May."}


def scores(**state):
    return blocks(faked(), chapter="scores", **state)


def reading_of(name):
    return shown_of(faked(), chapter="scores", **example(name))


def by_hand(reading, window, pos, lane):
    h = faked().reader("").hidden(reading.windows[window])[-1][pos]
    vector, bias = (fake.S, fake.B_S) if lane == "start" else (fake.E, fake.B_E)
    return sum(float(a) * float(b) for a, b in zip(vector, h, strict=True)) + bias


@pytest.mark.parametrize("name", ["oresund", "reef", "danube-small"])
def test_the_sums_are_the_dot_products_of_both_questions(name):
    found, shown = scores(example=name), reading_of(name)
    best, other = shown.true_best, load_menu()[name].others[0]
    second = faked().reader("").read(other, shown.encoding.context, shown.true.options)
    for key, reading in (("formula-first", shown.true), ("formula-second", second)):
        lines = [line.split("=", 1)[1] for line in words(found[key]).split("\n")]
        printed = [map(value, re.findall(r"[−-]? ?\d+\.\d\d", line)) for line in lines]
        ends = ((best.span.start, "start"), (best.span.end, "end"))
        for (d, lane), (product, bias, total) in zip(ends, printed, strict=True):
            w = reading.windows[predict(reading).best.candidate.window]
            w = w if w.holds(Span(d, d)) else reading.windows[reading.owners[d]]
            expected = by_hand(reading, w.index, w.to_pos(d), lane)
            assert total == pytest.approx(expected, abs=0.0051)
            assert product + bias == pytest.approx(total, abs=0.0151)
    x = unpacked(next(t for t in found["plane"]["data"] if t["mode"] == "lines+markers")["x"])
    for marker in (t["marker"] for t in found["plane"]["data"][-2:]):
        told = {*zip(marker["line"]["color"], marker["symbol"], strict=True)}
        assert len({shape for _, shape in told}) == len(told), "roles differ without colours too"
    before, after = map(value, re.findall(r"−?\d+\.\d\d", words(found["finding"])))
    assert abs(x[0] - before) < abs(x[-1] - before) and abs(x[-1] - after) < abs(x[0] - after)


@pytest.mark.parametrize("name", ["emoji", "danube-small"])
def test_the_plane_holds_every_token_once_at_its_two_logits(name):
    found, shown = scores(example=name), reading_of(name)
    traces = [t for t in found["plane"]["data"] if "customdata" in t][:2]
    docs = [d for t in traces for d in t["customdata"]]
    assert sorted(docs) == list(range(len(shown.encoding.context_ids)))
    window = shown.true.windows[shown.true_best.window]
    for trace in traces:
        xy = zip(unpacked(trace["x"]), unpacked(trace["y"]), strict=True)
        for d, (x, y) in zip(trace["customdata"], xy, strict=True):
            home = window if trace is traces[1] else shown.true.windows[shown.true.owners[d]]
            logits = [side[home.to_pos(d)] for side in shown.true.logits(home.index)]
            np.testing.assert_allclose((x, y), logits, atol=1e-5)


@pytest.mark.parametrize("lane", ["start", "end"])
def test_bars_and_table_add_up_to_the_logit(lane):
    asked = "Who designed the railway of the bridge?"  # as long as the first: the same positions
    found = scores(example="oresund", step=2, own={"scores": {"lane": lane, "typed": asked}})
    shown = reading_of("oresund")
    best = shown.true_best
    d = best.span.start if lane == "start" else best.span.end
    expected = by_hand(shown.true, best.window, shown.window.to_pos(d), lane)
    bars = found["waterfall"]["data"][0]
    x = unpacked(bars["x"])
    assert x[-1] == pytest.approx(expected, abs=1e-4)
    assert x[:-1].sum() == pytest.approx(x[-1], abs=1e-4)
    np.testing.assert_allclose(unpacked(bars["base"])[:-1], np.cumsum([0, *x[:-2]]), atol=1e-4)
    rows = [r["cells"] for r in found["products"]["rows"]]
    assert value(rows[-1][-2]) == pytest.approx(expected, abs=0.0051)
    second = faked().reader("").read(asked, shown.encoding.context, shown.true.options)
    again = by_hand(second, 0, second.windows[0].to_pos(d), lane)
    assert value(rows[-1][-1]) == pytest.approx(again, abs=0.0051)
    for cells in rows[:-3]:  # S is the same for both questions, S x h is its product
        s, h, h2, *products = map(value, cells[1:])
        assert [s * h, s * h2] == pytest.approx(products, abs=0.01)


@pytest.mark.parametrize("name", ["oresund", "reef"])
def test_places_count_the_larger_logits_of_each_layer(name):
    found, shown = scores(example=name, step=3), reading_of(name)
    best, table = shown.true_best, [row["cells"] for row in found["by-layer"]["rows"]]
    window = shown.true.windows[best.window]
    for states, cells in zip(faked().reader("").hidden(window), table, strict=True):
        ends = ((best.span.start, fake.S, fake.B_S, 1), (best.span.end, fake.E, fake.B_E, 3))
        for d, vector, bias, at in ends:
            logits = states.astype(float) @ vector + bias
            own = logits[window.to_pos(d)]
            assert value(cells[at]) == pytest.approx(own, abs=0.0051)
            assert int(cells[at + 1]) == 1 + sum(x > own for x in logits)
    assert all(f"<br>{cells[at]}'" in str(found["layers"]["layout"]) for at in (1, 3))


def test_since_names_the_first_layer_from_which_a_token_stays_first():
    said = [since(np.array(rank)) for rank in ([5, 1, 2, 1, 1], [1, 1], [1, 4])]
    first = ["is first from layer 3 on", "is first from the input on"]
    assert said == [*first, "is number 4 in the end"]


def test_a_text_of_ones_own_offers_the_box_and_reads_what_is_typed():
    menu = load_menu()["oresund"]
    ready = scores(question="Who swam?", context=menu.context)["second"]["options"]
    assert [o["label"] for o in ready] == [menu.question, menu.others[0]]
    alone = scores(**OWN)
    assert alone["typed"]["kind"] == "entry" and not {"second", "formula-second"} & set(alone)
    asked = scores(**OWN, own={"scores": {"typed": " When? "}})
    assert "When?" in words(asked["asked-second"]) and len(asked["plane"]["data"]) > 4
    again = scores(**OWN, own={"scores": {"typed": OWN["question"]}})
    assert again["plane"]["data"] == alone["plane"]["data"]
    long = scores(**OWN, own={"scores": {"typed": "who " * 400}})
    assert "was not read" in words(long["told"]) and "formula-second" not in long


def test_changed_logits_do_not_count():
    before, after = (scores(example="oresund", edits=e) for e in (None, {"start": {"0:20": 99}}))
    assert before["plane"]["data"] == after["plane"]["data"]
    assert "by hand" in words(after["finding"])
