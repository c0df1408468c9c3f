"""The boundary head against its formula by hand; wires, edges, command."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.masking import hide
from qa_demo.core.types import Span
from qa_demo.model import spanbert
from qa_demo.model.spanbert import SBO_FILE, SBOHead, SpanBERT, load_spanbert
from tests.model import kit

pytestmark = pytest.mark.model
TEXT = "The bridge over the river was designed by who in the towers and painted"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("spanbert") / "toy"
    head = SBOHead(16, kit.made(where, "bert", "ForMaskedLM", 0.4).config.vocab_size, positions=4)
    for tensor in (*head.parameters(), head.mean_left, head.mean_right, head.mean_position):
        torch.nn.init.normal_(tensor, std=0.4)
    head.counts[10:15] = 3
    save_file(head.state_dict(), where / SBO_FILE)
    return where


@pytest.fixture(scope="module")
def bert(folder) -> SpanBERT:
    return load_spanbert(str(folder))


def by_hand(head: dict[str, torch.Tensor], words: torch.Tensor, *wires: torch.Tensor):
    """One target's logits from the formula alone: no module, no library's activation or norm."""
    x = torch.cat(wires).double()
    for n in (1, 2):
        weight, bias, scale, shift = (
            head[f"{part}{n}.{kind}"].double()
            for part in ("dense", "norm")
            for kind in ("weight", "bias")
        )
        a = (weight @ x + bias).tolist()
        g = torch.tensor([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in a]).double()
        centred = g - g.sum() / len(g)
        x = centred / ((centred**2).sum() / len(g) + 1e-12).sqrt() * scale + shift
    return words.double() @ x + head["bias"].double()


@pytest.mark.parametrize("names", ["", "left", "right", "position", "left right position"])
def test_the_head_is_its_formula_and_a_cut_wire_carries_its_mean(bert, names):
    cut = frozenset(names.split())
    masked = hide(bert.encode(TEXT).context_ids, [Span(2, 4), Span(7, 7)], bert.mask_id)
    t, head = bert.tokenizer, bert.sbo.state_dict()
    ids = torch.tensor([[t.cls_token_id, *masked.input_ids, t.sep_token_id]])
    with torch.no_grad():
        x = bert.model.bert(ids)[0][0, 1:-1]
    for piece in (pieces := bert.infill(masked, cut).pieces):
        wires = {"left": x[piece.run.start - 1], "right": x[piece.run.end + 1]}
        wires |= {"position": head["position.weight"][piece.k - 1]}
        wires |= {name: head[f"mean_{name}"] for name in cut}
        logits = by_hand(head, bert.model.get_input_embeddings().weight, *wires.values())
        assert piece.sbo.loss == pytest.approx(-logits.log_softmax(-1)[piece.id].item(), abs=1e-4)
        assert piece.sbo.guesses[0].id == int(logits.argmax())
        mlm = -bert.model.cls(x[piece.at]).log_softmax(-1)[piece.id].item()
        assert piece.mlm.loss == pytest.approx(mlm, abs=1e-4)
    if "position" in cut:  # without it all blanks of a run get the same guess
        assert len({piece.sbo.guesses for piece in pieces[:3]}) == 1


def test_a_text_of_the_longest_length_is_read_and_others_are_refused(bert):
    assert bert.max_pieces == 62
    masked = hide(bert.encode("the " * 62).context_ids, [Span(1, 10)], bert.mask_id)
    assert len(bert.infill(masked).pieces) == 10
    wrong = {" \n": "empty", "the " * 63: "63 tokens, allowed are 1 to 62", "\x00": "0 tokens"}
    for text, said in wrong.items():
        with pytest.raises(BadInput, match=said):
            bert.encode(text)
    rng = np.random.default_rng(0)
    assert {bert.random_piece(rng) for _ in range(200)} == set(range(10, 15))


def test_a_head_of_another_shape_and_a_checkout_without_the_model_are_refused(
    folder, tmp_path, monkeypatch
):
    copy = shutil.copytree(folder, tmp_path / "copy")
    broken = load_file(folder / SBO_FILE) | {"bias": torch.full((3,), float("nan"))}
    for tensors, said in (
        (SBOHead(8, 50, 4).state_dict(), f"{SBO_FILE} holds no head that fits"),
        ({"weight": torch.zeros(3)}, "no model that can be built"),
        (broken, "not finite"),
    ):
        save_file(tensors, copy / SBO_FILE)
        with pytest.raises(BadCheckpoint, match=said):
            load_spanbert(str(copy))
    monkeypatch.setitem(spanbert.OWN, "bundled", tmp_path / "gone")
    with pytest.raises(ModelUnavailable, match="name a folder"):
        load_spanbert()


def test_the_command_line_draws_by_seed_and_a_model_without_a_boundary_head_has_none_to_cut(
    folder, tmp_path, terminal
):
    infill = ["infill", "--text", TEXT, "--model"]

    def said(flags: str) -> str:
        return terminal.run(*infill, folder, *flags.split())

    same, again, other = (said(f"--seed {seed}") for seed in (4, 4, 5))
    assert same == again != other and "paper's plain sum" in same and "rank" in same
    assert json.loads(said("--masking token --cut left --json"))["infill"]["pieces"]
    assert "no SBO term" in said("--spans 0 3")
    kit.made(tmp_path / "r", "roberta", "ForMaskedLM")
    other, rng = load_spanbert(str(tmp_path / "r")), np.random.default_rng(0)
    ids = other.encode("the bridge was the bridge").context_ids
    found = other.infill(hide(ids, [Span(1, 2)], other.mask_id))
    assert all(p.sbo is None and "no span boundary head" in p.no_sbo for p in found.pieces)
    assert not set(other.tokenizer.all_special_ids) & {other.random_piece(rng) for _ in range(300)}
    terminal.refuses("changes nothing", *infill, tmp_path / "r", "--spans", 11, 15, "--cut=left")
