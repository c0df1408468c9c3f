"""The tags learned as whole taggings: the loss against every tagging, the layer fitted anew."""

import json
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from qa_demo.core.bio import illegal_at
from qa_demo.training import export, finetune, refit_tags
from qa_demo.training.card_phases import training
from qa_demo.training.twoheads import tagging_loss
from tests.training import toy

B, I, O = range(3)  # noqa: E741 - the field's own letters


def one_hot(rows: list[list[int]]) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(rows), 3).float()


def by_all_taggings(logits: np.ndarray, tags: list[int]) -> float:
    """-log of one tagging's share of exp(score), all legal taggings written out."""
    scores = {
        tagging: sum(logits[t, tag] for t, tag in enumerate(tagging))
        for tagging in product(range(3), repeat=len(tags))
        if not illegal_at(tagging)
    }
    return float(np.logaddexp.reduce(list(scores.values())) - scores[tuple(tags)])


def test_the_loss_is_the_share_of_all_legal_taggings() -> None:
    """Pieces that are not tagged (question, padding) have no part; three windows at a time."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        x = torch.tensor(rng.normal(0, 3, (3, 6, 3)), dtype=torch.float32)
        rows = [[O, B, I, I, O, O], [O, O, O, B, B, O], [O] * 6]
        tagged = torch.ones(3, 6)
        tagged[0, [0, 5]] = tagged[1, :2] = 0
        found = tagging_loss(x, one_hot(rows), tagged, 0.0)
        of_two = [by_all_taggings(x[0, 1:5], rows[0][1:5]), by_all_taggings(x[1, 2:], rows[1][2:])]
        wanted = torch.tensor([*of_two, by_all_taggings(x[2], rows[2])])
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_a_share_of_each_piece_s_own_loss_is_added() -> None:
    x = torch.randn(1, 6, 3, generator=torch.Generator().manual_seed(5))
    tags, on = [[O, O, B, I, O, O]], torch.tensor([[0, 1, 1, 1, 1, 0.0]])
    own = torch.nn.functional.cross_entropy(x[0, 1:5], torch.tensor(tags[0][1:5]), reduction="sum")
    whole = [tagging_loss(x, one_hot(tags), on, share) for share in (0.0, 0.25)]
    torch.testing.assert_close(whole[1], whole[0] + 0.25 * own)


def test_two_annotators_count_half_each() -> None:
    x = torch.randn(1, 5, 3, generator=torch.Generator().manual_seed(2))
    one, two, on = one_hot([[O, B, I, O, O]]), one_hot([[O, O, B, I, O]]), torch.ones(1, 5)
    apart = (tagging_loss(x, one, on) + tagging_loss(x, two, on)) / 2
    torch.testing.assert_close(tagging_loss(x, (one + two) / 2, on), apart)


def test_the_end_of_an_answer_that_the_window_cuts_is_left_out() -> None:
    x = torch.randn(1, 6, 3, generator=torch.Generator().manual_seed(3))
    found = tagging_loss(
        x, one_hot([[O, O, I, O, B, O]]), torch.tensor([[0, 0, 1, 1, 1, 1.0]]), 0.0
    )
    assert float(found) == pytest.approx(by_all_taggings(x[0, 3:], [O, B, O]), abs=1e-5)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two steps on whole taggings, exported."""
    home = tmp_path_factory.mktemp("tags")
    encoder, data = toy.encoder(home / "encoder"), toy.squad(home / "squad.json")
    given = f"--encoder {encoder} --train {data}:2 --dev {data} --steps 2 --lengths 60 --warmup 1"
    more = f"--tag-loss taggings --bio-weight 0.5 --batch-tokens 200 --dev-limit 2 --out {home}/run"
    finetune.main(f"{given} {more}".split())
    export.main(f"--encoder {encoder} --run {home}/run --out {home}/reader".split())
    return home / "reader"


def fitted(reader: Path, out: Path, *more: str) -> dict[str, bytes]:
    """The files of a copy whose layer was fitted anew."""
    shutil.copytree(reader, out)
    data = f"--train {reader.parent}/squad.json:3 --lengths 60 --batch-tokens 300"
    refit_tags.main([*f"--reader {reader} --out {out} {data}".split(), *more])
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.mark.model
def test_only_the_layer_changes_and_taggings_become_likelier(reader: Path, tmp_path: Path) -> None:
    found = fitted(reader, tmp_path / "out")
    changed = {name for name, data in found.items() if (reader / name).read_bytes() != data}
    assert changed == {"bio_head.safetensors", "reader.json", "checksums.json"}
    said = json.loads(found["reader.json"])["tags_refitted"]
    assert said["loss_after"] < said["loss_before"] and said["windows"] == 15
    assert said["train"] == ["squad.json:3"], "no folder of one machine"
    shown = training(json.loads(found["reader.json"]))
    assert "python -m qa_demo.training.refit_tags" in shown and "squad.json:3" in shown
    again = fitted(reader, tmp_path / "again")
    assert again["bio_head.safetensors"] == found["bio_head.safetensors"]


@pytest.mark.model
def test_a_bias_is_added_after_the_fit(reader: Path, tmp_path: Path) -> None:
    for name, more in (("plain", []), ("moved", ["--tag-bias", "-0.5", "0", "0.25"])):
        fitted(reader, tmp_path / name, *more)
    plain, moved = (load_file(tmp_path / n / "bio_head.safetensors") for n in ("plain", "moved"))
    torch.testing.assert_close(moved["weight"], plain["weight"])
    apart = (moved["bias"].float() - plain["bias"].float()).tolist()
    assert apart == pytest.approx([-0.5, 0, 0.25], abs=2e-3)


@pytest.mark.model
def test_what_cannot_be_fitted_is_refused_before_anything_is_read(
    reader: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("bare", "wide"):
        shutil.copytree(reader, tmp_path / name)
    (tmp_path / "bare" / "bio_head.safetensors").unlink()
    export.write_bio(torch.zeros(3, 24), torch.zeros(3), tmp_path / "wide")
    for out, more, says in (
        ("bare", "", "bare has no bio_head.safetensors: there is no layer to fit anew"),
        ("wide", "", "the layer of reader is [3, 16], that of wide [3, 24]"),
        ("wide", "--tag-bias 1 0", "--tag-bias takes three numbers, B, I and O, got 2"),
    ):
        given = f"--reader {reader} --out {tmp_path}/{out} --train x.json:1 {more}"
        assert refit_tags.main(given.split()) == 2
        assert capsys.readouterr().err == f"{says}\n"
