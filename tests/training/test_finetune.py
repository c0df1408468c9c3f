"""Batches from a pool, and the command: a stopped run, own rates, an adapter, refusals."""

import json
import re
import signal
from dataclasses import replace
from pathlib import Path
from unittest.mock import DEFAULT, Mock

import numpy as np
import pytest
import torch
from torch import nn

from qa_demo.core.base import BadInput
from qa_demo.core.bio import best_tagged
from qa_demo.core.predict import predict
from qa_demo.core.types import Answer
from qa_demo.evaluation.questions import read_squad
from qa_demo.training import data, finetune, heads, loop
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model
CPU = torch.device("cpu")
LONG = [(kit.CONTEXT, [kit.asked("q", "the " * 65, kit.CONTEXT, "1998")])]


def test_a_batch_is_gathered_as_its_windows_are(tmp_path):
    pool, rows = toy.pool(tmp_path / "squad.json"), np.array([3, 0, 8, 3])
    sizes = np.diff(pool["offsets"])
    assert len(sizes) > 8 and pool["labelled"].all()
    assert not np.array_equal(pool["ids"], toy.pool(tmp_path / "squad.json", seed=4)["ids"])
    pool["labelled"][3] = False
    said = np.random.default_rng(1).normal(size=(pool["offsets"][-1], 5)).astype(np.float16)
    windows = finetune.Windows(pool, 7, CPU)
    windows.teacher = torch.from_numpy(said)
    batch = windows.batch(rows)
    assert batch["input_ids"].shape == (4, max(sizes[rows]))
    assert batch["labelled"].tolist() == [0, 1, 1, 0]
    kept = {name: pool[name] for name in ("passage", "tagged", "listed")}
    kept |= {name: pool[name] / data.PARTS for name in ("start", "end", "tags")}
    kept |= {"input_ids": pool["ids"], "token_type_ids": pool["types"], "teacher": said}
    for b, k in enumerate(rows):
        part, n = slice(*pool["offsets"][k : k + 2]), sizes[k]
        assert (batch["input_ids"][b, n:] == 7).all() and batch["attention_mask"][b].sum() == n
        for name, wanted in kept.items():
            np.testing.assert_allclose(batch[name][b, :n].float(), wanted[part], atol=1e-6)
            if name not in ("input_ids", "teacher"):
                assert not batch[name][b, n:].any(), name
    one = {"ids": np.arange(3, dtype=np.int32), "tags": np.full((3, 3), 17, np.uint8)}
    one |= {name: np.array([9, 9, 43], np.uint8) for name in ("start", "end")}
    one |= {name: np.ones(3, bool) for name in ("types", "passage", "tagged", "listed")}
    batch = finetune.Windows(data.pool_of([one], [True]), 0, CPU).batch(np.array([0]))
    assert batch["start"][0].tolist() == pytest.approx([9 / 61, 9 / 61, 43 / 61])
    assert batch["tags"].sum(-1)[0].tolist() == pytest.approx([1, 1, 1]), "51 of 60"


def test_every_window_stands_in_one_group_under_the_limit_with_its_like():
    sizes = np.random.default_rng(4).integers(20, 384, 5000)
    found = finetune.row_groups(sizes, 4096, np.random.default_rng([1, 0]))
    assert sorted(np.concatenate(found).tolist()) == list(range(5000))
    padded = [len(rows) * sizes[rows].max() for rows in found]
    assert max(padded) <= 4096 and sizes.sum() > 0.93 * sum(padded)
    longer = finetune.row_groups(sizes[:3] + 5000, 4096, np.random.default_rng(0))
    assert [len(rows) for rows in longer] == [1, 1, 1]
    made = finetune.batches_from(Mock(sizes=sizes[:9], batch=list), 1, 1, {"epoch": 0, "batch": -1})
    one, two = ([next(made)[1] for _ in range(9)] for _ in range(2))
    assert sorted(one) == sorted(two) and one != two, "each epoch in an order of its own"


def settings(home: Path, out: str, **more) -> finetune.Settings:
    file = str(home / "squad.json")
    small = {"steps": 6, "lengths": [40, 60], "batch_tokens": 120, "dev_limit": 9, "warmup": 2}
    every = {"save_every": 3, "evaluate_every": 6, "negatives": 0.3, "dropout": 0.1}
    where = {"encoder": f"{home}/encoder", "train": [f"{file}:1.5"], "dev": file}
    return finetune.Settings(**where | small | every | {"out": f"{home}/{out}"} | more)


def logged(run: Path) -> list[dict]:
    """The rows of a run's log that hold scores."""
    return [json.loads(x) for x in (run / "log.jsonl").read_text().splitlines() if "average" in x]


@pytest.fixture(scope="module")
def run(home) -> Path:
    assert finetune.train(settings(home, "run"))
    return home / "run"


def test_a_stopped_run_goes_on_by_the_same_command_and_ends_as_the_same(home, run, monkeypatch):
    assert [row["dev_questions"] for row in logged(run)] == [3], "those with an answer"
    kept = sorted(path.stem for path in (run / "snapshots").iterdir())
    assert kept == [f"step-{step:06d}" for step in (0, 1, 2, 3, 4, 6)]
    out, seeds = home / "stopped", toy.stop_at(2, monkeypatch, settings(home, "stopped"))
    assert finetune.main([]) == 130
    handler = signal.getsignal(signal.SIGTERM)
    assert loop.read_json(out / "state.json")["step"] == 2 and (out / "lock").is_file()
    other = loop.read_json(out / "settings.json")["mixed_precision"] == "no"
    monkeypatch.setattr(heads, "bf16_pays", lambda: other)  # as under other work
    turns = [DEFAULT, DEFAULT, OSError("full"), *[DEFAULT] * 9]
    monkeypatch.setattr(loop, "write_json", Mock(wraps=loop.write_json, side_effect=turns))
    with pytest.raises(OSError, match="full"):  # the disk
        finetune.train(settings(home, "stopped"))
    assert signal.getsignal(signal.SIGTERM) is handler, "given back, also after an error"
    (out / "weights.safetensors").replace(out / "weights.safetensors.3")  # killed before its name
    moments = (out / "optimizer.safetensors").read_bytes()
    (out / "optimizer.safetensors").write_bytes(moments[:-1])
    about = (out / "settings.json").read_text()
    spoilt = about.replace('"origin": "', '"origin": "0')
    monkeypatch.setattr("fcntl.lockf", Mock(side_effect=[PermissionError, OSError, *[None] * 9]))
    other = (about, 2, "another process writes"), (about, 2, "a run of 3 steps with --seed 1: give")
    same = (spoilt, 1, "began with another encoder"), (about, 1, "holds no optim")
    state = (out / "state.json").read_text()
    odd = (about, 1, "t 0, .* None", "{}"), (about, 1, "got -9", state.replace('h": ', 'h": -9'))
    for told, seed, reason, *kept in (*other, *odd, *same):
        (out / "settings.json").write_text(told)
        (out / "state.json").write_text(kept[0] if kept else state)
        with pytest.raises(BadInput, match=reason):
            finetune.train(settings(home, "stopped", seed=seed))
    (out / "optimizer.safetensors").write_bytes(moments)
    assert finetune.train(settings(home, "stopped"))
    assert len({*seeds}) == 6, "each step drops out otherwise, also one that is taken again"
    for name in ("weights.safetensors", "average.safetensors"):
        assert (run / name).read_bytes() == (out / name).read_bytes(), name


def test_a_loss_that_is_no_number_stops_a_run_before_it_is_saved(home):
    with pytest.raises(BadInput, match="no number any more at step 3: lower --learning-rate"):
        finetune.train(settings(home, "wild", learning_rate=1e12, warmup=0))
    assert not (home / "wild" / "state.json").exists()


def test_scores_on_the_way_are_of_the_best_span_and_of_the_best_tagged_one(home):
    torch.manual_seed(4)
    model = heads.load(str(toy.encoder(home / "short", positions=60)), 0.0)
    tokenizer, (asked, *_) = kit.tokenizer("bert"), read_squad(home / "squad.json")
    reading = finetune.read(model.eval(), tokenizer, asked)
    best, tagged = predict(reading).best.candidate, best_tagged(reading)
    assert best.text != tagged.text
    for span, exact in ((best, [100, 0]), (tagged, [0, 100])):
        gold = replace(asked, answers=(Answer(span.text, span.char_start),))
        found = finetune.quick_scores(model, tokenizer, [gold])
        assert [found["exact"], found["bio_exact"]] == exact


def fewer(home: Path) -> str:
    config = toy.encoder(home / "fewer") / "config.json"
    config.write_text(re.sub(r'(_layers|type_vocab_size)": 2', r'\1": 3', config.read_text()))
    return str(config.parent)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        *(({"train": [f"a.gz{k}"]}, rf"FILE:K with .* got 'a\.gz{k}'") for k in ("", ":0")),
        *((more, "--steps or --minutes") for more in ({"steps": 0}, {"minutes": 1.0})),
        *(({"seed": k}, f"--seed takes 0 to 1,000,000,000,000, got {k}") for k in (-1, 10**20)),
        *(({n: 0}, f"--{n[:3]}.* takes 1 to .*, got 0") for n in ("save_every", "dev_limit")),
        ({"out": ""}, "--out takes the folder of the run, got an empty name"),
        ({"negatives": 1.5}, "--negatives takes 0 to 1, got 1.5"),
        ({"lengths": [16]}, "no window can be drawn"),
        ({"lengths": [60, 600]}, "may be up to 512 with this encoder, got 600"),
        ({"encoder": str}, r"cannot be loaded: Unrecognized model"),
        ({"encoder": fewer}, r"fewer lacks 17 of its tensors, as bert\.encoder\.layer\.2"),
        ({"encoder": lambda home: f"{home}/gone"}, "gone cannot be loaded: there is no"),
        ({"encoder": lambda home: str(toy.encoder(home / "a", "albert"))}, r"BERT.*\(Albert"),
        ({"encoder": lambda home: str(toy.encoder(home / "d", "distilbert"))}, "BERT.*dropout"),
        ({"dev": lambda home: str(kit.written(home / "no", []))}, "no holds no question with an"),
        ({"dev": lambda home: str(kit.written(home / "long", LONG))}, "'q' .* has 65 .* allows 64"),
        ({"pool": lambda home: str(home / "squad.json")}, r"squad\.json is no pool of windows"),
        *(({"pool": lambda home: f"{home}/run/pool.npz", n: 0}, n) for n in ("negatives", "seed")),
    ],
)
def test_a_run_that_cannot_be_is_refused_and_nothing_is_drawn(home, run, tmp_path, more, said):
    given = {name: value(home) if callable(value) else value for name, value in more.items()}
    with pytest.raises(BadInput, match=said):
        finetune.train(replace(settings(home, ""), **{"out": f"{tmp_path}/out"} | given))
    assert not (tmp_path / "out" / "pool.npz").exists()
    assert not (said.startswith("--") and any(tmp_path.iterdir())), "flags before files"


def test_a_run_by_time_ends_scores_itself_and_takes_a_pool_that_was_kept(home, run, monkeypatch):
    monkeypatch.setattr(finetune, "draw_pool", None)  # whoever draws again fails
    more = {"steps": 0, "minutes": 1e-3, "pool": f"{run}/pool.npz", "evaluate_every": 500}
    assert finetune.train(settings(home, "timed", warmup=10**9, **more))
    done = loop.read_json(home / "timed" / "state.json")
    assert done["step"] > 0 and done["seconds"] > 0.06
    assert [row["step"] for row in logged(home / "timed")] == [done["step"]]
    zero, one = (heads.load_file(home / f"timed/snapshots/step-00000{k}.safetensors") for k in "01")
    assert all(torch.equal(x, one[name]) for name, x in zero.items()), "it hardly warms up"


def test_heads_learn_faster_low_layers_slower_and_the_word_table_not_at_all(home):
    model = heads.load(str(home / "encoder"), 0.0)
    s = settings(home, "unused", learning_rate=1e-3, layer_rate=0.5, head_rate=4.0)
    groups = finetune.parameter_groups(model, s)
    rates = {id(p): group["lr"] for group in groups for p in group["params"]}
    layers = model.reader.bert.encoder.layer
    assert rates[id(model.bio.weight)] == rates[id(model.reader.qa_outputs.bias)] == 4e-3
    assert [rates[id(layer.output.dense.weight)] for layer in layers] == [5e-4, 1e-3]
    assert not {id(p) for p in model.reader.bert.embeddings.parameters()} & rates.keys()


def test_a_step_goes_down_by_1_at_most_and_the_average_forgets_early_steps_fast():
    model, average = nn.Linear(2, 2), nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    before, frozen, old = average.weight.clone(), average.bias.clone(), model.weight.clone()
    model.bf16, optimizer = False, torch.optim.SGD(model.parameters(), 1.0)
    loss = Mock(side_effect=lambda batch: {"loss": 9 * model(batch["attention_mask"]).sum()})
    found = heads.descend(model, loss, optimizer, {"attention_mask": torch.ones(1, 2)})
    assert (found["gradient"], found["tokens"]) == (18, 2), "the norm of 9 in four places"
    torch.testing.assert_close(model.weight, old - 1 / 2)
    heads.move_average(average, model, 0.9, step=1)  # d = min(0.9, 2 / 11)
    torch.testing.assert_close(average.weight, 2 / 11 * before + 9 / 11 * model.weight)
    assert torch.equal(average.bias, frozen)


def test_an_adapter_begins_as_the_encoder_and_is_all_that_changes(home):
    torch.manual_seed(3)
    plain = heads.load(str(home / "encoder"), 0.0).eval()
    torch.manual_seed(3)
    adapted = heads.load(str(home / "encoder"), 0.0, adapter=2).eval()
    given = toy.batch(range(5, 25))
    for a, b in zip(plain(given), adapted(given), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)
    trained = [name for name, p in adapted.named_parameters() if p.requires_grad]
    assert {"reader.qa_outputs.weight", "bio.weight"} <= set(trained)
    assert all("lora_" in n or n.startswith(("reader.qa_outputs.", "bio.")) for n in trained)
    linear = [n for n, m in plain.reader.base_model.named_modules() if isinstance(m, nn.Linear)]
    assert len([n for n in trained if "lora_A" in n]) == len(linear) > 8
    before = {name: p.clone() for name, p in adapted.named_parameters()}
    assert finetune.train(settings(home, "adapted", adapter=2))
    after = heads.load(str(home / "encoder"), 0.0, adapter=2)
    heads.load_weights(after, home / "adapted" / "weights.safetensors")
    assert {n for n, p in after.named_parameters() if not torch.equal(p, before[n])} == set(trained)
    sizes = ({}, {"hidden_size": 32}, {"num_hidden_layers": 3}, {"num_hidden_layers": 1})
    lacks = r"holds what the model lacks, as \S+ \["
    said = lacks, lacks, "2 layers, .* has 3", "2 layers, .* has 1"
    for k, (size, reason) in enumerate(zip(sizes, said, strict=True)):
        other = heads.load(str(kit.save(home / f"{k}", **size)), 0.0, adapter=2 * (k > 0))
        with pytest.raises(BadInput, match=reason):
            heads.load_weights(other, home / "adapted" / "weights.safetensors")
