"""A run held against lowest scores, and handed on to a model card."""

from pathlib import Path

import pytest
import yaml

from qa_demo.cli.limits import below, check_names, limits
from qa_demo.core.base import BadInput
from qa_demo.core.types import Answer, Example
from tests.cli.terminal import Terminal

SCORES = {"exact": 71.25, "f1": 80.0, "HasAns_f1": 64.5, "total": 4, "reader": "tiny"}


def test_each_score_below_its_limit_is_named() -> None:
    assert below(SCORES, limits(["f1=80", "exact=71"])) == []
    said = below(SCORES, limits(["f1=80.01", "exact=71", "HasAns_f1=65"]))
    assert said == ["f1 is 80.00, below 80.01", "HasAns_f1 is 64.50, below 65"]


@pytest.mark.parametrize("given", ["f1", "f1=", "=80", "f1=x", "f1=nan", "f1=101", "total=3"])
def test_a_limit_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(BadInput, match="needs a score's name and a percent"):
        limits([given])


def test_a_score_that_the_run_will_not_have_is_refused_before_it() -> None:
    has = Example("a", "Who?", "Ada.", (Answer("Ada", 0),))
    check_names({"exact": 1.0}, [has], "1.1")
    check_names({"HasAns_f1": 1.0, "best_exact": 1.0}, [has], "2.0")
    for name, rules in (("HasAns_f1", "1.1"), ("NoAns_f1", "2.0"), ("best_f1", "1.1")):
        with pytest.raises(BadInput, match=f"names '{name}'; the scores of this run are exact, f1"):
            check_names({name: 10.0}, [has], rules)


@pytest.mark.model
def test_the_exit_code_says_whether_the_scores_hold(dev: Path, terminal: Terminal) -> None:
    terminal.read("evaluate", dev, "--fail-under", "f1=0", "--fail-under", "exact=0")
    terminal.read("evaluate", dev, "--fail-under", "f1=100", code=1)
    assert ", below 100" in terminal.err


@pytest.mark.model
def test_the_block_of_a_model_card(dev: Path, tmp_path: Path, terminal: Terminal) -> None:
    out = terminal.read("evaluate", dev, "--eval-results", tmp_path / "card.yaml")
    printed = dict(line.split(maxsplit=1) for line in out.splitlines())
    (entry,) = yaml.safe_load((tmp_path / "card.yaml").read_text())["model-index"]
    (found,) = entry["results"]
    assert entry["name"] == printed["reader"] and found["task"]["type"] == "question-answering"
    assert found["dataset"]["name"] == "dev.json"
    scores = {one["type"]: one["value"] for one in found["metrics"]}
    wanted = {"exact_match": float(printed["exact"]), "f1": float(printed["f1"])}
    assert scores == pytest.approx(wanted)
