"""Slices of one's own: what an expression may name, what it gives, and what it may not do."""

from typing import Any

import pytest
from qa_demo.evaluation.own_slices import FIELDS, own_slice
from qa_demo.evaluation.slices import columns, named

from qa_demo.core.base import BadInput


def row(**change: Any) -> dict[str, Any]:
    texts = {"question": "Who built the mill?", "context": "Ada built the mill in 1840."}
    gold = [{"text": "Ada", "char_start": 0}]
    said = {"gold": gold, "answer": None, "kind": "withheld", "exact": 0.0, "f1": 0.5}
    numbers = {"claim": None, "score_diff": 1.25, "tokens": 9, "windows": 1}
    columns = {"source": "wiki", "two words": "x", "level": "3"}
    return {"id": "q1", "title": "Mill", "columns": columns, **texts, **said, **numbers, **change}


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("words(question) < 6", "yes"),
        ("'mill' in question and windows > 1", "no"),
        ("lower(gold)", "ada"),
        ("'number' if number(level) > 2 else 'word'", "number"),
        ("f1", "0.50"),
        ("round(-score_diff)", "−1"),
        ("claim", None),
        ("source", "wiki"),
        ("answer", ""),
        ("golds + length(title)", "5"),
        ("shared", "100.00"),
        ("question.startswith('Who')", "yes"),
    ],
)
def test_an_expression_names_a_group(expression: str, said: str | None) -> None:
    made = own_slice(f" mine : {expression}")
    assert made.title == "mine" and expression in made.says
    asked = row(gold=[{"text": "mill", "char_start": 14}]) if expression == "shared" else row()
    asked["question"] = "built mill" if expression == "shared" else asked["question"]
    assert made.name(asked) == said


@pytest.mark.parametrize("text", ["", "words(question)", ": f1", "name:", "a" * 61 + ": f1"])
def test_what_is_no_slice_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--slice needs 'name: expression'"):
        own_slice(text)


@pytest.mark.parametrize("expression", ["f1 +", "a = 1", "import os", "f1; f1"])
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(BadInput, match="--slice 'x' is no expression"):
        own_slice(f"x: {expression}").name(row())


@pytest.mark.parametrize(
    "expression",
    [
        "nothing",
        "open('x')",
        "question.__class__",
        "().__class__.__bases__",
        "__import__('os')",
        "'a' * 10 ** 9",
        "9 ** 9 ** 9",
        "f1 / 0",
        "claim > 0.5",
        "question.format(1)",
        "number(question)",
        "[x for x in question]",
    ],
)
def test_what_has_no_value_or_may_not_be_done_is_named(expression: str) -> None:
    with pytest.raises(BadInput, match="--slice 'x' has no value for question 'q1'"):
        own_slice(f"x: {expression}").name(row())


def test_every_documented_field_is_there() -> None:
    for name in FIELDS:
        own_slice(f"x: {name}").name(row())


def test_columns_of_the_file_are_slices_where_they_make_groups() -> None:
    rows = [
        row(id=str(k), columns={"source": "ab"[k % 2], "one": "same", "each": str(k)})
        for k in range(6)
    ]
    (found,) = columns(rows)
    assert found.title == "Column source" and named(found, rows) == ["a", "b"] * 3
    many = [row(columns={"tag": f"t{k // 2:02}"}) for k in range(50)]
    (tags,) = columns(many)
    assert named(tags, many).count("others") == 10
    old = row()
    del old["columns"]
    assert columns([old, old]) == ()
