"""Means of states and of runs, on tensors small enough to check by hand."""

import hashlib
import json
import re
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from qa_demo.training.card_phases import WIDTH, command
from qa_demo.training.card_phases import teacher as teacher_commands
from qa_demo.training.export import called, origin, soup, taught_by, told_once


def run_folder(folder: Path, **states: float) -> Path:
    """A run whose states hold one start/end weight and one tag weight, both that number."""
    (folder / "snapshots").mkdir(parents=True)
    for name, value in states.items():
        heads = {"reader.qa_outputs.bias": torch.full((2,), value)}
        heads["bio.bias"] = torch.full((3,), value)
        where = folder if name == "average" else folder / "snapshots"
        save_file(heads, where / f"{name.replace('_', '-')}.safetensors")
    return folder


def reader_folder(folder: Path, value: float) -> Path:
    """An exported reader in half precision, with a tensor that no run trains."""
    folder.mkdir()
    spans, tags = torch.full((2,), value).half(), torch.full((3,), value).half()
    weights = {"qa_outputs.bias": spans, "embeddings": torch.ones(4).half()}
    save_file(weights, folder / "model.safetensors")
    save_file({"bias": tags}, folder / "bio_head.safetensors")
    about = {"weights": ["average"], "phases": [{"name": "phase1"}], "threshold": -1.0}
    (folder / "reader.json").write_text(json.dumps(about))
    (folder / "checksums.json").write_text("{}")
    return folder


def test_the_mean_gives_the_run_and_each_other_reader_the_same_share(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run", average=1.0, step_000004=3.0)
    others = [reader_folder(tmp_path / "a", 5.0), reader_folder(tmp_path / "b", 8.0)]
    mean = soup(run, ["average", "step-000004"], others)  # ((1 + 3) / 2 + 5 + 8) / 3 = 5
    assert mean.keys() == {"reader.qa_outputs.bias", "bio.bias"}
    assert all(torch.equal(value, torch.full_like(value, 5.0)) for value in mean.values())
    assert torch.equal(soup(run, ["average"], [])["bio.bias"], torch.ones(3))
    thrice = soup(run, ["average"], others[:1], share=3)["bio.bias"]  # (3 * 1 + 5) / 4 = 2
    assert torch.equal(thrice, torch.full((3,), 2.0))


def test_a_reader_that_lacks_a_trained_tensor_is_refused(tmp_path: Path) -> None:
    run, other = run_folder(tmp_path / "run", average=1.0), reader_folder(tmp_path / "a", 5.0)
    save_file({"weight": torch.ones(3)}, other / "bio_head.safetensors")
    with pytest.raises(KeyError, match=r"bio\.bias"):
        soup(run, ["average"], [other])


def test_the_origin_of_a_reader_says_how_it_was_made(tmp_path: Path) -> None:
    found = origin(reader_folder(tmp_path / "a", 5.0))
    assert (found["weights"], found["phases"]) == (["average"], [{"name": "phase1"}])
    assert found["checksum"] == hashlib.sha256(b"{}").hexdigest()
    path = tmp_path / "a" / "reader.json"
    more = {"began_with": {"checksum": "ab"}, "mean_with": []}
    path.write_text(json.dumps(json.loads(path.read_text()) | more))
    again = origin(tmp_path / "a")
    assert again.keys() == {*found, "began_with", "mean_with"}
    assert again["began_with"] == {"checksum": "ab"}


def test_a_taught_run_names_its_teacher(tmp_path: Path) -> None:
    teacher, run = tmp_path / "teacher", tmp_path / "run"
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder" / "README.md").write_text("---\nlicense: x\n---\n# some-encoder\n")
    for folder, settings in (
        (teacher, {"encoder": str(tmp_path / "encoder"), "train": ["/x/a.json:1"], "resume": None}),
        (run, {"encoder": "small", "train": [], "resume": None, "teacher": str(teacher)}),
    ):
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(settings))
        (folder / "state.json").write_text('{"step": 7}')
    found = taught_by(run)["teacher"]
    assert found["encoder"] == "some-encoder" and found["phases"][0]["steps_taken"] == 7
    assert "/" not in found["phases"][0]["train"][0] and "encoder" not in found["phases"][0]
    assert taught_by(teacher) == {} and called("hub/name") == "hub/name"
    blocks = teacher_commands({"teacher": found})
    assert "began with `some-encoder`" in blocks[0] and "--train a.json:1" in blocks[1]
    assert teacher_commands({}) == []
    student = {"name": "taught", "train": ["b"], "label_share": 0.3, "steps": 4}
    line = command(student, None, "exported/earlier")
    assert "training.teach --student exported/earlier --teacher runs/teacher" in line
    assert "--label-share 0.3" in line


def test_the_card_packs_a_command_on_few_lines_and_splits_no_setting() -> None:
    settings = {f"flag_{k:02}": k for k in range(40)}
    phase = {"name": "one", "train": ["a.json:1"], "steps": 4, **settings}
    lines = command(phase, None, "some/encoder").split(" \\\n    ")
    assert len(lines) < 8 and max(map(len, lines)) <= WIDTH
    found = re.findall(r"--flag-(\d+) (\d+)", "\n".join(lines))
    assert [(int(a), int(b)) for a, b in found] == [(k, k) for k in range(40)]


def test_a_history_tells_of_no_reader_and_no_teacher_twice() -> None:
    teacher = {"encoder": "large", "phases": [{"name": "one"}], "checksum": "t"}
    first = {"phases": [], "mean_with": [], "checksum": "a"}
    second = {"phases": [], "mean_with": [first], "began_with": first, "teacher": teacher}
    third = {"phases": [], "mean_with": [second | {"checksum": "b"}, {"checksum": "c"}]}
    third |= {"began_with": second | {"checksum": "b"}, "teacher": dict(teacher)}
    told = told_once(third)
    assert told["mean_with"] == [{"checksum": "b"}, {"checksum": "c"}]
    assert told["teacher"] == {"encoder": "large", "checksum": "t"}
    before = told["began_with"]
    assert before["teacher"] == teacher and before["began_with"] == first
    assert before["mean_with"] == [{"checksum": "a"}]
    assert told_once(first) is first
