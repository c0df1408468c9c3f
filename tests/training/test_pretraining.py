"""Pre-training on a toy: packing, losses against torch, resume, export, scoring, a reader."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from transformers import AutoModelForMaskedLM, AutoTokenizer

from qa_demo.core.base import BadInput
from qa_demo.examples import shipped
from qa_demo.model.spanbert import SBO_FILE, load_spanbert
from qa_demo.training import card, export, heads, infill, loop, pretrain, text
from qa_demo.training.text import Batches, cut, held_out, pack, read_text, tokenize
from tests.fake_infiller import FakeInfiller
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model
PIECES = len(kit.tokenizer("bert"))


def test_schemes_are_counted_over_the_texts_that_one_sequence_holds():
    text = "The old bridge over the river was opened in 1932 by the mayor of the town. "
    found = infill.schemes(FakeInfiller(), [2 * text, 60 * text, text], draws=2)
    assert (found["texts"], found["draws"]) == (2, 2)
    assert found["blanks"] == 2 * (6 + 3), "15 % of 34 tokens and of 17, in two draws"
    (kept,) = shipped("schemes.json").values()
    assert kept["of"] == infill.texts_of_page()[1] and kept.keys() - {"of"} == found.keys()


def settings(home: Path, out: str, **more) -> pretrain.Settings:
    small = {"steps": 6, "length": 40, "batch_tokens": 160, "held_limit": 4, "warmup": 2}
    every = {"log_every": 2, "evaluate_every": 3, "save_every": 3, "dropout": 0.1}
    where = {"encoder": f"{home}/encoder", "text": [f"{home}/text.txt"], "out": f"{home}/{out}"}
    return pretrain.Settings(**where | small | every | more)


@pytest.fixture(scope="module")
def run(home) -> Path:
    assert pretrain.train(settings(home, "run"))
    return home / "run"


@pytest.fixture(scope="module")
def exported(home, run) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(infill, "MEAN_PIECES", 3 * 160)  # three batches
        where = f"--run {run} --text {home}/text.txt --out {home}/exported"
        assert infill.main(["export", *where.split()]) == 0
    return home / "exported"


def batches(home: Path, **more) -> Batches:
    tokenizer = AutoTokenizer.from_pretrained(home / "encoder")
    parts = tokenize(tokenizer, read_text([str(home / "text.txt")])[0], 38)
    return Batches(parts, tokenizer, **{"length": 40, "rows": 4, "seed": 1, **more})


def test_a_hash_keeps_paragraphs_apart_and_more_text_is_only_trained_on(tmp_path):
    lines = [f"paragraph number {k} of the file" for k in range(4000)]
    more = [line.replace(" ", "  ") for line in lines[2900:]]
    parts = {"own": lines[:3000], "copies": lines[99::-1], "more": more, "empty": [""]}
    for name, part in parts.items():
        (tmp_path / name).write_text("\n".join(part))
    own, copies, more, empty = (str(tmp_path / name) for name in parts)
    train, held = read_text([own, copies])
    assert sorted(train + held) == sorted(lines[:3000])
    assert len(held) / 3000 == pytest.approx(0.05, abs=0.012)
    assert all(held_out(line) == held_out(f" {line}".replace(" ", "  ")) for line in lines)
    # a held-out paragraph stays held out, others are added once
    assert read_text([own], [more]) == (train + lines[3000:], held)
    assert any(held_out(line) for line in lines[3000:])
    with pytest.raises(BadInput, match="no paragraph"):
        read_text([empty])


def test_parts_begin_with_words_lose_nothing_and_fit(home):
    parts = cut(np.arange(120), np.repeat(np.arange(40), 3), 50)
    assert np.concatenate([p.ids for p in parts]).tolist() == list(range(120))
    assert all(len(p.ids) <= 50 and p.ids[0] % 3 == 0 for p in parts) and len(parts) == 3
    with pytest.raises(BadInput, match="--length must be at least 10, got 4"):
        tokenize(None, ["some"], 2)
    assert [len(p.ids) for p in cut(np.arange(120), np.zeros(120, dtype=int), 50)] == [40, 40, 40]
    found = batches(home)
    packs = pack(found.parts, 39, 3)
    assert sorted(k for members in packs for k in members) == [*range(len(found.parts))], "once"
    used = [sum(len(found.parts[k].ids) + 1 for k in members) for members in packs]
    assert max(used) <= 39 and np.mean(used) > 0.75 * 39


def test_a_batch_is_the_same_whenever_it_is_drawn_and_hides_only_pieces(home):
    first, alone = batches(home), batches(home, rows=1)
    ahead, again = (source[len(first) + 2] for source in (first, batches(home)))
    assert all(torch.equal(ahead[name], again[name]) for name in ahead)
    assert not torch.equal(ahead["attention_mask"], first[2]["attention_mask"]), "in another order"
    alone.sequences = alone.sequences[:1]
    assert not torch.equal(alone[0]["at"], alone[1]["at"]), "masked anew in each round"
    batch = first[0]
    ids, real = batch["input_ids"].flatten(), batch["attention_mask"].flatten().bool()
    special = {first.cls, first.sep, first.pad}
    assert not special & set(batch["true"].tolist()) and real[batch["at"]].all()
    for side in ("left", "right"):
        assert not special & set(ids[batch[side]].tolist()), "a boundary is never [CLS] or [SEP]"
        assert not set(batch[side].tolist()) & set(batch["at"].tolist()), "a boundary is observed"
    assert torch.equal(batch["at"][batch["row"]] - batch["left"], batch["k"])
    assert (batch["k"] >= 1).all() and (batch["k"] <= batch["right"] - batch["left"] - 1).all()
    assert (ids[~real] == first.pad).all() and first.pad not in ids[real]


def test_losses_are_torchs_with_their_own_denominators(home):
    torch.manual_seed(0)
    batch, model = batches(home)[0], pretrain.load(f"{home}/encoder").eval()
    terms = {name: term.item() for name, term in model(batch).items()}
    whole = model.mlm(batch["input_ids"], batch["attention_mask"], output_hidden_states=True)
    labels = torch.full(batch["input_ids"].shape, -100).flatten()
    labels[batch["at"]] = batch["true"]
    mlm = F.cross_entropy(whole.logits.flatten(0, 1), labels).item()
    assert terms["mlm"] == pytest.approx(mlm, rel=1e-5)
    x, losses = whole.hidden_states[-1].flatten(0, 1), []
    words = model.mlm.get_input_embeddings().weight
    for s, row in enumerate(batch["row"].tolist()):
        left, right = (x[batch[side][s]][None] for side in ("left", "right"))
        logits = model.sbo(left, right, batch["k"][s : s + 1], words)
        losses.append(F.cross_entropy(logits, batch["true"][row : row + 1]).item())
    assert terms["sbo"] == pytest.approx(sum(losses) / (len(losses) + 1), rel=1e-5)
    assert terms["loss"] == pytest.approx(terms["mlm"] + terms["sbo"])


def test_new_heads_begin_at_the_frequencies_of_the_text_and_learn_faster(home):
    counts = np.bincount(batches(home).stream, minlength=PIECES)
    model = pretrain.load(f"{home}/encoder", dropout=0.5)
    model.count(counts)
    config, mlm = model.mlm.config, model.mlm.cls.predictions
    assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (0.5, 0)
    assert model.sbo.counts.tolist() == counts.tolist()
    for bias in (mlm.bias, mlm.decoder.bias, model.sbo.bias):
        assert int(bias.argmax()) == int(counts.argmax())
        assert bias.exp().sum().item() == pytest.approx(1, rel=1e-4)

    groups = pretrain.parameter_groups(model, settings(home, "unused", learning_rate=1e-3))
    listed = [(id(p), (g["lr"], g["weight_decay"])) for g in groups for p in g["params"]]
    rate = dict(listed)
    assert len(listed) == len(rate) == len(list(model.parameters()))
    assert rate[id(model.sbo.dense1.weight)] == (5e-3, 0.01)
    assert rate[id(model.sbo.bias)] == (5e-3, 0)
    assert rate[id(model.mlm.bert.encoder.layer[0].attention.self.query.weight)] == (1e-3, 0.01)


def test_runs_that_do_not_fit_are_refused(home, exported, tmp_path, capsys, monkeypatch):
    said = "--length may be up to 512 with this encoder, got 513"
    monkeypatch.setattr(text, "read_lines", None)  # whoever reads the text before fails
    other = str(toy.encoder(home / "roberta", "roberta"))
    for more, reason in (({"length": 513}, said), ({"encoder": other}, "roberta is a Roberta")):
        with pytest.raises(BadInput, match=reason):
            pretrain.train(settings(home, "refused", **more))
    (tmp_path / "settings.json").write_text('{"encoder": "e", "adapter": 0}')
    (toy.encoder(tmp_path) / SBO_FILE).write_bytes((exported / SBO_FILE).read_bytes())
    refused = {
        f"export --run {tmp_path} --out {home}/refused": "is no run of pretrain",
        f"score --model {exported} --length 513": said,
        f"export --run {home}/run --encoder {exported} --out {home}/refused": "another encoder",
        **{f"score --model {x}": f"{x.name} holds no sbo_h" for x in (home / "encoder", tmp_path)},
        f"score --model {exported} --limit 0": "--limit takes 1 or more, got 0",
    }
    for asked, reason in refused.items():
        assert infill.main([*asked.split(), "--text", f"{home}/text.txt"]) == 2
        assert reason in capsys.readouterr().err
    assert export.main(["--run", f"{home}/run", "--out", f"{home}/refused"]) == 2
    assert "run is no run of finetune or teach" in capsys.readouterr().err


def test_a_resumed_run_is_the_same_run(home, run, monkeypatch):
    toy.stop_at(3, monkeypatch, settings(home, "stopped", workers=1))
    assert pretrain.main([]) == 130 and pretrain.train(settings(home, "stopped"))
    whole, resumed = ((home / x / "weights.safetensors").read_bytes() for x in ("run", "stopped"))
    assert whole == resumed
    half_way = json.loads((run / "log.jsonl").read_text().splitlines()[0])
    assert {"mlm", "sbo", "tokens_per_second", "seconds", "step"} <= half_way.keys()


def test_export_and_load_give_the_logits_of_the_rounded_weights(home, run, exported):
    model = pretrain.load(f"{home}/encoder")
    heads.load_weights(model, run / "weights.safetensors")
    model = model.half().float().eval()
    batch = batches(home)[1]
    mlm, sbo = model.logits(batch)
    again = infill.load_exported(exported).eval()
    assert all(torch.equal(a, b) for a, b in zip((mlm, sbo), again.logits(batch), strict=True))
    plain = AutoModelForMaskedLM.from_pretrained(exported, dtype=torch.float32).eval()
    logits = plain(batch["input_ids"], batch["attention_mask"]).logits.flatten(0, 1)
    assert torch.allclose(logits[batch["at"]], mlm, atol=1e-5)

    source = batches(home)  # the means are those of its wires
    with torch.no_grad():
        left = torch.cat([again.hidden(b)[b["left"]] for b in (source[k] for k in range(3))])
    assert torch.allclose(again.sbo.mean_left, left.mean(0), atol=2e-3)
    assert again.sbo.mean_position.abs().max() > 0 and again.sbo.counts.sum() == len(source.stream)


def test_scores_are_torchs(home, exported):
    found = batches(home, rows=1, packed=False)
    model = infill.load_exported(exported).eval()
    sequence = int(np.random.default_rng(0).permutation(len(found.sequences))[0])
    batch = found.batch([sequence], np.random.default_rng([1, 2, 0]))
    true, row = batch["true"], batch["row"]
    with torch.no_grad():
        model.mlm.cls.predictions.decoder.bias[true.mode().values] += 9  # right now and then
        mlm, sbo = model.logits(batch)
    columns = pretrain.measure(model, found, limit=1)
    right = (mlm.argmax(-1) == true).tolist()
    assert columns["mlm_right"].tolist() == right and len({*right}) == 2
    both = (mlm.softmax(-1)[row] * sbo.softmax(-1)).log()
    for head, logits, at in (("mlm", mlm, slice(None)), ("sbo", sbo, row), ("both", both, row)):
        wanted = F.cross_entropy(logits, true[at], reduction="none")
        assert columns[f"{head}_loss"][at] == pytest.approx(wanted.numpy(), abs=1e-4)
    assert np.isnan(columns["sbo_loss"]).sum() == len(true) - len(row)


def test_the_card_shows_scores_and_the_commands_of_the_run(home, exported):
    asked = f"score --model {exported} --text {home}/text.txt --length 40"
    assert infill.main(asked.split()) == 0 and card.main(["--reader", str(exported)]) == 0
    metrics = json.loads((exported / "metrics.json").read_text())
    said, overall = (exported / "README.md").read_text(), metrics["overall"]
    assert metrics.keys() == shipped("spanbert/metrics.json").keys(), "by the command as it is"
    assert sum(g["pieces"] for g in metrics["by_fate"].values()) == overall["pieces"]
    assert overall["pieces"] >= overall["sbo_pieces"] > 0
    assert f"{overall['mlm_perplexity']:.1f}" in said
    sums = json.loads((exported / "checksums.json").read_text())
    assert {"metrics.json", SBO_FILE} <= sums.keys()
    blocks = re.findall(r"```\n(.*?)\n```", said, re.DOTALL)
    train, write = (shlex.split(block.replace("\\\n", "")) for block in blocks)
    assert [train[2], *write[2:4]] == [pretrain.__name__, infill.__name__, "export"]
    asked = vars(loop.described(None, "", pretrain.Settings).parse_args(train[3:]))
    where = {"encoder": str(home / "encoder"), "text": [f"{home}/text.txt"], "out": f"{home}/run"}
    assert pretrain.Settings(**asked | where) == settings(home, "run")
    load_spanbert(str(exported))
