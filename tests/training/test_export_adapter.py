"""An adapter's folder: small, merged when loaded, refused on another base."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.types import Example, WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.model.adapter import merged
from qa_demo.model.loading import load_reader
from qa_demo.model.source import LAN, LOOPBACK
from qa_demo.training import checkpoints, export_adapter
from qa_demo.training.card_phases import teacher
from qa_demo.training.card_tables import log_curve
from qa_demo.training.export import taught_by
from qa_demo.training.pace import times_as_long
from qa_demo.training.twoheads import TwoHeads, load
from tests.cli.terminal import Terminal
from tests.fakes import FakeReader
from tests.model import kit

NAMED = ["--repo", "some/encoder", "--revision", "abc"]
OPTIONS = WindowOptions(max_seq_length=48, doc_stride=16)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder without any head, as the real one comes: its tensors without a prefix."""
    folder, words = tmp_path_factory.mktemp("base"), kit.tokenizer("mpnet")
    settings, _ = kit.config("mpnet", len(words))
    torch.manual_seed(3)
    transformers.MPNetModel(settings).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def a_run(folder: Path, base: Path, seed: int) -> tuple[Path, TwoHeads]:
    """A run whose adapter was moved, as training would, and its model."""
    folder.mkdir()
    torch.manual_seed(seed)
    model = load(str(base), 0.0, adapter=2).eval()
    with torch.no_grad():
        for parameter in checkpoints.trainable(model).values():
            # values of half precision: what is exported is what was trained
            parameter.copy_(torch.randn_like(parameter).mul(0.2).half())
    save_file(checkpoints.trainable(model), folder / "average.safetensors")
    (folder / "settings.json").write_text(
        json.dumps({"encoder": "e", "train": [], "resume": None, "adapter": 2})
    )
    (folder / "state.json").write_text('{"step": 7}')
    scores = {"exact": 50.0, "f1": 60.5, "bio_f1": 40.0}
    rows = [{"step": 4, "before": 0, "start": 1.0}]
    rows += [{"step": 6, "before": 0, "dev_questions": 9, "average": scores}]
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder, model


@pytest.fixture(scope="module")
def exported(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TwoHeads]:
    run, model = a_run(tmp_path_factory.mktemp("runs") / "run", base, seed=1)
    out = run.with_name("large")
    asked = ["--run", str(run), "--base", str(base), "--out", str(out)]
    with pytest.raises(BadInput, match="--repo and --revision must both say where"):
        export_adapter.named(base, None, None)
    assert export_adapter.main(asked) == 2 and not out.exists()
    assert export_adapter.main([*asked, *NAMED]) == 0
    return out, model


def logits(model: TwoHeads, reader) -> tuple[np.ndarray, np.ndarray]:
    """What peft's own forward pass gives for the first window, and what the reader gives."""
    window = make_windows(reader.encode(kit.QUESTION, kit.CONTEXT), OPTIONS)[0]
    ids = torch.tensor(np.asarray(window.input_ids)[None])
    with torch.no_grad():
        start, end, tags = model(ids, torch.ones_like(ids), torch.zeros_like(ids))
    theirs = torch.cat([torch.stack([start, end], -1), tags], -1)[0].numpy()
    span, own_tags = reader.forward([window])
    return theirs, np.concatenate([span[0], own_tags[0]], -1)


def test_a_merged_adapter_gives_the_logits_of_the_run(
    base: Path, exported: tuple[Path, TwoHeads], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, model = exported
    reader = load_reader(str(folder), replace(LOOPBACK, base=base))
    np.testing.assert_allclose(*logits(model, reader), atol=2e-5)
    assert not (folder / "model.safetensors").exists()
    about = json.loads((folder / "reader.json").read_text())
    assert about["base"]["repo"] == "some/encoder"
    assert about["phases"][0]["steps_taken"] == 7
    assert log_curve(about).endswith("| 6 | 9 | 50.0 | 60.5 | 40.0 |")
    assert "window" in Terminal(folder, capsys).ask("answer", "--base", base)
    # the standard folder needs neither base nor adapter
    whole = tmp_path / "whole"
    export_adapter.main(["--merge", str(folder), "--base", str(base), "--out", str(whole)])
    np.testing.assert_allclose(*logits(model, load_reader(str(whole))), atol=2e-5)
    # the card of a reader that this folder has taught tells the teacher's steps
    (whole / "settings.json").write_text(json.dumps({"teacher": str(whole)}))
    begin, taught = teacher(taught_by(whole))
    assert begin == "Its teacher began with `encoder`, a folder here."
    assert taught.startswith("teacher: 7 steps") and "--adapter" in taught


def test_two_adapters_side_by_side_are_their_sum(
    base: Path, exported: tuple[Path, TwoHeads], tmp_path: Path
) -> None:
    second, _ = a_run(tmp_path / "second", base, seed=2)
    asked = ["--run", str(second), "--base", str(base), "--out", str(tmp_path / "both")]
    export_adapter.main([*asked, *NAMED, "--onto", str(exported[0])])
    one, both = (
        load_file(folder / "adapter.safetensors") for folder in (exported[0], tmp_path / "both")
    )
    new = export_adapter.adapter_of(load_file(second / "average.safetensors"))
    weights = load_file(base / "model.safetensors")
    once = merged(merged(weights, one, "mpnet."), new, "mpnet.")
    for name, tensor in merged(weights, both, "mpnet.").items():
        assert torch.allclose(tensor.float(), once[name].float(), atol=1e-5), name


def test_an_adapter_is_refused_where_its_base_does_not_fit(
    base: Path, exported: tuple[Path, TwoHeads], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = exported[0], tmp_path / "other"
    kit.save(other, "mpnet")
    with pytest.raises(BadCheckpoint, match="was trained on some/encoder with the SHA-256"):
        load_reader(str(folder), replace(LOOPBACK, base=other))
    (other / "model.safetensors").unlink()
    with pytest.raises(BadCheckpoint, match=r"the base other holds no model\.safetensors"):
        load_reader(str(folder), replace(LOOPBACK, base=other))
    with pytest.raises(ModelUnavailable, match="--base FOLDER"):
        load_reader(str(folder), replace(LAN, local_folders=True))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelUnavailable, match=r"needs some/encoder@abc; start with --base"):
        load_reader(str(folder))
    weights = load_file(base / "model.safetensors")
    for layer, width, said in (
        ("encoder.layer.9.x", 16, "whose matrix is None"),
        ("encoder.layer.0.attention.attn.q", 8, r"whose matrix is \[16, 16\]"),
    ):
        change = {f"{layer}.A": torch.ones(2, width), f"{layer}.B": torch.ones(16, 2)}
        with pytest.raises(BadCheckpoint, match=said):
            merged(weights, change, "mpnet.")
    about = json.loads((folder / "reader.json").read_text())
    for wrong in (None, {"repo": "a"}, {"repo": "", "revision": "b", "sha256": "c"}):
        broken = tmp_path / f"broken {wrong}"
        broken.mkdir()
        for path in folder.iterdir():
            (broken / path.name).write_bytes(path.read_bytes())
        (broken / "checksums.json").unlink()
        (broken / "reader.json").write_text(json.dumps(about | {"base": wrong}))
        with pytest.raises(BadCheckpoint, match="must name the adapter's base"):
            load_reader(str(broken), replace(LOOPBACK, base=base))


def test_the_pace_is_the_middle_of_the_questions_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 3.0, 3.0, 4.0, 4.0, 12.0, 12.0, 13.0, 13.0, 17.0, 17.0, 19.0])  # 3, 8, 2
    monkeypatch.setattr("qa_demo.training.pace.time.perf_counter", lambda: next(clock))
    assert times_as_long(FakeReader(), FakeReader(), [Example("1", "a?", "a b", ())] * 3) == 3.0
