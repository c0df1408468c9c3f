"""evaluate on a file of lists: both ways of running say the same, and it is what the lines hold."""

import json
from pathlib import Path

import pytest

from qa_demo.core.measuring.listed import lists_json
from tests.cli.terminal import Terminal

CONTEXT = "Ada met Bo and Cy in Rome."
SPANS = [[[0, 3], [8, 10], [15, 17]]]


@pytest.mark.model
def test_a_file_of_lists_is_scored_for_both_heads(tmp_path: Path, terminal: Terminal) -> None:
    answers = [{"text": CONTEXT[a:b], "answer_start": a} for a, b in SPANS[0]]
    listed = {"id": "list", "question": "Who met?", "answers": answers, "spans": SPANS}
    single = {"id": "one", "question": "Where?", "answers": [{"text": "Rome", "answer_start": 21}]}
    paragraph = {"context": CONTEXT, "qas": [listed, single]}
    dev, out = tmp_path / "dev.json", tmp_path / "lines.jsonl"
    dev.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [paragraph]}]}))
    with_lines = terminal.data("evaluate", dev, "--out", out)["lists"]
    assert terminal.data("evaluate", dev)["lists"] == with_lines
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    rows = [row for row in rows if "list" in row]
    assert [row["list"] is None for row in rows] == [False, True]
    assert rows[0]["list"]["wanted"] == ["Ada", "Bo", "Cy"]
    assert lists_json([rows[0]["list"]])["lists"] == with_lines
    assert with_lines["span"]["total"] == with_lines["bio"]["total"] == 1
    printed = terminal.read("evaluate", dev)
    assert "lists, start and end: " in printed and "lists, tags: " in printed
    assert "  overlap  F1 " in printed and "  said: " in printed
