"""The learning curve: steps counted along the way, its rows, and files that do not fit."""

import json
from pathlib import Path

import pytest

from qa_demo.core.base import BadInput
from qa_demo.training import learning_curve
from qa_demo.training.learning_curve import curve, steps_so_far

BEFORE = {"phases": [{"steps_taken": 100}, {"steps_taken": 20}]}


def folder(at: Path, f1: float, digest: str = "ab", **about: object) -> Path:
    """A scored reader: only what the curve reads of it."""
    at.mkdir()
    mixed = {"best_f1": f1 - 10, "best_answer_or_not_accuracy": f1 - 5}
    plain = {"span": {"exact": f1 - 8, "f1": f1}, "bio": {"f1": f1 - 2}}
    metrics = {"data": {"dev.json.gz": digest}, "squad_dev": plain, "squad_dev_v2": {"span": mixed}}
    (at / "metrics.json").write_text(json.dumps(metrics))
    (at / "reader.json").write_text(json.dumps(BEFORE | about))
    return at


def test_steps_are_those_of_the_phases_and_of_what_came_before() -> None:
    assert steps_so_far(BEFORE) == 120
    mean = {"phases": [{"steps_taken": 5}], "began_with": BEFORE, "mean_with": [BEFORE]}
    assert steps_so_far(mean) == 125


def test_the_command_keeps_a_row_for_each_state_and_the_reader_last(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", 70.0)
    reader = folder(tmp_path / "reader", 80.0, phases=[{"steps_taken": 5}], began_with=BEFORE)
    assert learning_curve.main([str(first), "--reader", str(reader)]) == 0
    kept = json.loads((reader / "metrics.json").read_text())
    assert kept["data"] == {"dev.json.gz": "ab"}
    for row, state, steps, f1 in zip(
        kept["learning_curve"], ("first", "this reader"), (120, 125), (70.0, 80.0), strict=True
    ):
        plain = {"exact": f1 - 8, "f1": f1, "bio_f1": f1 - 2}
        mixed = {"best_f1": f1 - 10, "best_accuracy": f1 - 5}
        assert row == {"state": state, "steps": steps} | plain | mixed
    assert "metrics.json" in json.loads((reader / "checksums.json").read_text())


def test_states_that_cannot_be_compared_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = folder(tmp_path / "reader", 80.0)
    other = folder(tmp_path / "other", 70.0, digest="cd")
    with pytest.raises(BadInput, match=r"other was measured on another dev.json.gz than reader"):
        curve([other], reader)
    before = (reader / "metrics.json").read_bytes()
    assert learning_curve.main([str(tmp_path / "gone"), "--reader", str(reader)]) == 2
    assert "gone holds no reader.json and metrics.json" in capsys.readouterr().err
    assert (reader / "metrics.json").read_bytes() == before
