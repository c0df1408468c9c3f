"""The threshold's trade: every threshold tried, and what a choice never costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import score
from qa_demo.core.types import Example
from qa_demo.evaluation.table import Table
from tests.core.test_metrics import NOTHING, official, question


def trade(examples: list[Example], said: dict[str, tuple[str, float]]) -> Table:
    """The table of what is said, which claims nothing."""
    row, rows = dict.fromkeys(("title", "context", "in_window", "margin", "probs")), []
    for e in examples:
        text, diff = said[e.id]
        exact, f1 = score(e, text, "2.0")
        judged = {"gold": e.answers, "best": {"exact": exact, "f1": f1}}
        rows.append(row | judged | {"score_diff": diff if text else None})
    return Table(rows)


ROUNDING = 1e-9
KINDS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["Ada", "Ada Byron", "x"]), st.integers(-3, 3)),
    min_size=2,
    max_size=9,
).filter(lambda rows: len({has for has, _, _ in rows}) == 2)


@given(KINDS, st.floats(0, 60))
def test_every_point_agrees_with_the_official_scores_and_no_better_choice_is_missed(rows, most):
    examples = [question(str(k), *["Ada"] * has) for k, (has, _, _) in enumerate(rows)]
    said = {str(k): (text, float(diff)) for k, (_, text, diff) in enumerate(rows)}
    line = trade(examples, said)
    assert line.cuts[1:].tolist() == sorted({float(d) for _, _, d in rows})
    curve = [line.at(cut) for cut in line.cuts]
    for point in curve:
        wanted = official(examples, said, point["threshold"])
        assert point["answerable_f1"] == pytest.approx(wanted["HasAns_f1"])
        assert 100 - point["wrongly_answered"] == pytest.approx(wanted["NoAns_f1"])
        assert line.official(point["threshold"], "2.0") == pytest.approx(wanted)
        right = [(diff > point["threshold"]) != has for has, _, diff in rows]
        assert point["accuracy"] == pytest.approx(100 * np.mean(right))
        lost = [diff > point["threshold"] for has, text, diff in rows if has and text == "Ada"]
        assert point["withheld_right"] == pytest.approx(100 * np.mean(lost or [0]))
    chosen, whole = line.choose(most), official(examples, said, 99)["HasAns_f1"]
    assert whole - chosen["answerable_f1"] <= most + ROUNDING
    cheap = [p for p in curve if whole - p["answerable_f1"] <= most - ROUNDING]
    ahead = [p for p in cheap if p["threshold"] < chosen["threshold"]]
    assert all(p["accuracy"] <= chosen["accuracy"] for p in cheap)
    assert all(p["accuracy"] < chosen["accuracy"] for p in ahead), "of equals the lowest"
    for metric in ("exact", "f1"):
        at = line.best(metric)
        value = official(examples, said, at)[metric]
        every = {k / 2: line.scores(k / 2, metric).mean() for k in range(-9, 9)}
        assert value == pytest.approx(max(every.values()))
        assert all(t >= at or v < value for t, v in every.items() if t in line.cuts), "the lowest"


def test_a_question_without_a_span_is_never_answered_and_what_cannot_be_traded_is_refused():
    examples = [question("a", "Ada"), question("n"), question("m")]
    said = {"a": ("Ada", -5.0), "n": NOTHING, "m": ("wrong", 3.0)}
    line = trade(examples, said)
    assert line.at(1e9)["wrongly_answered"] == 50 and max(line.cuts) == 3
    with pytest.raises(BadInput, match="got 0 with and 2 without"):
        trade(examples[1:], said).choose(0)
    with pytest.raises(BadInput, match="1 with and 2 without, 0 scores"):
        trade(examples, dict.fromkeys(said, NOTHING)).choose(0)
