"""Two readers on the same questions, with intervals: by hand, by law, by official scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.files.report_evaluate import example_of, outcome_of
from qa_demo.core.measuring.bootstrap import LEAST, Draws, units_of
from qa_demo.core.measuring.comparison import check_same, differing, names_of, paired
from qa_demo.core.measuring.metrics import evaluate

TEXT = "Ada Byron drew it in 1998."
RUN = {"reader": "r", "rules": "2.0", "threshold": 0.0, "file": "x", "options": {"doc_stride": 128}}


def row(k: int, gold: str | None, said: str, diff: float, limit: float = 0.0) -> dict:
    """A line as `evaluate --out` writes it, scored under its own threshold."""
    golds = [] if gold is None else [{"text": gold, "char_start": TEXT.index(gold)}]
    made = {"id": str(k), "title": f"article {k // 2}", "question": "Who?", "context": TEXT}
    made |= {"gold": golds, "n_best": [{"text": said}] if said else []}
    made["score_diff"] = diff if said else None
    scores = evaluate([example_of(made)], {str(k): outcome_of(made)}, limit, "2.0")
    return made | {"exact": scores["exact"] / 100, "f1": scores["f1"] / 100}


A = [row(0, "Ada", "Ada", -3.0), row(1, "1998", "Ada", -1.0), row(2, None, "Ada", -2.0),
     row(3, "1998", "1998", 1.0)]  # fmt: skip
B = [row(0, "Ada", "Ada", 5.0), row(1, "1998", "1998", 4.0), row(2, None, "Ada", 6.0),
     row(3, "1998", "Ada", 1.0)]  # fmt: skip


def test_the_sign_of_a_difference_turns_with_the_threshold() -> None:
    """At 0 the first has one right, the second none; at best the first two, the second three."""
    found = {one.name: one for one in paired(A, RUN, B, RUN).under}
    assert found["own"].limits == (0.0, 0.0) == found["zero"].limits
    assert (found["zero"].exact[0].value, found["zero"].exact[1].value) == (25.0, 25.0)
    assert found["best"].limits == (-3.0, 5.0)
    assert [one.value for one in found["best"].exact] == [50.0, 75.0]
    assert found["best"].exact_difference.value == -25.0
    counts = paired(A, RUN, B, RUN)
    assert (counts.both, counts.only_a, counts.only_b, counts.neither) == (0, 1, 1, 2)


GOLDS = st.sampled_from([None, "Ada", "1998", "Ada Byron"])
SAID = st.sampled_from(["", "Ada", "1998", "drew it"])
ROWS = st.lists(st.tuples(GOLDS, SAID, st.floats(-9, 9)), min_size=2, max_size=12)


@settings(max_examples=30)
@given(ROWS, st.floats(-5, 5))
def test_under_each_threshold_stand_the_official_scores(
    drawn: list[tuple[str | None, str, float]], limit: float
) -> None:
    rows = [row(k, *one, limit) for k, one in enumerate(drawn)]
    run = RUN | {"threshold": limit}
    examples = [example_of(one) for one in rows]
    said = {one["id"]: outcome_of(one) for one in rows}
    found = paired(rows, run, rows, run).under
    for under in found:
        official = evaluate(examples, said, under.limits[0], "2.0")
        assert under.f1[0].value == pytest.approx(official["f1"])
        assert under.exact[0].value == pytest.approx(official["exact"])
        assert under.f1_difference.value == 0.0 == under.exact_difference.value
        assert found[-1].f1[0].value >= under.f1[0].value - 1e-9, "the best is the best"
    if len({one["score_diff"] or 0.0 for one in rows}) == len(rows):
        assert found[-1].f1[0].value == pytest.approx(official["best_f1"])


def test_a_reader_that_is_always_wrong_is_best_silent() -> None:
    rows = [row(0, "Ada", "1998", -3.0), row(1, None, "Ada", -1.0), row(2, "Ada", "1998", -2.0)]
    best = paired(rows, RUN, rows, RUN).under[-1]
    assert best.f1[0].value == pytest.approx(100 / 3) and best.limits[0] < -3.0


def test_one_threshold_where_nothing_is_withheld() -> None:
    for run in (RUN | {"rules": "1.1", "threshold": None}, RUN | {"threshold": None}):
        assert [one.name for one in paired(A, run, A, run).under] == ["own"]
    with pytest.raises(BadInput, match="the files hold 4 and 3"):
        paired(A, RUN, A[:3], RUN)


def test_other_settings_are_named_and_refused() -> None:
    other = RUN | {"reader": "s", "threshold": 4.0, "options": {"doc_stride": 64}, "bf16": True}
    found = {one.name: (one.a, one.b) for one in differing(RUN, other)}
    assert found == {"bf16": (None, True), "doc_stride": (128, 64)}
    with pytest.raises(BadInput, match=r"doc_stride: 128 and 64.*--allow-different"):
        check_same(RUN, other)
    check_same(RUN, RUN | {"reader": "s", "threshold": 9.0, "calibration": "none"})
    assert names_of(RUN, other) == ("r", "s") and names_of(RUN, RUN) == ("r (A)", "r (B)")


def test_the_interval_is_that_of_a_mean() -> None:
    """For many units the interval is the normal one: mean and 1.96 standard errors, of the units'
    means where questions of a unit are alike.
    """
    rng = np.random.default_rng(7)
    alone = rng.random(900)
    found = Draws([str(k) for k in range(900)]).mean(alone)
    error = 1.96 * alone.std() / 30
    assert found.value == pytest.approx(alone.mean())
    assert found.high - found.value == pytest.approx(error, rel=0.12)
    assert found.value - found.low == pytest.approx(error, rel=0.12)
    same = np.repeat(alone, 4)
    clustered = Draws([str(k // 4) for k in range(3600)]).mean(same)
    assert clustered.high - clustered.value == pytest.approx(error, rel=0.12)


def test_two_alike_readers_are_told_apart_once_in_twenty() -> None:
    """For any number of articles; by the interval alone it is every second time with two."""
    rng, told, clear = np.random.default_rng(5), {}, {}
    for count in (2, 4, 5, 6, 7, 10, 11, 20):
        units = np.repeat(np.arange(count), rng.integers(4, 40, count))
        draws, half = Draws(units.astype(str).tolist()), np.arange(len(units)) % 3 > 0
        alike = [
            rng.normal(0, 40, len(units)) + rng.normal(0, 20, count)[units] for _ in range(200)
        ]
        told[count] = [draws.paired(x).told for x in alike]
        told[count] += [draws.difference(x + 50, half, ~half).told for x in alike]
        clear[count] = draws.paired(alike[0] + 200).told
    few, enough = (
        [x for n in told if (n < LEAST) == low for x in told[n]] for low in (True, False)
    )
    assert not any(few) and 0.03 < np.mean(enough) < 0.06
    assert clear == {count: count >= LEAST for count in told}


def test_an_interval_that_is_printed_with_a_0_tells_nothing() -> None:
    draws = Draws([str(k) for k in range(12)])
    assert not draws.paired(np.full(12, 4e-3)).told and not draws.paired(np.full(12, -4e-3)).told
    assert draws.paired(np.full(12, 0.01)).told and draws.paired(np.full(12, -0.01)).told


def test_units_and_what_one_of_them_says() -> None:
    assert units_of(["a", "", "b"], ["x", "y", "z"]) == (["a", "y", "b"], "articles")
    assert units_of(["a", "a"], ["x", "y"]) == (["x", "y"], "paragraphs")
    assert units_of(["", ""], ["x", "x"]) == (["0", "1"], "questions")
    draws = Draws(["a", "a", "b"])
    alone = draws.mean([1.0, 0.0, 5.0], [True, True, False])
    assert (alone.value, alone.low, alone.high) == (0.5, None, None)
    for part in ([False] * 3, [True] * 2):
        with pytest.raises(BadInput, match="a mean needs a value for each of 3"):
            draws.mean([1.0, 0.0, 5.0], part)
    with pytest.raises(BadInput, match="at least one question"):
        Draws([])
