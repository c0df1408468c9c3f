"""perturb writes pairs, evaluate says what survives."""

import json
from pathlib import Path

import pytest

from qa_demo.cli.main import main
from tests.cli.test_main import SMALL, assert_fails, squad

pytestmark = pytest.mark.model


def test_a_file_of_pairs_is_scored_by_rule(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev, pairs, lines = squad(tmp_path / "dev.json"), tmp_path / "pairs.jsonl", tmp_path / "l.jsonl"
    assert main(["perturb", str(dev), "--with", "typos", "negated", "--out", str(pairs)]) == 0
    assert "3 questions and their twins: typos 3, negated 2" in capsys.readouterr().out
    rows = [json.loads(line) for line in pairs.read_text().splitlines()]
    assert [row["id"] for row in rows][:2] == ["q0", "q0~typos"]
    flags = ["evaluate", str(pairs), "--reader", str(folder), *SMALL, "--out", str(lines)]
    assert main([*flags, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    exact = {row["id"]: row["exact"] for row in map(json.loads, lines.read_text().splitlines())}
    for one in result["survives"]:
        twins = [name for name in exact if name.endswith(f"~{one['rule']}")]
        right = [name for name in twins if exact[name.partition("~")[0]] == 1]
        assert one["pairs"] == len(twins) and one["right"] == len(right)
        assert one["survived"] == sum(exact[name] == 1 for name in right)
    assert {one["rule"] for one in result["survives"]} == {"typos", "negated"}
    assert main(flags[:-2]) == 0
    assert "--out says how many answers survive" in capsys.readouterr().err
    assert main(flags) == 0
    assert "right answers survive, in 2 pairs" in capsys.readouterr().out
    assert_fails(capsys, ["perturb", str(dev), "--limit", "0"], "--limit must be at least 1")
