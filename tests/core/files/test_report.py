"""The JSON: its exact fields, null answers, and numbers that JSON cannot say."""

import dataclasses
import json

import numpy as np
import pytest

from qa_demo.core.base import BadCheckpoint
from qa_demo.core.files import report
from qa_demo.core.predict import predict
from qa_demo.core.types import DecodeOptions
from tests.answer_fields import FIELDS
from tests.core.toys import make_reading, t1

OWN = ["char_start", "char_end", "start_logit", "end_logit", "score"]


def test_fields_of_an_answer():
    reading = t1()
    got = report.answer_json(reading, predict(reading, DecodeOptions(n_best_size=2)))
    assert list(got) == FIELDS
    said = ["who", "toy", "Delta Epsilon", 17, 30, 4.0, 3.5, 7.5, 1.5, -6.0, 0.0]
    assert [got[name] for name in FIELDS[:11]] == said
    assert reading.encoding.context[17:30] == "Delta Epsilon"
    second = {"text": "Beta", "char_start": 6, "char_end": 10, "window": 0}
    second |= {"start_logit": 3.0, "end_logit": 4.0, "score": 7.0}
    assert got["n_best"][1] == second | {"share": pytest.approx(1 / (1 + np.exp(0.5)))}
    assert got["windows"] == [
        {"index": 0, "doc_start": 0, "doc_stop": 4, "tokens": 8},
        {"index": 1, "doc_start": 2, "doc_stop": 6, "tokens": 8},
    ]
    assert json.loads(report.dumps(got)) == got


def test_no_answer_keeps_the_list_and_nulls_the_rest():
    got = report.answer_json(t1(), predict(t1(), DecodeOptions(null_score_diff_threshold=-9)))
    assert [got[k] for k in ["answer", *OWN]] == [None] * 6
    assert (got["n_best"][0]["text"], got["score_diff"]) == ("Delta Epsilon", -6.0)


def test_a_reading_without_a_span_is_still_a_report():
    none = [dataclasses.replace(w, is_max_context=np.zeros(8, dtype=bool)) for w in t1().windows]
    bare = dataclasses.replace(t1(), windows=tuple(none))
    got = report.answer_json(bare, predict(bare))
    assert [got[k] for k in ["answer", *OWN, "score_diff", "n_best"]] == [None] * 7 + [[]]
    assert json.loads(report.dumps(got))["null_score"] == 1.5


@pytest.mark.parametrize(
    ("value", "name"), [(float("nan"), "nan"), (float("inf"), "inf"), (-float("inf"), "-inf")]
)
def test_numbers_that_json_cannot_say_are_refused_by_name(value, name):
    with pytest.raises(
        BadCheckpoint, match=rf"n_best\[1\]\.score is {name}; a reader's logits must be finite"
    ):
        report.dumps({"answer": "x", "n_best": [{"score": 1.0}, {"score": value}]})


def test_a_broken_reader_is_refused():
    reading = t1()
    start = reading.start_logits.copy()
    start[0, 0] = np.inf
    broken = dataclasses.replace(reading, start_logits=start)
    with pytest.raises(BadCheckpoint, match="must be finite"):
        report.answer_json(broken, predict(dataclasses.replace(broken, windows=broken.windows[:1])))


@pytest.mark.parametrize(
    "word", ["naïve", "👩‍🚀", "東京", "a\ud800b", "<s>", "\u202eabc", 'quo"te']
)
def test_any_string_survives(word):
    reading = make_reading([word, "b"], [(0, 2)], [[0, 0, 0, 9, 0, 0]], [[0, 0, 0, 9, 0, 0]])
    got = report.answer_json(reading, predict(reading))
    assert got["answer"] == word == reading.encoding.context[got["char_start"] : got["char_end"]]
    assert json.loads(report.dumps(got)) == got
    report.dumps(got).encode("ascii")


def test_evaluate_adds_the_seconds():
    made = report.evaluate_json({"exact": 50.0, "total": 2}, 1.25)
    assert made == {"exact": 50.0, "total": 2, "seconds": 1.25}
