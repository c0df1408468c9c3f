"""The bench as data: hand-made cases, sums that add up, and the pencil's exercise."""

import math

import numpy as np
import pytest

from qa_demo.core.course.bench import Bench
from qa_demo.core.course.pencil import another, pencil
from qa_demo.core.options import DecodeOptions
from qa_demo.figures.bench.desk import desk, golds_text
from qa_demo.figures.bench.exercise import pencil_data
from qa_demo.figures.payload import plain

START, END = ((0.0, 1.0, 2.0, 6.0),), ((0.0, 5.0, 2.0, 1.0),)


def shown(bench: Bench | None = None, **more: object) -> dict:
    """What the desk sends of a bench, by default of lesson 3's three tokens."""
    bench = bench or Bench(("one", "two", "three"), START, END, **more)
    data = plain(desk(bench, bench.reading(), DecodeOptions()))
    return {**data, "said": dict(data["lines"])}


def test_three_tokens_of_lesson_3() -> None:
    data = shown()
    assert data["said"]["best legal pair"].endswith("6.00 + 1.00 = 7.00")
    assert "null − best = −7.00, not above" in data["said"]["answered?"]
    apart = data["said"]["two separate maxima"]
    assert "start “three”, end “one”, no legal pair: end before start" in apart
    mean = (1 / (1 + math.exp(-4) + math.exp(-5)) + 1 / (1 + math.exp(-3) + math.exp(-4))) / 2
    assert f"is {mean:.3f}, the score of no span" in apart
    assert data["windows"][0]["start"]["slope"] is None and data["tags"] is None


def test_ties_are_named_and_the_first_pair_is_taken() -> None:
    flat = ((0.0, 1.0, 1.0, 0.0),)
    said = shown(Bench(("one", "two", "three"), flat, flat))["said"]
    assert said["ties"] == "3 pairs share the highest sum; the first is taken"
    assert "one" in said["best legal pair"]
    assert "ties" not in shown()["said"]


def test_a_mark_brings_targets_slopes_and_a_loss() -> None:
    data = shown(golds=((1, 2),))
    side = data["windows"][0]["start"]
    p = math.exp(2) / sum(math.exp(z) for z in (0, 1, 2, 6))
    assert side["t"] == ["0.00", "0.00", "1.00", "0.00"]
    assert side["slope"][2] == f"−{1 - p:.3f}"
    q = math.exp(1) / sum(math.exp(z) for z in (0, 5, 2, 1))
    assert data["said"]["loss"].startswith(f"({-math.log(p):.2f} + {-math.log(q):.2f}) / 2")
    assert "floor" not in data["said"], "one annotator agrees with himself"


def test_annotators_who_differ_leave_a_floor() -> None:
    tags = ((0.0, 0.0, 1.0), (2 / 3, 0.0, 1 / 3), (0.0, 0.0, 1.0))
    p = ((0.25, 0.25, 0.25, 0.25),)
    bench = Bench(("in", "1911", "."), p, p, tags, ((1, 1), (1, 1), None), typed="probabilities")
    data = shown(bench)
    said = data["said"]
    h = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert f"{h:.2f} for the start and {h:.2f} for the end" in said["floor"]
    assert data["tags"][1]["t"] == ["0.67", "0.00", "0.33"]
    assert said["loss of the tags"].startswith(f"entropy {h / 3:.2f} + what can be learned 0.00")
    assert data["golds"] == golds_text(bench) == "2, 2, none"


def test_two_windows_bring_the_merge_rules() -> None:
    rows = ((0.0, 1.0, 1.0, 4.0), (7.0, -1.0, -6.0, 2.0))
    data = shown(Bench(("born", "in", "1815", "and", "later"), rows, rows, step=2))
    winners = {row[0]: row[2] for row in data["rules"]["rows"]}
    assert winners["logit sum, max context (BERT)"] == "1"
    assert winners["context-only mean"] == "2", "a window that knows nothing looks sure"


@pytest.mark.parametrize("exercise", [pencil(), another(np.random.default_rng(7))])
def test_the_exercise_says_what_each_cell_asks_and_its_slips(exercise: object) -> None:
    data = plain(pencil_data(exercise, 3))
    assert data["n"] == 3 and len(data["T"]) == 5 and len(data["pairs"]) == 10
    cells = {c["name"]: c for c in data["cells"]}
    assert all(c["hint"] for c in data["cells"])
    for i, row in enumerate(data["T"]):
        s = sum(a * b for a, b in zip(row, data["S"], strict=True)) + data["bias"][0]
        assert cells[f"logit_start_{i}"]["value"] == s
        assert cells[f"logit_start_{i}"]["decimals"] == 0
        (said, bare), *_ = cells[f"logit_start_{i}"]["slips"]
        assert said == "the bias is missing" and bare == s - data["bias"][0]
    weights = [math.exp(cells[f"logit_end_{i}"]["value"]) for i in range(5)]
    assert cells["prob_end_2"]["value"] == pytest.approx(weights[2] / sum(weights))
