"""Two readers on the same questions, with intervals: by hand, by law, by official scores."""

import math
from collections.abc import Iterable

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.evaluation.compare import LEAST, Units, more_units, not_worse, paired, quantile
from qa_demo.evaluation.lines import Evaluation

RUN = {"reader": "r", "rules": "2.0", "threshold": 0.0, "options": {"doc_stride": 128}}


def row(k: int, f1: float = 1.0, gold: str = "Ada", title: str = "t", **more: object) -> dict:
    made = {"id": str(k), "question": f"Who is {k}?", "context": "Ada.", "title": title, "f1": f1}
    return made | {"gold": [{"text": gold, "char_start": 0}]} | more


def units(names: Iterable[object]) -> Units:
    return Units([row(0, title=str(name)) for name in names])


def test_the_interval_is_that_of_leaving_out_each_article():
    """By loops; the mean is one of questions, not of articles."""
    rng = np.random.default_rng(3)
    names, values = rng.permutation([*range(6), *rng.integers(6, size=30)]), 100 * rng.random(36)
    found = units(names).mean(values)
    without = [values[names != k].mean() for k in range(6)]
    error = math.sqrt(5 / 6 * sum((x - values.mean()) ** 2 for x in without))
    assert found.value == pytest.approx(values.mean())
    assert found.high == pytest.approx(values.mean() + 2.5703 * error, abs=1e-3)
    assert found.low == pytest.approx(values.mean() - 2.5703 * error, abs=1e-3)
    for freedom, found in ((5, 2.5706), (6, 2.4469), (10, 2.2281), (30, 2.0423), (1e9, 1.95996)):
        assert quantile(freedom) == pytest.approx(found, abs=5e-4)


def test_two_alike_readers_are_told_apart_once_in_twenty():
    """For any number of articles of unlike size; of one or two nothing is told."""
    rng, told, clear = np.random.default_rng(5), {}, {}
    for count in (2, 4, 5, 6, 7, 10, 11, 20):
        names = np.repeat(np.arange(count), rng.integers(4, 40, count))
        own, size = units(names), len(names)
        alike = [rng.normal(0, 40, size) + rng.normal(0, 20, count)[names] for _ in range(300)]
        told[count] = [own.mean(x).clear for x in alike]
        clear[count] = own.mean(alike[0] + 200).clear
    assert not any(any(told[n]) for n in told if n < LEAST)
    assert 0.04 < np.mean([told[n] for n in told if n >= LEAST]) < 0.07
    assert clear == {count: count >= LEAST for count in told}
    own = units(range(12))
    assert not own.mean(np.full(12, 0.04)).clear and not own.mean(np.full(12, -0.04)).clear
    assert own.mean(np.full(12, 0.1)).clear and own.mean(np.full(12, -0.1)).clear


def test_articles_stand_together_of_few_nothing_is_said_and_how_many_more_would_tell():
    """Finding 24: paragraphs of the first articles must not count each for itself in silence."""
    assert str(units(["one"] * 4)) == "1 article"
    for titles, called in ((["", "b"], "article"), ([""], "paragraph")):
        named = Units([row(0, title=title) for title in titles])
        assert (named.names, named.called) == ([title or "Ada." for title in titles], called)
    for count in (1, LEAST - 1, LEAST):
        found = units(k % count for k in range(60)).mean(np.arange(60.0))
        assert math.isnan(found.low[0]) == (count < LEAST)
    many = units(range(9))
    part = np.where(np.arange(9) < LEAST - 1, np.arange(9.0), np.nan)
    assert math.isnan(many.mean(part).low[0]) and many.mean(part).value[0] == 2, "a part, too"
    part = np.where(np.arange(9) < LEAST, np.arange(9.0), np.nan)
    assert many.mean(part).high == pytest.approx(units(range(6)).mean(np.arange(6.0)).high)
    both = many.mean(np.stack([np.arange(9.0), np.ones(9)]))
    assert both.value.tolist() == [4.0, 1.0] and both.low[1] == both.high[1] == 1.0
    near = many.mean([[100.0] * 8 + [0.0], [0.0] * 8 + [1.0]])
    assert near.high[0] == 100 and near.low[0] < 80 and near.low[1] < 0, "no share is above all"
    # with the usual power of 80 %: C = 6 and a standard error of 1 tell 2.8 / sqrt(k) points
    width = 2 * float(quantile(5))
    assert more_units(1.4, 0.0, width, 6) == 18, "half of what 6 articles tell: four times"
    assert more_units(2.9, 0.0, width, 6) == 1
    assert more_units(0.01, 0.0, width, 6) is None and more_units(0.0, 0, 1, 6) is None


def test_files_are_paired_by_question_paragraph_and_gold_and_other_settings_are_named():
    """Finding 5: ids and order do not matter; what differs is named and left out."""
    first = [row(k) for k in range(4)] + [row(0, id="twin")]
    second = [row(0, id="other"), row(2, id="0"), row(1, id="e", context="Else."), row(1, id="1")]
    second.append(row(3, gold="Bob"))
    a, b, differs = paired(Evaluation(first, RUN), Evaluation(second, RUN))
    assert [x["id"] for x in a.rows] == ["0", "1", "2"]
    assert [x["id"] for x in b.rows] == ["other", "1", "0"]
    one, other = differs
    assert one.startswith("left out: 2 questions of the first run ") and "Who is 3?" in one
    assert other.startswith("left out: 2 questions of the second w") and "Who is 1?" in other
    assert paired(Evaluation(first, RUN), Evaluation(first[::-1], RUN))[2] == ()
    with pytest.raises(BadInput, match="run and the second share no question: 1 question of the"):
        paired(Evaluation([row(1)], RUN), Evaluation([row(2)], RUN))
    other = RUN | {"reader": "s", "threshold": 4.0, "options": {"doc_stride": 64}}
    (said,) = paired(Evaluation([row(1)], RUN), Evaluation([row(1)], other))[2]
    assert said == "doc_stride is 128 in the first run and 64 in the second"


@pytest.mark.parametrize(("by", "holds"), [(0.0, False), (24.9, False), (25.0, True)])
def test_not_worse_than_another_by_points(by, holds):
    own, other = [row(k, 0.49992 * (k % 2)) for k in range(8)], [row(k, 0.5) for k in range(8)]
    found, said = not_worse(Evaluation(own, RUN), Evaluation(other, RUN), by)
    assert found is holds and said.startswith("F1 -25.00 points against r on 8 questions")
    assert "from 1 article nothing can be told" in said
    said = not_worse(Evaluation(own[:1], RUN), Evaluation(other[:2], RUN), by)[1]
    assert "on 1 question;" in said and "left out: 1 question of the run of r without" in said
