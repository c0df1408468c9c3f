"""Rows from Python are judged as a file's questions are."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import qa_demo
from qa_demo.cli.predictions import read_lines
from qa_demo.core.base import BadInput
from qa_demo.model.reader import BertReader
from tests.cli.terminal import OPTIONS, Terminal, lines
from tests.model import kit
from tests.reports import data_of

pytestmark = pytest.mark.model

ROWS: list[dict[str, Any]] = [
    {"id": 0, "question": "Who designed the bridge?", "context": kit.CONTEXT, "answers": ["the"]},
    {"id": "b", "question": "When did it open?", "context": kit.CONTEXT, "answers": ["1998"]},
    {"id": "c", "question": "What is silent?", "context": kit.CONTEXT, "answers": []},
    {"id": "d", "question": "long " * 90, "context": kit.CONTEXT, "answers": ["1998"]},
]


@pytest.fixture
def reader(loaded: Callable[[str], BertReader]) -> BertReader:
    return loaded("bert")


@pytest.fixture
def terminal(saved: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(saved("bert"), capsys)


def test_rows_give_what_the_command_gives(
    reader: BertReader, tmp_path: Path, terminal: Terminal
) -> None:
    told: list[dict[str, Any]] = []
    with pytest.warns(UserWarning, match="no threshold is stored with the reader"):
        found = qa_demo.evaluate(reader, iter(ROWS), told.append, windows=OPTIONS)
    file, out = lines(tmp_path / "rows.jsonl", ROWS), tmp_path / "p.jsonl"
    printed = terminal.data("evaluate", file, "--out", out)
    assert list(found.rows) == told and found.rules == "2.0"
    assert json.loads(json.dumps(told)) == read_lines(out)
    assert found.scores == pytest.approx({name: printed[name] for name in found.scores})
    assert [row["kind"] == "not read" for row in told] == [False, False, False, True]


def test_twins_are_counted_as_the_command_counts_them(
    reader: BertReader, tmp_path: Path, terminal: Terminal
) -> None:
    first = {"title": "t", "context": kit.CONTEXT, "answers": ["1998"], "id": "a"}
    asked = [first | {"question": q, "id": k} for q, k in (("When?", "a"), ("Whne?", "a~typos"))]
    file, out = lines(tmp_path / "rows.jsonl", asked), tmp_path / "p.jsonl"
    said = terminal.data("evaluate", file, "--out", out)["survives"]
    found = qa_demo.evaluate(reader, asked, windows=OPTIONS)
    assert [asdict(one) | {"lost": list(one.lost)} for one in found.survives] == said
    assert [(one["rule"], one["pairs"]) for one in said] == [("typos", 1)]
    assert json.loads(json.dumps(found.run["scores"]["survives"])) == said
    assert found.lists == {} and "lists" not in found.run["scores"]


def test_what_would_bend_a_total_is_a_warning_and_what_changes_nothing_is_refused(
    reader: BertReader,
) -> None:
    nothing = {"question": "", "context": "", "answers": []}
    odd = ROWS[1] | {"answers": ["Nobody"]}
    with pytest.warns(UserWarning, match=r"left out|gold answer") as said:
        found = qa_demo.evaluate(reader, [odd, nothing])
    assert [str(one.message) for one in said] == list(found.remarks)
    assert "no gold answer stands in the paragraph" in found.remarks[0]
    assert "1 row is empty and left out (first: row 2)" in found.remarks[1]
    with pytest.raises(BadInput, match="threshold changes nothing under the rules of SQuAD"):
        qa_demo.evaluate(reader, ROWS[:2], threshold=2.0)


def test_evaluations_become_the_report_that_the_command_writes(
    reader: BertReader, tmp_path: Path
) -> None:
    page = tmp_path / "r.html"
    a = qa_demo.evaluate(reader, ROWS[1:3], threshold=1.0)
    b = qa_demo.evaluate(reader, ROWS[1:3], threshold=2.0)
    qa_demo.report(a, page, against=b, slices=["short: words(question) < 5"])
    data = data_of(page)
    assert data["names"] == [f"{reader.name} (A)", f"{reader.name} (B)"] and not data["stopped"]
    assert data["groups"][0]["title"] == "short"
    assert [row["id"] for row in data["rows"]] == ["b", "c"]
    other = qa_demo.evaluate(reader, ROWS[1:2])
    with pytest.raises(BadInput, match="2 and 1 that are not the same"):
        qa_demo.report(a, page, against=other)


def test_a_frame_has_a_row_for_each_question(reader: BertReader) -> None:
    found = qa_demo.evaluate(reader, ROWS[:2])
    frame = found.to_pandas()
    assert list(frame["id"]) == ["0", "b"]
    assert frame["f1"].mean() == pytest.approx(found.scores["f1"] / 100)


def test_no_rows_and_rules_that_do_not_fit_are_refused(reader: BertReader) -> None:
    with pytest.raises(BadInput, match="the rows hold no question"):
        qa_demo.evaluate(reader, [])
    with pytest.raises(BadInput, match=r"got str; of a DataFrame give .* of datasets one split"):
        qa_demo.evaluate(reader, {"train": ROWS})
    with pytest.raises(BadInput, match="squad1 knows no question without an answer"):
        qa_demo.evaluate(reader, ROWS, rules="squad1")
