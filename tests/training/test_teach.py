"""Teaching by a larger reader: pieces map, logits lie right, the loss is torch's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.bio import span_marginals
from qa_demo.core.types import WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.model.loading import load_reader
from qa_demo.model.tokenizer import encode
from qa_demo.training import data, finetune, loop, teach
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model
CPU, OPTIONS = torch.device("cpu"), WindowOptions(40, 12, 20)


@pytest.fixture(scope="module")
def home(home) -> Path:
    """Beside them two steps on an MPNet with an adapter: the teacher."""
    toy.encoder(home / "large", "mpnet", 514)
    adapted = f"--encoder {home}/large --adapter 2 --out {home}/teacher"
    assert finetune.main(adapted.split() + common(home)) == 0
    return home


def common(home: Path) -> list[str]:
    return (
        f"--train {home}/squad.json:4 --dev {home}/squad.json --steps 2 --lengths 40 60 --warmup 1 "
        "--batch-tokens 200 --dev-limit 2 --save-every 1 --evaluate-every 2 --negatives 0.3"
    ).split()


def asked(home: Path, out: str, *more: str) -> list[str]:
    given = f"--student {home}/encoder --teacher {home}/teacher --out {home}/{out}"
    return [*given.split(), "--unlabelled=1", "--exchanged=1", *common(home), *more]


@pytest.fixture(scope="module")
def taught(home) -> Path:
    assert teach.main(asked(home, "taught")) == 0
    return home / "taught"


def windows_of(student: Any) -> tuple[Any, dict[str, torch.Tensor]]:
    """The kit's windows, and a padded batch of them."""
    windows = make_windows(encode(student, kit.QUESTION, kit.CONTEXT), OPTIONS)
    found = data.pool_of([data.targets(w) for w in windows], [False] * len(windows))
    pad = student.pad_token_id
    return windows, finetune.Windows(found, pad, CPU).batch(np.arange(len(windows)))


def test_each_piece_has_the_teacher_s_number():
    student, large = kit.tokenizer("bert"), kit.tokenizer("mpnet")
    numbers = teach.numbers_of(student, large)
    ours, theirs = student(kit.CONTEXT)["input_ids"][1:-1], large(kit.CONTEXT)["input_ids"][1:-1]
    assert [numbers[k] for k in ours] == theirs and len(theirs) > 50
    with pytest.raises(BadInput, match=r"no token '\w+', nor .* others of the student's"):
        teach.numbers_of(student, kit.tokenizer("roberta"))


@pytest.mark.parametrize(("bf16", "apart"), [(False, 1e-4), (True, 0.1)])
def test_the_teacher_reads_the_same_window_in_its_own_arrangement(home, bf16, apart):
    student, large = kit.tokenizer("bert"), kit.tokenizer("mpnet")
    teacher = teach.Teacher(home / "teacher", student, CPU)
    teacher.model.use_bf16(bf16)
    windows, batch = windows_of(student)
    assert len({len(w) for w in windows}) > 1, "some are padded"
    together = teacher.says(batch)
    ids, mask, types = teacher.arranged(batch)[0].values()
    assert not types.any()
    first = large(kit.QUESTION, kit.CONTEXT)["input_ids"]
    at = first.index(large.sep_token_id) + 2
    for b, window in enumerate(windows):
        pieces = first[at + window.doc_start : at + window.doc_stop]
        row, there = [*first[:at], *pieces, large.sep_token_id], slice(at, at + len(pieces))
        assert ids[b, : len(row)].tolist() == row and mask[b].sum() == len(row)
        with torch.no_grad():
            start, end, tags = (x[0] for x in teacher.model(toy.batch(row)))
        heard = np.pad(window.is_context, (0, together.shape[1] - len(window)))
        assert not together[b, 1:][~heard[1:]].any()
        for k, side in enumerate((start, end)):
            assert together[b, 0, k] == pytest.approx(side[0].item(), abs=apart)
            np.testing.assert_allclose(together[b, heard, k], side[there], rtol=0, atol=apart)
        said = tags[there].log_softmax(-1)[None]
        chances = teach.tag_chances(said, torch.ones(said.shape[:2], dtype=torch.bool))[0]
        np.testing.assert_allclose(together[b, heard, 2:], chances, rtol=0, atol=10 * apart)


@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_a_teacher_says_what_the_page_reads(tmp_path, family):
    folder = kit.save(tmp_path, bio=True, max_position_embeddings=512)
    reader, student = load_reader(str(folder)), kit.tokenizer(family)
    windows, batch = windows_of(student)
    for window, said in zip(windows, teach.Teacher(folder, student, CPU).says(batch), strict=True):
        at = [0, *np.flatnonzero(window.is_context)]
        np.testing.assert_allclose(said[at, :2], reader.forward(window)[0][at], atol=1e-5)


def test_tags_are_the_chances_of_a_piece_among_all_legal_taggings():
    torch.manual_seed(4)
    passage = torch.tensor([[0, 1, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0]]).bool()
    log_p = (2 * torch.randn(2, 6, 3)).log_softmax(-1)
    for row, on, got in zip(log_p, passage, teach.tag_chances(log_p, passage).exp(), strict=True):
        n = int(on.sum())
        spans = span_marginals(row[on].double().numpy(), n)  # of a span s..s + d, [s, d]
        inside = [sum(spans[s, t - s :].sum() for s in range(t)) for t in range(n)]
        np.testing.assert_allclose(got[on][:, 0], spans.sum(1), atol=2e-4)
        np.testing.assert_allclose(got[on][:, 1], inside, atol=2e-4)
        np.testing.assert_allclose(got[on].sum(-1), 1, atol=3e-4)


def test_logits_are_written_once_and_a_stopped_run_goes_on(home, taught, monkeypatch):
    monkeypatch.setattr(teach, "PART", 4)
    windows = len(np.load(taught / "pool.npz")["labelled"])
    assert loop.read_json(taught / "said.json")["done"] == windows > 4
    says, again = teach.Teacher.says, asked(home, "again", "--pool", f"{taught}/pool.npz")
    for stop in (0, 2):
        left = iter(range(stop))

        def heard(teacher: teach.Teacher, batch: Any, left: Iterator[int] = left) -> torch.Tensor:
            held = (home / "again" / "said.npy").stat()
            assert held.st_blocks * 512 >= held.st_size, "room on the disk is taken first"
            if next(left, None) is None:
                raise KeyboardInterrupt
            return says(teacher, batch)

        monkeypatch.setattr(teach.Teacher, "says", heard)
        assert teach.main(again) == 130
        assert (loop.read_json(home / "again" / "said.json")["done"] > 0) == (stop > 0)
        about = home / "again" / "settings.json"  # there is no checkpoint of the encoder yet
        about.write_text(about.read_text().replace('"origin": "', '"origin": "0'))
    monkeypatch.setattr(teach.Teacher, "says", says)
    assert teach.main(again) == 0
    for name in ("said.npy", "weights.safetensors"):
        assert (home / "again" / name).read_bytes() == (taught / name).read_bytes(), name
    monkeypatch.setattr(teach.Teacher, "says", None)  # whoever asks the teacher again fails
    more = ["--pool", f"{taught}/pool.npz", "--logits", f"{taught}/said.npy", "--adapter", "2"]
    assert teach.main(asked(home, "adapted", *more)) == 0
    assert any("lora_" in n for n in load_file(home / "adapted" / "weights.safetensors"))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        *((name, f"holds logits of other {name}") for name in ("weights", "windows")),
        ("cut", "holds no said.json that can be read"),
        ("broken", "holds no logits that can be read"),
    ],
)
def test_logits_that_do_not_fit_are_refused(home, taught, tmp_path, capsys, harm, said):
    logits, about = tmp_path / "said.npy", loop.read_json(taught / "said.json")
    logits.write_bytes(b"PK" if harm == "broken" else (taught / "said.npy").read_bytes())
    text = json.dumps({name: "other" if name == harm else x for name, x in about.items()})
    (tmp_path / "said.json").write_text(text[: 9 if harm == "cut" else None])
    more = ["--logits", str(logits), "--pool", f"{taught}/pool.npz"]
    assert teach.main(asked(home, f"refused-{harm}", *more)) == 2
    assert said in capsys.readouterr().err
    assert not (home / f"refused-{harm}" / "weights.safetensors").exists()


def test_a_folder_that_is_no_teacher_and_windows_that_are_too_long_for_one(home, tmp_path):
    assert teach.main(asked(home, "long", "--lengths", "512")) == 2
    assert teach.main(asked(home, "cold", "--temperature", "0")) == 2
    assert not (home / "cold").exists(), "refused before the teacher reads"
    for name in ("settings.json", "adapter.safetensors"):
        (tmp_path / name).write_text("{}")
        with pytest.raises(BadCheckpoint, match="nor a whole reader with tags, which `export --me"):
            teach.Teacher(tmp_path, kit.tokenizer("bert"), CPU)


def test_the_loss_is_torch_s():
    torch.manual_seed(2)
    start, end, tags = torch.randn(2, 5), torch.randn(2, 5), torch.randn(2, 5, 3)
    heard = torch.tensor([[1, 0, 0, 1, 1], [1, 0, 1, 1, 0]]).bool()
    batch = {"start": torch.eye(5)[[3, 0]], "end": torch.eye(5)[[4, 0]], "tagged": heard.float()}
    batch |= {"tags": torch.eye(3)[torch.randint(3, (2, 5))], "teacher": torch.randn(2, 5, 5)}
    batch |= {"passage": heard & torch.tensor([0, 1, 1, 1, 1]).bool()}
    batch |= {"listed": torch.tensor([[0, 0, 0, 0, 1], [0] * 5]).bool()}
    batch |= {"labelled": torch.tensor([1.0, 0.0])}
    terms = teach.loss_terms((start, end, tags), batch, temperature=2.0, lists=4.0)
    costs = nn.functional.cross_entropy(tags[0], batch["tags"][0], reduction="none")
    weights = torch.tensor([1.0, 0, 0, 1, 4])  # of a list four times
    wanted = {
        "start": nn.functional.cross_entropy(start[:1], torch.tensor([3])),
        "end": nn.functional.cross_entropy(end[:1], torch.tensor([4])),
        "tags": costs @ weights / weights.sum(),
    }

    def taught(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
        q, p = ((x / 2).log_softmax(-1) for x in (theirs, ours))
        return 4 * nn.functional.kl_div(p, q, reduction="sum", log_target=True)

    for k, (name, ours) in enumerate((("start", start), ("end", end))):
        rows = zip(ours, batch["teacher"][..., k], heard, strict=True)
        wanted[f"taught_{name}"] = sum(taught(x[on], y[on]) for x, y, on in rows) / 2
    apart = torch.tensor([[0, 0, 0, 1, 0], [0, 0, 1, 1, 0]]).bool()
    wanted["taught_tags"] = taught(tags[apart], batch["teacher"][..., 2:][apart]) / 3
    assert terms.keys() == wanted.keys()
    for name, value in wanted.items():
        torch.testing.assert_close(terms[name], value)
    whole = teach.total(terms, label_share=0.3, bio_weight=15.0)
    labels, large = (
        (terms[f"{of}start"] + terms[f"{of}end"]) / 2 + 15 * terms[f"{of}tags"]
        for of in ("", "taught_")
    )
    torch.testing.assert_close(whole, 0.3 * labels + 0.7 * large)
