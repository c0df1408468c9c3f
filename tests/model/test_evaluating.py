"""Rows from Python are judged as a file's questions are."""

import json
from typing import Any

import pytest

import qa_demo
from qa_demo.core.base import BadInput
from qa_demo.core.types import DecodeOptions
from qa_demo.evaluation.lines import read_lines
from qa_demo.evaluation.run import sampled
from qa_demo.model.work import SHARED
from tests.cli.terminal import OPTIONS, Terminal, lines
from tests.model import kit

pytestmark = pytest.mark.model

ROWS: list[dict[str, Any]] = [
    {"id": 0, "question": "Who designed the bridge?", "context": kit.CONTEXT, "answers": ["the"]},
    {"id": "b", "question": "When did it open?", "context": kit.CONTEXT, "answers": ["1998"]},
    {"id": "c", "question": "What is silent?", "context": kit.CONTEXT, "answers": []},
    {"id": "d", "question": "long " * 90, "context": kit.CONTEXT, "answers": ["1998"]},
]


def test_rows_give_what_the_command_gives(bert, saved, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(SHARED, "count", 1)  # cores shared in another way move the last digit
    told: list[dict[str, Any]] = []
    found = qa_demo.evaluate(bert, iter(ROWS), told.append, windows=OPTIONS)
    file, out = lines(tmp_path / "rows.jsonl", ROWS), tmp_path / "p.jsonl"
    terminal = Terminal(saved("bert"), capsys)
    printed = terminal.data("evaluate", file, "--out", out)
    assert "question d counts as unanswered: the question has 360 tokens" in terminal.err
    assert "no threshold is stored with the reader" in terminal.err
    assert (found.run["rules"], found.run["threshold"]) == ("2.0", 0.0), "the reader has none"
    assert json.loads(json.dumps(told)) == list(read_lines(out).rows) and [*found.rows] == told
    assert found.scores == pytest.approx({name: printed[name] for name in found.scores})
    assert [row["kind"] == "not read" for row in told] == [False, False, False, True]
    assert (told[3]["answer"], told[3]["n_best"]) == (None, [])
    assert all((row["answer"] is None) == (row["score_diff"] > 0) for row in told[:3])
    terminal.read("evaluate", lines(file, ROWS[:2]))
    assert "no threshold" not in terminal.err, "it would change nothing"
    assert [row["id"] for row in found.rows] == ["0", "b", "c", "d"]


def test_what_would_bend_a_total_is_a_warning_and_what_changes_nothing_is_refused(bert):
    with pytest.warns(UserWarning, match="gold answer") as said:
        qa_demo.evaluate(bert, [ROWS[1] | {"answers": ["Nobody"]}])
    assert ["no gold answer stands in the paragraph" in str(one.message) for one in said] == [True]
    for rows, more, reason in (
        (ROWS[:2], {"threshold": 2.0}, "a threshold, got 2, changes nothing"),
        ([], {}, "the rows hold no question"),
        ({"train": ROWS}, {}, r"got dict; a table's are .*\('records'\), of splits give one"),
        (ROWS, {"decode": DecodeOptions(null_score_diff_threshold=-5)}, "give threshold=-5 itself"),
        (ROWS, {"decode": DecodeOptions(rule="product"), "threshold": 2}, "no threshold decides"),
    ):
        with pytest.raises(BadInput, match=reason):
            qa_demo.evaluate(bert, rows, **more)
    for how, limit in (({"threshold": 2.0}, 2), ({"decode": DecodeOptions(rule="product")}, None)):
        assert qa_demo.evaluate(bert, ROWS[1:3], **how).run["threshold"] == limit


def test_a_sample_is_drawn_over_the_whole_file_by_a_seed():
    """Finding 24: the first questions are those of one article."""
    every = list(range(1000))
    found = sampled(every, None, 100, 0)
    assert found == sorted(found) == sampled(every, None, 100, 0) and len(set(found)) == 100
    assert found != sampled(every, None, 100, 1) and max(found) > 900 and min(found) < 100
    assert sampled(every, 3, None, 0) == [0, 1, 2] and sampled(every, None, 2000, 0) == every
