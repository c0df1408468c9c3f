"""Chapter 5 as data: labels, sums, wrong formulas, steps, replay."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Answer, LossTerm
from qa_demo.core.learning.losses import start_end_loss, total
from qa_demo.core.learning.replay import ReplayRows, load_replay
from qa_demo.core.learning.steps import Learned, Movement, Step
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading, Span
from qa_demo.figures.labels import home, make_labels
from qa_demo.figures.loss.learned import bench_data, learned_data, moved_sentence
from qa_demo.figures.loss.misread import break_formula, magnitude, misread_data
from qa_demo.figures.loss.notice import loss_notice
from qa_demo.figures.loss.picture import distinct, loss_picture, loss_tables, says_labels, strip
from qa_demo.figures.loss.replay import replay_data
from qa_demo.figures.loss.terms import bridge, holds, terms_table, windows_table
from qa_demo.views.examples import load_examples
from tests.fakes import FakeReader
from tests.printed import exact, value

DECODE = DecodeOptions()
GOLD = Span(3, 4)  # "Delta Epsilon", whole in the second window, cut in the first


def answer(reading: Reading, span: Span) -> Answer:
    return Answer(reading.encoding.text(span), reading.encoding.chars(span)[0])


def test_labels_come_from_marks_annotators_nobody_or_the_reader(two_windows: Reading) -> None:
    ours = (answer(two_windows, GOLD),)
    assert make_labels(two_windows, ours, False, ours, None).source == "annotators"
    assert make_labels(two_windows, ours, False, None, None).source == "marked"
    assert make_labels(two_windows, (), False, (), Span(0, 0)).golds == (None,)
    stand_in = make_labels(two_windows, (), False, None, Span(1, 1))
    assert (stand_in.source, stand_in.golds) == ("reader", (Span(1, 1),))
    assert make_labels(two_windows, (), True, ours, None).golds == (None,)
    mixed = make_labels(two_windows, ours, 1, ours, None)
    assert (mixed.source, mixed.golds) == ("marked", (GOLD, None))
    three = (*ours, *ours, answer(two_windows, Span(3, 3)))
    both = make_labels(two_windows, three, False, None, None)
    assert distinct(both.golds) == [(Span(3, 3), 1), (GOLD, 2)]
    assert "each counts alike" in says_labels(two_windows, both)


def test_each_label_of_an_example_reads_unlike_the_others() -> None:
    for example in load_examples().values():
        reading, ours = example.stored(), example.answers
        labels = make_labels(reading, ours, 0, ours, None)
        told = re.findall(r"“.+? \(\d of", says_labels(reading, labels))
        assert len({text.rpartition("(")[0] for text in told}) == len(told), example.id


def test_the_home_window_owns_the_label(two_windows: Reading) -> None:
    assert home(two_windows, (GOLD,)) == 1
    assert home(two_windows, (Span(0, 0),)) == 0
    assert home(two_windows, (None,)) == 0
    assert [holds(two_windows, w, (GOLD,)) for w in (0, 1)] == ["a part of it", "the whole answer"]
    assert holds(two_windows, 0, (Span(4, 4),)) == "none of it"


def test_the_terms_add_up_as_printed(two_windows: Reading) -> None:
    rows = terms_table(two_windows, (GOLD,))["rows"]
    assert [r[0].split(",")[0] for r in rows] == ["start", "end", "mean", "sum"]
    assert value(rows[0][4]) + value(rows[1][4]) == pytest.approx(value(rows[2][4]), abs=1e-9)
    assert value(rows[2][4]) == pytest.approx(total(start_end_loss(two_windows, (GOLD,))), abs=0.01)
    first, last = (value(x) for x in rows[3][1].split(" + "))
    assert first + last == pytest.approx(value(rows[3][4]), abs=1e-9)
    mean = np.mean([value(r[6]) for r in windows_table(two_windows, (GOLD,))["rows"]])
    assert mean == pytest.approx(value(rows[2][4]), abs=0.02)


def test_the_bridge_of_the_label(two_windows: Reading) -> None:
    w, s, e = two_windows.windows[1], *two_windows.logits(1)
    i, j = w.to_pos(3), w.to_pos(4)
    found = bridge(two_windows, 1, (i, j))
    z_s, z_e, minus = (value(a) for a in found["loss"]["addends"])
    assert z_s + z_e + minus == pytest.approx(value(found["loss"]["total"]), abs=1e-9)
    p = np.exp(s[i] - np.log(np.exp(s).sum())) * np.exp(e[j] - np.log(np.exp(e).sum()))
    assert float(found["inWindow"]) == pytest.approx(p, abs=1e-4)


def test_the_picture_and_the_strip_hold_the_label(two_windows: Reading) -> None:
    labels = make_labels(two_windows, (answer(two_windows, GOLD),), False, None, None)
    picture = loss_picture(two_windows, two_windows, labels, 1)
    tokens = ("<s>", *two_windows.encoding.prefix_tokens[1:])
    named = replace(two_windows, encoding=replace(two_windows.encoding, prefix_tokens=tokens))
    assert (picture["null"], loss_picture(named, named, labels, 1)["null"]) == ("[CLS]", "<s>")
    assert picture["windows"][0]["start"] == [[0, 1.0]]
    assert picture["windows"][1]["start"] == [[two_windows.windows[1].to_pos(3), 1.0]]
    cut = strip(two_windows, (GOLD,))
    assert cut["first"] <= 3 < 4 < cut["stop"] and "characters 18 to 30" in cut["chars"]
    assert strip(two_windows, (None,)) is None
    tables = loss_tables(two_windows, labels.golds, 1)
    gradient = [value(row[5].removeprefix("< ")) for row in tables[2]["rows"]]
    assert sum(gradient) == pytest.approx(0, abs=1e-3)
    assert gradient[two_windows.windows[1].to_pos(3)] < 0


def test_the_notice_says_where_the_prediction_is_not_the_label(two_windows: Reading) -> None:
    labels = make_labels(two_windows, (answer(two_windows, Span(0, 0)),), False, None, None)
    said = loss_notice(two_windows, labels, predict(two_windows, DECODE), 0)
    assert "which is not the label" in said


def _of_logits_times(reading: Reading, factor: float) -> dict[str, dict[str, Any]]:
    ends = np.where(np.isnan(reading.end_logits), np.nan, np.abs(reading.end_logits) * factor)
    moved = replace(reading, end_logits=ends.astype(np.float32))
    return {d["key"]: d for d in misread_data(moved, 0, (Span(0, 0),), DECODE)}


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (1.0, "1.000"),
        (999999.0, "999999.000"),
        (3.2e9, "about 10¹⁰"),
        (1e-9, "less than 0.001"),
        (float("inf"), "more than 10³⁰⁸"),
    ],
)
def test_a_number_of_any_size_stays_short(x: float, text: str) -> None:
    assert magnitude(x) == text


def test_wrong_formulas_have_their_consequence(two_windows: Reading) -> None:
    data = {d["key"]: d for d in misread_data(two_windows, 0, (Span(0, 0),), DECODE)}
    assert data["gold_only"]["value"] == "0.00" and "always 1" in data["gold_only"]["says"]
    assert "below 0" in data["no_exp"]["says"] and "instead of 1" in data["shared_z"]["says"]
    assert data["no_bias"]["value"] == data["no_bias"]["right"]
    assert "more confident" in data["predicted"]["says"]
    assert "sum to more than 10³⁰⁸" in _of_logits_times(two_windows, 1e6)["shared_z"]["says"]
    calm = FakeReader(null=60.0).read("Who drew it?", "The towers were drawn by Georg Rotne.")
    says = {d["key"]: d["says"] for d in misread_data(calm, 0, (None,), DECODE)}["searched"]
    assert "the label is the cheaper one" in says and "confident" not in says, (
        "a text without an answer, read rightly"
    )


def test_break_it_names_the_worst_reading_or_none(two_windows: Reading) -> None:
    cases = [
        ("easy", two_windows, (GOLD,), 1, DECODE),
        ("{hard}", two_windows, (Span(0, 0),), 0, DECODE),
    ]
    assert "{hard}" in break_formula("predicted", cases)["says"]
    assert break_formula("no_bias", cases)["says"] == "No counterexample in 2 readings."
    assert break_formula("gold_only", [])["says"] == "No counterexample in 0 readings."


def after_steps(reading: Reading) -> Learned:
    later = reading.start_logits.copy()
    later[1, reading.windows[1].to_pos(3)] += 3
    end = LossTerm("end", 1.0, 0.5, 1)
    curve = tuple(Step(k, (LossTerm("start", 2.0 - k, 0.5, 1), end)) for k in range(2))
    moved = tuple(Movement(n, 1.0, 1.1, 0.2, 3.0) for n in ("S", "E", "T"))
    after = replace(reading, start_logits=later)
    return Learned(reading, after, (GOLD,), "head", (1,), 1, curve, moved, can_undo=True)


def test_steps_show_before_and_after(two_windows: Reading) -> None:
    data = learned_data(after_steps(two_windows), DECODE, MergeOptions())
    assert data["curve"] == [1.5, 1.0]
    assert "After 1 step the loss fell from 1.500 to 1.000" in data["says"]
    assert "windows 2 of 2" in data["says"] and "annotators differ" not in data["says"]
    three = replace(after_steps(two_windows), golds=(GOLD, GOLD, None))
    parted = learned_data(three, DECODE, MergeOptions())
    floor = -(2 / 3 * math.log(2 / 3) + 1 / 3 * math.log(1 / 3))
    assert parted["floor"] == pytest.approx(floor) and data["floor"] == 0
    assert f"stays above {floor:.3f}" in parted["says"]
    top = data["start"][0]
    assert top["text"] == "Delta" and top["after"] > top["before"]
    assert data["spans"]["rows"][0][0] == "Delta Epsilon"
    assert value(data["spans"]["rows"][0][3]) == 3.0
    low, high = (two_windows.end_logits + np.float32(x) for x in (-0.004, 0.004))
    uneven = after_steps(replace(two_windows, end_logits=high))
    uneven = replace(uneven, before=replace(two_windows, end_logits=low))
    for row in learned_data(uneven, DECODE, MergeOptions())["spans"]["rows"]:  # 7.50 + 3.01 = 10.50
        assert "–" in row[3] or exact(row[2]) - exact(row[1]) == exact(row[3])
    assert {"from", "to", "text"} <= set(data["plane"][0])
    still = {"name": "T", "norm": "2.000 → 2.000", "distance": "0.000", "degrees": "0.00°"}
    assert moved_sentence(Movement("T", 2, 2, 0, 0)) == still
    assert moved_sentence(Movement("S", 2, 2, 1e-5, 1e-5))["distance"] == "< 0.001"
    assert bench_data(None, DECODE, MergeOptions())["learned"] is None


def rows_of(reading: Reading) -> ReplayRows:
    start, end = reading.logits(0)
    noise = np.zeros_like(start)
    starts, ends = np.stack([noise, start, start]), np.stack([noise, end, end])
    return ReplayRows((0, 50, 100), 0, starts, ends)


def test_the_replay_says_when_the_answer_settled(two_windows: Reading) -> None:
    data = replay_data(two_windows, rows_of(two_windows), (Span(1, 1),), DECODE)
    assert data["loss"][0] == pytest.approx(np.log(8))
    loss = total(start_end_loss(two_windows, (Span(1, 1),), [0]))
    assert data["loss"][1] == pytest.approx(loss, abs=1e-4)
    assert data["answers"][1] == data["answers"][2] == "Beta"
    assert "“\u2068Beta\u2069”, stands from step 50 on" in data["says"]
    assert [row[-1] for row in data["table"]["rows"]] == data["best"] and all(data["best"])
    strict = replace(DECODE, null_score_diff_threshold=-99.0)
    never = replay_data(replace(two_windows, threshold=0.0), rows_of(two_windows), (None,), strict)
    assert never["answers"] == [None] * 3
    assert never["best"] == data["best"]
    assert "verdict, no answer, stands from step 0" in never["says"]
    assert "the heads are random" in data["says"] and len(data["table"]["rows"]) == 3
    short = ReplayRows((0,), 1, np.zeros((1, 3)), np.zeros((1, 3)))
    assert replay_data(two_windows, short, (GOLD,), DECODE) is None


def test_a_replay_on_disk_is_read_as_training_writes_it(
    tmp_path: Path, two_windows: Reading
) -> None:
    first = {"id": "a", "window": 0, "at": 0, "length": 3}
    examples = [first, {"id": "b", "window": 1, "at": 3, "length": 2}]
    about = {"format": 1, "steps": [0, 9], "checksum": "c", "examples": examples}
    (tmp_path / "replay.json").write_text(json.dumps(about))
    both = np.arange(10, dtype=np.float16).reshape(2, 5)
    np.savez_compressed(tmp_path / "replay.npz", start=both, end=-both)
    found = load_replay(tmp_path)
    rows = found.rows("b")
    assert (found.checksum, rows.window) == ("c", 1)
    assert rows.start.tolist() == [[3, 4], [8, 9]]
    assert found.rows("z") is None
    np.savez_compressed(tmp_path / "replay.npz", start=both[:1], end=both[:1])
    with pytest.raises(BadInput, match="does not fit together"):
        load_replay(tmp_path)
