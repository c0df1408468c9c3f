"""Chapter 2: every printed logit is S . h + b by hand, and a row holds every token."""

import re

import numpy as np
import pytest

from qa_demo.chapters.scores import one_of_many, since
from qa_demo.core.predict import predict
from qa_demo.core.types import Span
from qa_demo.examples import load_menu
from qa_demo.printed import signed
from tests import fakes as fake
from tests.chapters.given import blocks, example, faked, shown_of, words
from tests.printed import unpacked, value

OWN = {"question": "Where does Ada live?", "context": "Here lives Ada Kok in Oslo since May."}


def scores(**state):
    return blocks(faked(), chapter="scores", **state)


def reading_of(name):
    return shown_of(faked(), chapter="scores", **example(name))


def by_hand(reading, window, pos, lane):
    h = faked().reader("").hidden_states(reading.windows[window])[-1][pos]
    vector, bias = (fake.S, fake.B_S) if lane == "start" else (fake.E, fake.B_E)
    return sum(float(a) * float(b) for a, b in zip(vector, h, strict=True)) + bias


@pytest.mark.parametrize("lane", ["start", "end"])
@pytest.mark.parametrize("name", ["oresund", "reef", "danube-small", "emoji"])
def test_sums_rows_and_finding_are_the_dot_products_of_both_questions(name, lane):
    found, shown = scores(example=name, own={"scores": {"lane": lane}}), reading_of(name)
    asked = load_menu()[name].others[0]
    second = faked().reader("").read(asked, shown.encoding.context, shown.true.options)
    readings, traces = [shown.true, second], found["tokens"]["data"]
    bests = [predict(reading).best.candidate for reading in readings]
    ends = [best.span.start if lane == "start" else best.span.end for best in bests]
    lines = traces[2:]
    assert len(lines) == len(set(ends)) and all(line["y"] == [0, 1] for line in lines)
    for y, (read, best, key) in enumerate(zip(readings, bests, ("first", "second"), strict=True)):
        w, named = read.windows[best.window], dict(zip(ends, lines, strict=False))
        for d, line in named.items():  # of several windows in the best span's where it can
            home = w if w.holds(Span(d, d)) else read.windows[read.owners[d]]
            expected = by_hand(read, home.index, home.to_pos(d), lane)
            assert line["x"][y] == pytest.approx(expected, abs=1e-4)
        printed = words(found[f"formula-{key}"]).split("=", 1)[1]
        product, bias, total = map(value, re.findall(r"[−-]? ?\d+\.\d\d", printed))
        assert total == pytest.approx(named[ends[0]]["x"][y], abs=0.0051)
        assert product + bias == pytest.approx(total, abs=0.0151)
        row = unpacked(traces[y]["x"])
        assert (unpacked(traces[y]["y"]) == y).all()
        assert len(row) == len(traces[y]["text"]) == len(shown.encoding.context_ids)
        for d in set(range(len(row))) - set(ends):
            home = read.windows[read.owners[d]]
            logit = read.logits(home.index)[lane == "end"][home.to_pos(d)]
            assert row[d] == pytest.approx(logit, abs=1e-5)
    told = [value(x) for x in re.findall(r"−?\d+\.\d\d", words(found["finding"]))[:2]]
    assert told == pytest.approx(lines[0]["x"], abs=0.0051)
    notes = found["tokens"]["layout"]["annotations"]
    assert [n["x"] for n in notes] == [line["x"][y] for y in (0, 1) for line in lines]
    small = found["tokens"]["narrow"]["annotations"]
    for one, two in zip(small[::2], small[1::2], strict=True) if len(lines) > 1 else ():
        apart = abs(one["x"] - two["x"]) > 0.5 * np.ptp([n["x"] for n in small])
        assert apart or one["yshift"] != two["yshift"], "names do not meet"


@pytest.mark.parametrize("lane", ["start", "end"])
@pytest.mark.parametrize("name", ["oresund", "bread"])
def test_bars_and_table_add_up_to_the_logit(name, lane):
    found = scores(example=name, step=2, own={"scores": {"lane": lane, "typed": "Who?"}})
    shown, vector = reading_of(name), fake.S if lane == "start" else fake.E
    best = shown.true_best
    d = best.span.start if lane == "start" else best.span.end
    expected = by_hand(shown.true, best.window, shown.window.to_pos(d), lane)
    bars = found["waterfall"]["data"][0]
    x = unpacked(bars["x"])
    assert x[-1] == pytest.approx(expected, abs=1e-4)
    assert x[:-1].sum() == pytest.approx(x[-1], abs=1e-4)
    np.testing.assert_allclose(unpacked(bars["base"])[:-1], np.cumsum([0, *x[:-2]]), atol=1e-4)
    rows = [r["cells"] for r in found["products"]["rows"]]
    assert value(rows[-1][-1]) == pytest.approx(expected, abs=0.0051)
    for cells in rows[:-3]:
        s, h, product = map(value, cells[1:])
        assert s * h == pytest.approx(product, abs=0.01)
        assert s == pytest.approx(vector[int(cells[0]) - 1], abs=0.0006)
    assert f"{(x[:-3] > 0).sum()} products raise " in words(found["exact-0"])
    said = f"{signed(max(x[:-3], key=abs))}; the six largest add {signed(x[:-3].sum())}, the other "
    assert f" is {said}0 0.00." in words(found["finding"])


@pytest.mark.parametrize("name", ["oresund", "reef"])
def test_places_count_the_larger_logits_of_each_layer(name):
    found, shown = scores(example=name, step=3), reading_of(name)
    best, table = shown.true_best, [row["cells"] for row in found["by-layer"]["rows"]]
    window = shown.true.windows[best.window]
    for states, cells in zip(faked().reader("").hidden_states(window), table, strict=True):
        ends = ((best.span.start, fake.S, fake.B_S, 1), (best.span.end, fake.E, fake.B_E, 3))
        for d, vector, bias, at in ends:
            logits = states.astype(float) @ vector + bias
            own = logits[window.to_pos(d)]
            assert value(cells[at]) == pytest.approx(own, abs=0.0051)
            assert int(cells[at + 1]) == 1 + sum(x > own for x in logits)
    for lane, at in (("start", 1), ("end", 3)):
        assert f"<br>{cells[at]}'" in str(found[f"layers-{lane}"]["layout"])


def test_a_text_of_ones_own_reads_what_is_typed_and_changed_logits_do_not_count():
    menu = load_menu()["oresund"]
    ready = scores(question="Who swam?", context=menu.context)["second"]["options"]
    assert [o["label"] for o in ready] == [menu.question, menu.others[0]]
    typed = scores(question="Who?", context=menu.context, own={"scores": {"typed": "Why?"}})
    assert not any(o["pressed"] for o in typed["second"]["options"]), "another one is typed"
    alone = scores(**OWN)
    assert alone["typed"]["kind"] == "entry" and not {"second", "formula-second"} & set(alone)
    asked = scores(**OWN, own={"scores": {"typed": " When? "}})
    assert "When?" in asked["tokens"]["layout"]["yaxis"]["ticktext"][1]
    again = scores(**OWN, own={"scores": {"typed": OWN["question"]}})
    assert again["tokens"]["data"] == alone["tokens"]["data"]
    long = scores(**OWN, own={"scores": {"typed": "who " * 400}})
    assert "was not read" in words(long["told"]) and "formula-second" not in long
    before, after = (scores(example="oresund", edits=e) for e in (None, {"start": {"0:20": 99}}))
    assert before["tokens"]["data"] == after["tokens"]["data"]
    assert "by hand" in words(after["finding"])


def test_of_the_layers_one_line_is_drawn_and_the_first_from_which_it_stays_first_is_named():
    others, own = one_of_many(np.arange(6.0).reshape(2, 3), 1, "start")
    assert unpacked(own["y"]).tolist() == [1, 4]
    xs, ys = unpacked(others["x"]), unpacked(others["y"])
    assert np.isnan(xs).tolist() == np.isnan(ys).tolist() == [False, False, True] * 2
    assert ys[~np.isnan(ys)].tolist() == [0, 3, 2, 5]
    said = [since(np.array(rank)) for rank in ([5, 1, 2, 1, 1], [1, 1], [1, 4])]
    first = ["is first from layer 3 on", "is first from the input on"]
    assert said == [*first, "is number 4 in the end"]
