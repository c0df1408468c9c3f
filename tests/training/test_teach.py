"""Teaching by a larger reader: pieces map, logits lie right, the loss is torch's."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file
from torch import nn

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.types import WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.model.loading import load_reader
from qa_demo.model.tokenizer import encode
from qa_demo.training import export, finetune, teach
from qa_demo.training.teacher import Said, Teacher, numbers_of
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's encoder, questions, and two steps on an MPNet with an adapter: the teacher."""
    folder = tmp_path_factory.mktemp("teaching")
    toy.encoder(folder / "student")
    toy.squad(folder / "squad.json")
    words = kit.tokenizer("mpnet")
    settings, _ = kit.config("mpnet", len(words), max_position_embeddings=514)
    torch.manual_seed(9)
    transformers.MPNetModel(settings, add_pooling_layer=False).save_pretrained(folder / "large")
    words.save_pretrained(folder / "large")
    adapted = f"--encoder {folder}/large --adapter 2 --out {folder}/teacher"
    finetune.main(adapted.split() + common(folder))
    return folder


def common(home: Path) -> list[str]:
    data = str(home / "squad.json")
    return (
        f"--train {data}:2 --dev {data} --steps 2 --lengths 40 60 --batch-tokens 200 "
        "--dev-limit 2 --save-every 1 --evaluate-every 2 --warmup 1 --negatives 0.3"
    ).split()


def asked(home: Path, out: str, *more: str) -> list[str]:
    given = f"--student {home}/student --teacher {home}/teacher --out {home}/{out} --unlabelled 1"
    return [*given.split(), *common(home), *more]


def test_a_teacher_of_whole_taggings_speaks_of_each_piece_by_itself() -> None:
    tags = np.array([[-3, -3, 3], [2, 2, -3], [-3, 2, 2]], np.float32)
    said = teach.piece_by_piece(Said(np.zeros((4, 2), np.float32), tags))
    assert said.tags.dtype == np.float32
    chances = np.exp(said.tags)
    assert chances.sum(1) == pytest.approx(1)
    assert chances[1, 0] > 0.97 and chances[1, 1] < 0.01, "no I behind a sure O"
    assert chances[2] == pytest.approx([0, 0.5, 0.5], abs=0.05)


@pytest.fixture(scope="module")
def taught(home: Path) -> Path:
    assert teach.main(asked(home, "taught")) == 0
    return home / "taught"


def test_each_piece_has_the_teacher_s_number(home: Path) -> None:
    student, large = (
        transformers.AutoTokenizer.from_pretrained(home / n) for n in ("student", "large")
    )
    numbers = numbers_of(student, large)
    ours, theirs = student(kit.CONTEXT)["input_ids"][1:-1], large(kit.CONTEXT)["input_ids"][1:-1]
    assert [numbers[k] for k in ours] == theirs and len(theirs) > 50
    with pytest.raises(BadInput, match=r"no word piece '\w+', nor .* others of the student's"):
        numbers_of(student, kit.tokenizer("roberta"))


@pytest.mark.parametrize(("bf16", "apart"), [(False, 1e-5), (True, 0.1)])
def test_the_teacher_reads_the_same_window_in_its_own_arrangement(
    home: Path, monkeypatch: pytest.MonkeyPatch, bf16: bool, apart: float
) -> None:
    monkeypatch.setattr("qa_demo.training.teacher.processor_has_bf16", lambda: bf16)
    student = transformers.AutoTokenizer.from_pretrained(home / "student")
    teacher = Teacher(home / "teacher", student)
    windows = make_windows(encode(student, kit.QUESTION, kit.CONTEXT), WindowOptions(40, 12, 20))
    large = teacher.tokenizer
    first = large(kit.QUESTION, kit.CONTEXT)["input_ids"]
    pieces = int(windows[0].is_context.sum())
    at = first.index(large.sep_token_id) + 2
    assert teacher.ids(windows[0]) == [*first[: at + pieces], large.sep_token_id]
    together = teacher.says(windows[:3])
    for window, said in zip(windows, together, strict=False):
        ids = torch.tensor([teacher.ids(window)], device=teacher.device)
        logits = teacher.model(ids, torch.ones_like(ids), torch.zeros_like(ids))
        start, _, tags = (x.detach().cpu() for x in logits)
        size = int(window.is_context.sum())
        assert said.span.shape == (size + 1, 2) and said.tags.shape == (size, 3)
        alone = start[0].numpy()
        np.testing.assert_allclose(said.span[1:, 0], alone[-1 - size : -1], atol=apart)
        np.testing.assert_allclose(said.span[0, 0], alone[0], atol=apart)
        np.testing.assert_allclose(said.tags, tags[0, -1 - size : -1].numpy(), atol=apart)


@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_a_teacher_says_what_the_page_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    monkeypatch.setattr("qa_demo.training.teacher.processor_has_bf16", lambda: False)
    folder = kit.save(tmp_path, bio=True, max_position_embeddings=512)
    reader = load_reader(str(folder))
    student = kit.tokenizer(family)
    options = WindowOptions(40, 12, 20)
    own = make_windows(reader.encode(kit.QUESTION, kit.CONTEXT), options)
    asked = make_windows(encode(student, kit.QUESTION, kit.CONTEXT), options)
    for window, said in zip(own, Teacher(folder, student).says(asked), strict=True):
        span, tags = (x[0] for x in reader.forward([window]))
        at = np.flatnonzero(window.is_context)
        np.testing.assert_allclose(said.span, span[[0, *at]], atol=1e-5)
        np.testing.assert_allclose(said.tags, tags[at], atol=1e-5)


def test_logits_are_written_once_and_a_stopped_run_goes_on(
    home: Path, taught: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = sorted((taught / "logits").glob("*.npz"))
    assert kept and (taught / "weights.safetensors").is_file()
    monkeypatch.setattr(Teacher, "says", None)  # whoever asks the teacher again fails
    more = ["--logits", str(taught / "logits")]
    assert teach.main(asked(home, "again", *more)) == 0
    same = map(torch.equal, weights(taught), weights(home / "again"))
    assert all(same), "the same windows, logits and seed are the same run"


def weights(run: Path) -> list[torch.Tensor]:
    return [tensor for _, tensor in sorted(load_file(run / "weights.safetensors").items())]


def test_an_adapter_is_taught_too(home: Path, taught: Path) -> None:
    assert teach.main(asked(home, "adapted", "--logits", f"{taught}/logits", "--adapter", "2")) == 0
    names = load_file(home / "adapted" / "weights.safetensors")
    assert all("lora_" in n or n.startswith(("reader.qa_outputs.", "bio.")) for n in names)


def test_a_taught_student_is_exported_as_any_other(home: Path, taught: Path) -> None:
    export.export(taught, home / "exported")
    about = json.loads((home / "exported" / "reader.json").read_text())
    assert about["phases"][0]["unlabelled"] == 1.0 and "teacher" not in about["phases"][0]


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("other weights", "holds the logits of another teacher"),
        ("earlier version", "or of an earlier version"),
        ("cut off", "holds the logits of another teacher"),
        ("other windows", "was made for other windows"),
        ("no windows", "no window can be drawn"),
        ("broken", "is no part of a teacher's logits"),
    ],
)
def test_logits_that_do_not_fit_are_refused(
    home: Path, taught: Path, tmp_path: Path, capsys: Any, harm: str, said: str
) -> None:
    logits = tmp_path / "logits"
    shutil.copytree(taught / "logits", logits)
    more = ["--logits", str(logits)]
    about = json.loads((logits / "teacher.json").read_text())
    noted = {
        "other weights": json.dumps(about | {"weights": "others"}),
        "earlier version": json.dumps({"weights": about["weights"]}),
        "cut off": '{"wei',
    }
    if harm in noted:
        (logits / "teacher.json").write_text(noted[harm])
    elif harm == "other windows":
        more += ["--seed", "8"]
    elif harm == "no windows":
        more += ["--lengths", "16"]
    else:
        (logits / "00000.npz").write_bytes(b"PK")
    assert teach.main(asked(home, f"refused-{harm.replace(' ', '-')}", *more)) == 2
    assert said in capsys.readouterr().err
    assert not (home / f"refused-{harm.replace(' ', '-')}" / "weights.safetensors").exists()


def test_a_folder_that_is_no_teacher(home: Path, tmp_path: Path) -> None:
    with pytest.raises(BadCheckpoint, match="neither a run of finetune nor a reader with tags"):
        Teacher(tmp_path, kit.tokenizer("bert"))


class Fixed(nn.Module):
    """A model that says these logits."""

    def __init__(self, *logits: torch.Tensor) -> None:
        super().__init__()
        self.logits = logits

    def forward(self, *_: Any) -> tuple[torch.Tensor, ...]:
        return self.logits


def test_the_loss_is_torch_s() -> None:
    torch.manual_seed(2)
    start, end, tags = torch.randn(2, 5), torch.randn(2, 5), torch.randn(2, 5, 3)
    heard = torch.tensor([[1, 0, 0, 1, 1], [1, 0, 1, 1, 0]]).bool()
    batch = {
        **dict.fromkeys(("input_ids", "attention_mask", "token_type_ids"), torch.zeros(2, 5)),
        "start": torch.eye(5)[[3, 0]],
        "end": torch.eye(5)[[4, 0]],
        "tags": torch.eye(3)[torch.randint(3, (2, 5))],
        "tagged": heard.float(),
        "labelled": torch.tensor([1.0, 0.0]),
        "taught": torch.randn(2, 5, 2),
        "taught_tags": torch.randn(2, 5, 3),
        "heard": heard,
        "heard_tags": torch.tensor([[0, 0, 0, 1, 0], [0, 0, 1, 1, 0]]).bool(),
    }
    terms = teach.loss_terms(Fixed(start, end, tags), batch, temperature=2.0)
    wanted = nn.functional.cross_entropy(start[:1], torch.tensor([3]))
    torch.testing.assert_close(terms["start"], wanted)
    kl = []
    for ours, theirs, at in zip(start, batch["taught"], heard, strict=True):
        p, q = (ours[at] / 2).log_softmax(-1), (theirs[at, 0] / 2).softmax(-1)
        kl.append(4 * nn.functional.kl_div(p, q, reduction="sum"))
    torch.testing.assert_close(terms["taught_start"], torch.stack(kl).mean())
    q, p = ((x[batch["heard_tags"]] / 2).log_softmax(-1) for x in (batch["taught_tags"], tags))
    of_tags = nn.functional.kl_div(p, q, reduction="batchmean", log_target=True)
    torch.testing.assert_close(terms["taught_tags"], 4 * of_tags)
    same = {**batch, "taught": torch.stack([start, end], -1), "taught_tags": tags}
    again = teach.loss_terms(Fixed(start, end, tags), same, temperature=2.0)
    for name in ("taught_start", "taught_end", "taught_tags"):
        assert float(again[name]) == pytest.approx(0, abs=1e-6), "nothing to learn from itself"
    whole = teach.total(terms, label_share=0.3, bio_weight=15.0)
    labels, large = (
        (terms[f"{of}start"] + terms[f"{of}end"]) / 2 + 15 * terms[f"{of}tags"]
        for of in ("", "taught_")
    )
    torch.testing.assert_close(whole, 0.3 * labels + 0.7 * large)
