"""JSON of lines and scores: numbers that JSON cannot say."""

import pytest

from qa_demo.core.base import BadCheckpoint
from qa_demo.core.files import report


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_cannot_say_are_refused_by_name(value):
    said = rf"n_best\[1\]\.score is {value}; a reader's logits must be finite"
    with pytest.raises(BadCheckpoint, match=said):
        report.dumps({"answer": "x", "n_best": [{"score": 1.0}, {"score": value}]})


def test_a_text_of_any_letters_is_one_line_of_ascii():
    assert report.dumps({"a": "é\ud800\n"}) == '{"a": "\\u00e9\\ud800\\n"}'
