"""The threshold's trade: a hand example, every threshold tried, what a choice never costs."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.abstain import OBJECTIVES, Costs, Objective, trade
from qa_demo.core.measuring.metrics import Outcome, evaluate
from qa_demo.core.types import Example
from tests.core.measuring.test_metrics import question

GOLDS = {"a": "Ada", "b": "Lord Byron", "c": "Rome"}
EXAMPLES = [*(question(*one) for one in GOLDS.items()), question("n"), question("m")]
SAID = {
    "a": Outcome("Ada", -5),
    "b": Outcome("Byron", 1),
    "c": Outcome("Rome", 2),
    "n": Outcome("wrong", 0),
    "m": Outcome("wrong", 3),
}


def test_a_threshold_of_zero_by_hand() -> None:
    point = trade(EXAMPLES, SAID).at(0)
    # a and n are answered; of the right answers a and c, c is withheld; a and m are the right
    # choice
    assert (point.withheld_right, point.wrongly_answered, point.accuracy) == (50, 50, 40)
    assert point.answerable_f1 == pytest.approx(100 / 3)


def test_the_choice_is_the_most_accurate_that_costs_little() -> None:
    line = trade(EXAMPLES, SAID)
    free, bound = line.choose(100), line.choose(0)
    assert (free.threshold, free.accuracy) == (2, 80)  # only n is wrong
    assert (bound.threshold, bound.answerable_f1) == (2, line.at(99).answerable_f1)
    said = {**SAID, "c": Outcome("Rome", 4)}  # to withhold c would cost more than a point
    assert trade(EXAMPLES, said).choose(1).threshold == 4


ROUNDING = 1e-9
KINDS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["Ada", "Ada Byron", "x"]), st.integers(-3, 3)),
    min_size=2,
    max_size=9,
).filter(lambda rows: len({has for has, _, _ in rows}) == 2)


def questions(rows: list[tuple[bool, str, int]]) -> tuple[list[Example], dict[str, Outcome]]:
    """The questions of drawn rows, and what is said to each."""
    examples = [question(str(k), *(["Ada"] if has else [])) for k, (has, _, _) in enumerate(rows)]
    said = {str(k): Outcome(text, float(diff)) for k, (_, text, diff) in enumerate(rows)}
    return examples, said


@given(KINDS, st.floats(0, 60))
def test_every_point_agrees_with_the_official_scores_and_no_better_choice_is_missed(
    rows: list[tuple[bool, str, int]], most: float
) -> None:
    examples, said = questions(rows)
    line = trade(examples, said)
    assert [p.threshold for p in line.curve()] == sorted({float(d) for _, _, d in rows})
    for point in line.curve():
        official = evaluate(examples, said, point.threshold)
        assert point.answerable_f1 == pytest.approx(official["HasAns_f1"])
        assert 100 - point.wrongly_answered == pytest.approx(official["NoAns_f1"])
        right = [(diff > point.threshold) != has for has, _, diff in rows]
        assert point.accuracy == pytest.approx(100 * np.mean(right))
    chosen, whole = line.choose(most), evaluate(examples, said, 99)["HasAns_f1"]
    assert whole - chosen.answerable_f1 <= most + ROUNDING
    cheap = [p for p in line.curve() if whole - p.answerable_f1 <= most - ROUNDING]
    assert all(p.accuracy <= chosen.accuracy for p in cheap)


def test_fewer_points_keep_both_ends() -> None:
    examples = [question(str(k), *(["Ada"] if k % 2 else [])) for k in range(50)]
    line = trade(examples, {str(k): Outcome("Ada", float(k)) for k in range(50)})
    got = [p.threshold for p in line.curve(5)]
    assert got == [0, 12, 24, 37, 49]


def test_a_question_without_a_span_is_never_answered() -> None:
    said = {**SAID, "n": Outcome("")}
    line = trade(EXAMPLES, said)
    assert line.at(1e9).wrongly_answered == 50
    assert max(line.cuts) == 3


def test_what_cannot_be_traded_is_refused() -> None:
    with pytest.raises(BadInput, match="got 3 with and 0 without"):
        trade(EXAMPLES[:3], SAID)
    with pytest.raises(BadInput, match="a span for at least one question"):
        trade(EXAMPLES, {e.id: Outcome("") for e in EXAMPLES})


COSTS = Costs(1, 2, 3)


def objective(name: str) -> Objective:
    return Objective(name, costs=COSTS if name == "cost" else None)


def test_objectives_by_hand() -> None:
    line = trade(EXAMPLES, SAID)
    # at 0: a right, b and c withheld, n answered, m withheld
    found = {name: line.value(objective(name), 0) for name in OBJECTIVES}
    assert found == {"answer-or-not": 40, "f1": 40, "exact": 40, "cost": (1 + 1 + 3) / 5}
    # at 2 "Byron" for "Lord Byron" is answered too, which costs what a wrong answer costs
    assert line.value(objective("f1"), 2) == pytest.approx(100 * (1 + 2 / 3 + 1 + 0 + 1) / 5)
    assert line.value(objective("cost"), 2) == (2 + 3) / 5


@given(KINDS, st.sampled_from(sorted(OBJECTIVES)))
def test_no_threshold_serves_better(rows: list[tuple[bool, str, int]], name: str) -> None:
    examples, said = questions(rows)
    line, wanted = trade(examples, said), objective(name)
    chosen = line.best(wanted)
    assert chosen.value == line.value(wanted, chosen.point.threshold)
    if name == "answer-or-not":
        return
    every = [line.value(wanted, k / 2) for k in range(-9, 9)]
    assert chosen.value == pytest.approx(min(every) if name == "cost" else max(every))
    if name in ("f1", "exact"):
        official = evaluate(examples, said, chosen.point.threshold)
        assert chosen.value == pytest.approx(official[name])


def test_never_answering_is_chosen_where_answers_are_dear() -> None:
    line = trade(EXAMPLES, {**SAID, "a": Outcome("Eve", -5)})
    chosen = line.best(Objective("cost", costs=Costs(0, 1, 1)))
    assert chosen.value == 0 and chosen.point.threshold < -5
    assert chosen.point.wrongly_answered == 0 and chosen.point.withheld_right == 100


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Objective("best"), "must be one of answer-or-not, f1, exact, cost"),
        (lambda: Objective(most_lost=-1.0), "points from 0 to 100, got -1"),
        (lambda: Objective("cost"), "costs belong to the objective cost"),
        (lambda: Objective("f1", costs=COSTS), "costs belong to the objective cost"),
        (lambda: Objective("cost", costs=Costs(0, 0, 0)), "one of them above 0, got 0, 0, 0"),
        (lambda: Objective("cost", costs=Costs(-1, 1, 1)), "0 or more, one of them above 0"),
        (lambda: Objective("cost", costs=Costs(1, 1, float("nan"))), "got 1, 1, nan"),
    ],
)
def test_objectives_that_say_nothing(wrong: Callable[[], Objective], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        wrong()


def test_an_objective_says_what_it_is() -> None:
    assert "at a loss of at most 4 points of F1" in Objective().sentence()
    assert "(withheld 1, wrong 2, unanswerable 3)" in objective("cost").sentence()
