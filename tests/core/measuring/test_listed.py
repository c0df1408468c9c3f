"""Kinds of lists by hand, and the summary of a file against sets that are compared one by one."""

from collections import Counter

import pytest

from qa_demo.core.measuring.listed import KINDS, kind, lists_json, summary
from qa_demo.core.measuring.lists import list_scores

WANTED = ["the Rhine", "Elbe", "Danube"]


SAID = {
    "whole": [["Rhine", "the Elbe", "Danube."]],
    "one of several": [["Elbe"]],
    "missing": [["Elbe", "Danube"]],
    "merged": [["Rhine and Elbe"], ["Elbe", "Danube and the Rhine"]],
    "extra": [[*WANTED, "Oder"]],
    "missing and extra": [["Elbe", "Oder"]],
    "none": [["Oder"], ["Rhinelander Elber"]],
    "silent": [[], ["the"]],
}


@pytest.mark.parametrize("wanted", KINDS)
def test_a_list_has_one_kind(wanted: str) -> None:
    assert {kind(WANTED, said) for said in SAID[wanted]} == {wanted}


def test_a_summary_counts_every_list_once_for_each_head() -> None:
    rows = [
        {"wanted": WANTED, "span": ["Elbe"], "bio": WANTED},
        {"wanted": ["a1", "b1"], "span": ["a1 and b1"], "bio": []},
    ]
    found = summary(rows)
    assert +Counter(found["span"].kinds) == {"one of several": 1, "merged": 1}
    assert +Counter(found["bio"].kinds) == {"whole": 1, "silent": 1}
    assert found["bio"].scores == list_scores([set(WANTED), {"a1", "b1"}], [set(WANTED), set()])
    assert found["bio"].scores.whole_lists == 50.0
    json = lists_json(rows)["lists"]
    assert json["span"]["total"] == 2 and json["bio"]["exact"]["precision"] == 75.0
    assert summary([]) == {} and lists_json([]) == {}
    alone = summary([row | {"bio": None} for row in rows])
    assert list(alone) == ["span"], "a reader without tags has one head"
