"""Two readers on the same questions, with intervals: by hand, by law, by official scores."""

import math

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.evaluation.compare import LEAST, Draws, more_articles, not_worse, paired, units_of
from qa_demo.evaluation.lines import Evaluation

RUN = {"reader": "r", "rules": "2.0", "threshold": 0.0, "options": {"doc_stride": 128}}


def row(k: int, f1: float = 1.0, gold: str = "Ada", title: str = "t", **more: object) -> dict:
    made = {"id": str(k), "question": f"Who is {k}?", "context": "Ada.", "title": title, "f1": f1}
    return made | {"gold": [{"text": gold, "char_start": 0}]} | more


def test_the_interval_is_that_of_a_mean():
    """For many units the interval is the normal one: mean and 1.96 standard errors, of the units'
    means where questions of a unit are alike.
    """
    rng = np.random.default_rng(7)
    alone = rng.random(900)
    found = Draws([str(k) for k in range(900)]).mean(alone)
    error = 1.96 * alone.std() / 30
    assert found.value[0] == pytest.approx(alone.mean())
    assert found.high[0] - found.value[0] == pytest.approx(error, rel=0.12)
    assert found.value[0] - found.low[0] == pytest.approx(error, rel=0.12)
    same = np.repeat(alone, 4)
    clustered = Draws([str(k // 4) for k in range(3600)]).mean(same)
    assert clustered.high[0] - clustered.value[0] == pytest.approx(error, rel=0.12)


def test_two_alike_readers_are_told_apart_once_in_twenty():
    """For any number of articles; by the interval alone it is every second time with two."""
    rng, told, clear = np.random.default_rng(5), {}, {}
    for count in (2, 4, 5, 6, 7, 10, 11, 20):
        units = np.repeat(np.arange(count), rng.integers(4, 40, count))
        draws = Draws(units.astype(str).tolist())
        alike = [
            rng.normal(0, 40, len(units)) + rng.normal(0, 20, count)[units] for _ in range(200)
        ]
        told[count] = [draws.told(x) for x in alike]
        clear[count] = draws.told(alike[0] + 200)
    few, enough = (
        [x for n in told if (n < LEAST) == low for x in told[n]] for low in (True, False)
    )
    assert not any(few) and 0.03 < np.mean(enough) < 0.06
    assert clear == {count: count >= LEAST for count in told}


def test_an_interval_that_is_printed_with_a_0_tells_nothing():
    draws = Draws([str(k) for k in range(12)])
    assert not draws.told(np.full(12, 4e-3)) and not draws.told(np.full(12, -4e-3))
    assert draws.told(np.full(12, 0.01)) and draws.told(np.full(12, -0.01))


def test_articles_are_drawn_and_of_few_nothing_is_said():
    """Finding 24: paragraphs of the first articles must not be drawn in silence."""
    rows = [row(k, title="one") for k in range(4)]
    assert units_of(rows) == (["one"] * 4, "articles")
    assert units_of([row(0, title=""), row(1, title="b")]) == (["Ada.", "b"], "articles")
    assert units_of([row(0, title="")]) == (["Ada."], "paragraphs")
    for count in (1, LEAST - 1, LEAST):
        draws = Draws([str(k % count) for k in range(60)])
        found = draws.mean(np.arange(60.0))
        assert math.isnan(found.low[0]) == (count < LEAST)
        assert not draws.told(np.ones(60)) or count >= LEAST
    many = Draws([str(k) for k in range(9)])
    part = np.where(np.arange(9) < LEAST - 1, np.arange(9.0), np.nan)
    assert math.isnan(many.mean(part).low[0]) and many.mean(part).value[0] == 2, "a part, too"
    both = many.mean(np.stack([np.arange(9.0), np.ones(9)]))
    assert both.value.tolist() == [4.0, 1.0] and both.low[1] == both.high[1] == 1.0


def test_how_many_more_articles_would_tell():
    """With the usual power of 80 %: C = 6 and a standard error of 1 tell 2.8 / sqrt(k) points."""
    width = 2 * 1.96
    assert more_articles(1.4, 0.0, width, 6) == 18, "half of what 6 articles tell: four times"
    assert more_articles(2.9, 0.0, width, 6) == 1
    assert more_articles(0.01, 0.0, width, 6) is None and more_articles(0.0, 0, 1, 6) is None


def test_files_are_paired_by_question_paragraph_and_gold():
    """Finding 5: ids and order do not matter; what differs is named and left out."""
    first = [row(k) for k in range(4)] + [row(0, id="twin")]
    second = [row(0, id="other"), row(2, id="0"), row(1, id="e", context="Else."), row(1, id="1")]
    second.append(row(3, gold="Bob"))
    a, b, differs = paired(Evaluation(first, RUN), Evaluation(second, RUN))
    assert [x["id"] for x in a.rows] == ["0", "1", "2"]
    assert [x["id"] for x in b.rows] == ["other", "1", "0"]
    one, other = differs
    assert one.startswith("left out: 2 questions of the first file") and "Who is 3?" in one
    assert other.startswith("left out: 2 questions of the second file") and "Who is 1?" in other
    assert paired(Evaluation(first, RUN), Evaluation(first[::-1], RUN))[2] == ()
    with pytest.raises(BadInput, match="share no question: 1 question of the first file"):
        paired(Evaluation([row(1)], RUN), Evaluation([row(2)], RUN))


def test_settings_that_differ_are_named():
    other = RUN | {"reader": "s", "threshold": 4.0, "options": {"doc_stride": 64}}
    assert paired(Evaluation([row(1)], RUN), Evaluation([row(1)], other))[2] == (
        "doc_stride is 128 in the first run and 64 in the second",
    )


@pytest.mark.parametrize(("by", "holds"), [(0.0, False), (24.9, False), (25.0, True)])
def test_not_worse_than_another_by_points(by, holds):
    own, other = [row(k, 0.5 * (k % 2)) for k in range(8)], [row(k, 0.5) for k in range(8)]
    found, said = not_worse(Evaluation(own, RUN), Evaluation(other, RUN), by)
    assert found is holds and said.startswith("F1 -25.00 points against r on 8 questions")
    assert "from 1 articles nothing can be told" in said
