"""A run becomes a folder: small, told in its card, an adapter merged when loaded."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qa_demo.core.base import BadCheckpoint, ModelUnavailable
from qa_demo.core.types import WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.model.card import base_of, read_card
from qa_demo.model.loading import load_reader
from qa_demo.training import card, export, heads
from tests.cli.terminal import Terminal
from tests.model import kit

pytestmark = pytest.mark.model
OPTIONS = WindowOptions(max_seq_length=48, doc_stride=16)


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """A classifier: an adapter brings a head of its own."""
    folder, kind = tmp_path_factory.mktemp("base"), "ForSequenceClassification"
    kit.made(folder, "mpnet", kind, max_position_embeddings=66, num_labels=3)
    return folder


def told(folder: Path, **settings: object) -> Path:
    """What a run says of itself."""
    folder.mkdir(exist_ok=True)
    made = {"train": ["/x/a.json:1"], "dev": "/x/dev.json", "steps": 7}
    made |= {"torch": "2.13.0", "mixed_precision": "no"}
    (folder / "settings.json").write_text(json.dumps(made | settings))
    (folder / "state.json").write_text('{"step": 7, "seconds": 130.2}')
    return folder


@pytest.fixture(scope="module")
def exported(base, tmp_path_factory) -> tuple[Path, heads.TwoHeads]:
    """A run whose adapter was moved, as training would, exported; and its model."""
    torch.manual_seed(1)
    model = heads.load(str(base), 0.0, adapter=2).eval()
    about = {"encoder": str(base), "adapter": 2, "origin": model.origin}
    run = told(tmp_path_factory.mktemp("runs") / "run", **about)
    with torch.no_grad():
        for parameter in heads.trainable(model).values():
            parameter.copy_(torch.randn_like(parameter).mul(0.2).half())  # as it is exported
    save_file(heads.trainable(model), run / "average.safetensors")
    out = run.with_name("large")
    asked, named = ["--run", str(run), "--out", str(out)], ["--repo=some/encoder", "--revision=abc"]
    tensors = load_file(shutil.copytree(base, twin := run.with_name("twin")) / "model.safetensors")
    last = "mpnet.encoder.layer.1.output.dense.bias"  # all others are as they were
    save_file(tensors | {last: tensors[last] + 1}, twin / "model.safetensors")
    for other in ([], named[:1], ["--encoder", str(run)], ["--encoder", str(twin), *named]):
        assert export.main([*asked, *other]) == 2 and not out.exists()
    assert export.main([*asked, *named]) == 0
    return out, model


def logits(model: heads.TwoHeads, reader) -> tuple[np.ndarray, np.ndarray]:
    """What peft's own forward pass gives for the first window, and what the reader gives."""
    window = make_windows(reader.encode(kit.QUESTION, kit.CONTEXT), OPTIONS)[0]
    return np.concatenate(model.read(window), -1), np.concatenate(reader.forward(window), -1)


def test_a_merged_adapter_gives_the_run_s_logits(base, exported, tmp_path, capsys, monkeypatch):
    folder, model = exported
    np.testing.assert_allclose(*logits(model, load_reader(str(folder), base=str(base))), atol=2e-5)
    assert not (folder / "model.safetensors").exists()
    assert card.main(["--reader", str(folder)]) == 2, "it was not scored"
    assert "holds no metrics.json that can be read" in capsys.readouterr().err
    about = json.loads((folder / "reader.json").read_text())
    assert about["base"]["repo"] == "some/encoder"
    assert (about["phases"][0]["steps_taken"], about["phases"][0]["seconds"]) == (7, 130)
    monkeypatch.chdir(base)
    assert "window" in Terminal(folder, capsys).ask("answer", "--base", ".")
    # the standard folder needs neither base nor adapter
    whole = tmp_path / "whole"
    asked = ["--merge", str(folder), "--out", str(whole), "--encoder"]
    assert export.main([*asked, str(base)]) == 0
    np.testing.assert_allclose(*logits(model, load_reader(str(whole))), atol=2e-5)
    bare = shutil.copytree(base, tmp_path / "bare", ignore=shutil.ignore_patterns("tok*"))
    assert export.main([*asked, str(bare)]) == 2
    assert "bare holds no tokenizer, as tokenizer.json" in capsys.readouterr().err
    kit.save(tmp_path / "other", "mpnet")
    assert export.main([*asked, str(tmp_path / "other")]) == 2
    assert "was trained on some/encoder, other is another" in capsys.readouterr().err
    (tmp_path / "other" / "reader.json").write_text("{}")
    assert export.main(["--merge", str(tmp_path / "other"), "--encoder", "x", "--out", "y"]) == 2
    assert "other is no adapter" in capsys.readouterr().err


def test_a_card_tells_the_commands_of_teacher_and_student(base, exported, tmp_path):
    (encoder := tmp_path / "encoder").mkdir()
    (encoder / "README.md").write_text("---\nlicense: x\n---\n# some/encoder\n")
    teacher = told(tmp_path / "big", encoder=str(encoder), adapter=16)
    ran = {"encoder": "hub/small", "label_share": 0.3, "train": ["b.json:2"], "resume": None}
    for source in (teacher, exported[0]):
        made = export.about(told(tmp_path / "run", teacher=str(source), **ran), "toy")
        assert "/" not in json.dumps(made).replace("hub/small", "").replace("some/encoder", "")
        large, small = re.findall(r"```\n(.*?)\n```", card.training(made), re.DOTALL)
        assert large.startswith("python -m qa_demo.training.finetune --encoder ")
        assert "--adapter" in large and "--out runs/teacher" in large
        assert "training.teach --student hub/small" in small and "--teacher runs/teacher" in small
        assert "--train b.json:2" in small and "--label-share 0.3 --" not in large
        assert max(map(len, small.splitlines())) <= card.WIDTH
    assert "run: 7 steps in 2 minutes" in card.training(made)
    gone = export.about(told(tmp_path / "run", teacher=str(tmp_path / "gone"), **ran), "toy")
    assert gone["teacher"] == {"name": "gone", "phases": []}
    assert "the reader `gone`" in card.training(gone)
    export.write_checksums(kit.save(tmp_path / "other", bio=True))  # of another's making
    other = export.about(told(tmp_path / "run", teacher=str(tmp_path / "other"), **ran), "toy")
    assert (other["teacher"]["name"], other["teacher"]["phases"]) == ("tiny", [])
    assert "teacher" not in export.about(told(tmp_path / "run", encoder="hub/small"), "toy")


def test_an_adapter_is_refused_where_its_base_does_not_fit(base, exported, tmp_path, monkeypatch):
    folder, other = exported[0], tmp_path / "other"
    kit.save(other, "mpnet")
    monkeypatch.chdir(other)
    with pytest.raises(BadCheckpoint, match=r"some/encoder, whose .* and not on the base other"):
        load_reader(str(folder), base=Path())
    (other / "model.safetensors").unlink()
    with pytest.raises(BadCheckpoint, match="and not on the base other, with no such file"):
        load_reader(str(folder), base=other)
    with pytest.raises(ModelUnavailable, match="--base FOLDER"):
        base_of(read_card(folder), False, None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelUnavailable, match=r"needs some/encoder@abc; start with --base"):
        load_reader(str(folder))
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / "checksums.json").unlink()
    about = json.loads((broken / "reader.json").read_text())
    for wrong in (None, {"repo": "a"}, {"repo": "", "revision": "b"}):
        (broken / "reader.json").write_text(json.dumps(about | {"base": wrong}))
        with pytest.raises(BadCheckpoint, match=r"must name the adapter's base|json: base\.\w+"):
            load_reader(str(broken), base=base)
