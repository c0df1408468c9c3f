"""Means of states and of runs, on tensors small enough to check by hand."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from qa_demo.training.export import origin, soup


def run_folder(folder: Path, **states: float) -> Path:
    """A run whose states hold one start/end weight and one tag weight, both equal to the given
    number.
    """
    (folder / "snapshots").mkdir(parents=True)
    for name, value in states.items():
        save_file(
            {
                "reader.qa_outputs.bias": torch.full((2,), value),
                "bio.bias": torch.full((3,), value),
            },
            folder
            / ("" if name == "average" else "snapshots")
            / f"{name.replace('_', '-')}.safetensors",
        )
    return folder


def reader_folder(folder: Path, value: float) -> Path:
    """An exported reader in half precision, with a tensor that no run trains."""
    folder.mkdir()
    save_file(
        {"qa_outputs.bias": torch.full((2,), value).half(), "embeddings": torch.ones(4).half()},
        folder / "model.safetensors",
    )
    save_file({"bias": torch.full((3,), value).half()}, folder / "bio_head.safetensors")
    (folder / "reader.json").write_text(
        json.dumps({"weights": ["average"], "phases": [{"name": "phase1"}], "threshold": -1.0})
    )
    (folder / "checksums.json").write_text("{}")
    return folder


def test_the_mean_gives_the_run_and_each_other_reader_the_same_share(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run", average=1.0, step_000004=3.0)
    others = [reader_folder(tmp_path / "a", 5.0), reader_folder(tmp_path / "b", 8.0)]
    mean = soup(run, ["average", "step-000004"], others)  # ((1 + 3) / 2 + 5 + 8) / 3 = 5
    assert mean.keys() == {"reader.qa_outputs.bias", "bio.bias"}
    assert all(torch.equal(value, torch.full_like(value, 5.0)) for value in mean.values())
    assert torch.equal(soup(run, ["average"], [])["bio.bias"], torch.ones(3))


def test_a_reader_that_lacks_a_trained_tensor_is_refused(tmp_path: Path) -> None:
    run, other = run_folder(tmp_path / "run", average=1.0), reader_folder(tmp_path / "a", 5.0)
    save_file({"weight": torch.ones(3)}, other / "bio_head.safetensors")
    with pytest.raises(KeyError, match=r"bio\.bias"):
        soup(run, ["average"], [other])


def test_the_origin_of_a_reader_says_how_it_was_made(tmp_path: Path) -> None:
    found = origin(reader_folder(tmp_path / "a", 5.0))
    assert (found["weights"], found["phases"]) == (["average"], [{"name": "phase1"}])
    assert (
        found["checksum"] == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )  # SHA-256 of "{}"
    about = json.loads((tmp_path / "a" / "reader.json").read_text())
    (tmp_path / "a" / "reader.json").write_text(
        json.dumps({**about, "began_with": {"checksum": "ab"}, "mean_with": []})
    )
    again = origin(tmp_path / "a")
    assert again.keys() == {*found, "began_with", "mean_with"} and again["began_with"] == {
        "checksum": "ab"
    }
