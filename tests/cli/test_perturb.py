"""perturb writes pairs, evaluate says what survives."""

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

pytestmark = pytest.mark.model


def test_a_file_of_pairs_is_scored_by_rule(dev: Path, tmp_path: Path, terminal: Terminal) -> None:
    pairs, lines = tmp_path / "pairs.jsonl", tmp_path / "l.jsonl"
    said = terminal.run("perturb", dev, "--with", "typos", "negated", "--out", pairs)
    assert "3 questions and their twins: typos 3, negated 2" in said
    rows = [json.loads(line) for line in pairs.read_text().splitlines()]
    assert [row["id"] for row in rows][:2] == ["q0", "q0~typos"]
    result = terminal.data("evaluate", pairs, "--out", lines)
    exact = {row["id"]: row["exact"] for row in map(json.loads, lines.read_text().splitlines())}
    for one in result["survives"]:
        twins = [name for name in exact if name.endswith(f"~{one['rule']}")]
        right = [name for name in twins if exact[name.partition("~")[0]] == 1]
        assert one["pairs"] == len(twins) and one["right"] == len(right)
        assert one["survived"] == sum(exact[name] == 1 for name in right)
    assert {one["rule"] for one in result["survives"]} == {"typos", "negated"}
    terminal.read("evaluate", pairs)
    assert "--out says how many answers survive" in terminal.err
    said = terminal.read("evaluate", pairs, "--out", lines)
    assert "right answers survive, in 2 pairs" in said
