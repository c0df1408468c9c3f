"""The fine-tuning command: a stopped run is the same run, phases follow, own rates."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from transformers import AutoModelForQuestionAnswering

from qa_demo.core.base import BadInput
from qa_demo.training import checkpoints, finetune, loop, processor
from qa_demo.training.flags import parsed
from qa_demo.training.progress import stop_asked
from qa_demo.training.twoheads import load
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finetuning")
    toy.encoder(folder / "encoder")
    toy.squad(folder / "squad.json")
    return folder


def settings(home: Path, out: str, **more) -> finetune.Settings:
    data = str(home / "squad.json")
    flags = (
        f"--encoder {home}/encoder --train {data}:1.5 --dev {data} --out "
        f"{home}/{out} --steps 6 --lengths 40 60 --batch-tokens 120 --dev-limit 9 "
        "--save-every 3 --evaluate-every 6 --warmup 2 --negatives 0.3"
    ).split()
    return replace(parsed(finetune.Settings, None, "finetune", flags)[0], **more)


@pytest.fixture(scope="module")
def run(home: Path) -> Path:
    """Six steps; a copy is kept as it stood after three."""
    with toy.copy_at(3, home / "interrupted"):
        assert finetune.train(settings(home, "run"))
    return home / "run"


@pytest.mark.parametrize("name", ["weights", "average"])
def test_a_resumed_run_is_the_same_run(home, run, name):
    copy = home / "interrupted"
    if json.loads((copy / "state.json").read_text())["step"] == 3:
        assert finetune.train(settings(home, "interrupted"), str(copy))
    whole, resumed = (load_file(folder / f"{name}.safetensors") for folder in (run, copy))
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[key], resumed[key]) for key in whole)
    assert json.loads((copy / "settings.json").read_text())["resume"] is None


def test_of_a_dev_file_the_questions_with_an_answer_are_scored(home, run):
    assert [row["dev_questions"] for row in checkpoints.logged(run, "average")] == [4]
    (home / "silent.json").write_text('{"data": []}')
    with pytest.raises(BadInput, match=r"silent\.json holds no question with an answer"):
        finetune.train(settings(home, "unused", dev=str(home / "silent.json")))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"train": ("squad.json.gz",)}, r"FILE:K with K above 0, .* got 'squad\.json\.gz'"),
        ({"train": ("squad.json.gz:0",)}, "FILE:K with K above 0"),
        ({"lengths": (16,)}, "no window can be drawn"),
        ({"lengths": (60, 600)}, "may be up to 512 with this encoder, got 600"),
    ],
)
def test_a_run_that_cannot_be_is_refused(home, more, said):
    with pytest.raises(BadInput, match=said):
        finetune.train(settings(home, "refused", **more))


def test_a_second_phase_that_was_stopped_keeps_its_first(home, run):
    second = settings(home, "second", steps=1)
    assert finetune.train(second, str(run))
    assert finetune.train(replace(second, steps=2), f"{home}/run/../second")
    state = json.loads((home / "second" / "state.json").read_text())
    assert (state["step"], state["step_before"]) == (2, 6)


@pytest.mark.parametrize("resume", [None, "interrupted"])
def test_a_folder_with_another_run_is_refused(home, run, resume):
    before = (run / "log.jsonl").read_bytes()
    with pytest.raises(BadInput, match=r"holds a run of 6 steps: go on with it by --resume .*run"):
        finetune.train(settings(home, "run"), resume and str(home / resume))
    assert (run / "log.jsonl").read_bytes() == before


def test_a_signal_ends_the_run_after_a_whole_step_with_a_checkpoint(home, monkeypatch):
    descend = loop.descend

    def interrupted(*given):
        signal.raise_signal(signal.SIGTERM)
        return descend(*given)

    monkeypatch.setattr(loop, "descend", interrupted)
    handler = signal.getsignal(signal.SIGTERM)
    assert not finetune.train(settings(home, "stopped"))
    assert json.loads((home / "stopped" / "state.json").read_text())["step"] == 1
    assert signal.getsignal(signal.SIGTERM) is handler


def test_signals_are_given_back_after_an_error():
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="broken"), stop_asked():
        raise ValueError("broken")
    assert signal.getsignal(signal.SIGINT) is handler


def test_heads_learn_faster_low_layers_slower_and_the_word_table_not_at_all(home):
    model = load(str(home / "encoder"), 0.0)
    s = settings(home, "unused", learning_rate=1e-3, layer_rate=0.5, head_rate=4.0)
    groups = finetune.parameter_groups(model, s)
    rates = {id(p): group["lr"] for group in groups for p in group["params"]}
    layers = model.reader.bert.encoder.layer
    assert rates[id(model.bio.weight)] == rates[id(model.reader.qa_outputs.bias)] == 4e-3
    assert [rates[id(layer.output.dense.weight)] for layer in layers] == [5e-4, 1e-3]
    table = model.reader.bert.embeddings.parameters()
    assert not any(id(p) in rates or p.requires_grad for p in table)
    assert {id(p) for p in model.parameters() if p.requires_grad} == rates.keys()


def test_the_rate_warms_up_and_falls_to_nothing():
    nothing = dict.fromkeys(finetune.Settings.__dataclass_fields__)
    s = finetune.Settings(**nothing | {"warmup": 4, "steps": 10, "decay": "linear"})
    assert [loop.rate(k, s) for k in (0, 3, 4, 5, 10)] == [0.25, 0.7, 0.6, 0.5, 0]
    assert loop.rate(9, replace(s, decay="none")) == 1
    assert loop.rate(0, replace(s, decay="none", warmup=0)) == 1


def test_a_round_draws_whole_and_broken_shares_alike_whenever_it_is_asked_for(home):
    class Questions:
        examples = tuple(range(200))

    s = settings(home, "unused", seed=3)
    first, second = (finetune.rounds([(Questions, 1.5)], s, begin) for begin in (0, 1))
    next(first)
    assert next(first) == next(second)
    _, plan = next(finetune.rounds([(Questions, 1.5)], s, 0))
    counts = [sum(i == k for _, i, _ in plan) for k in range(200)]
    assert set(counts) == {1, 2} and 60 < counts.count(2) < 140
    assert {length for _, _, length in plan} == {40, 60}


def test_bf16_is_taken_only_where_it_is_clearly_faster_and_the_answer_does_not_change(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    def takes(bf16: float) -> None:
        seconds = {torch.bfloat16: bf16, torch.float32: 1.0}
        monkeypatch.setattr(processor, "seconds_of_products", seconds.__getitem__)

    for seconds, wanted in ((0.9, False), (0.7, True)):
        processor.processor_has_bf16.cache_clear()
        takes(seconds)
        assert processor.processor_has_bf16() is wanted
        takes(9.0)
        assert processor.processor_has_bf16() is wanted
    processor.processor_has_bf16.cache_clear()


def test_on_a_gpu_an_encoder_without_a_fused_kernel_is_not_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    kernel = processor.training_form(0.0)["attn_implementation"]
    for family, expected in (("mpnet", "eager"), ("bert", "sdpa")):
        settings, _ = kit.config(family, 40)
        model = AutoModelForQuestionAnswering.from_config(settings, attn_implementation=kernel)
        assert model.config._attn_implementation == expected


def test_an_adapter_begins_as_the_encoder_and_is_all_that_changes(home: Path) -> None:
    torch.manual_seed(3)
    plain = load(str(home / "encoder"), 0.0).eval()
    torch.manual_seed(3)
    adapted = load(str(home / "encoder"), 0.0, adapter=2).eval()
    ids = torch.arange(5, 25)[None]
    given = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    for a, b in zip(plain(*given), adapted(*given), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)
    trained = [name for name, p in adapted.named_parameters() if p.requires_grad]
    assert {"reader.qa_outputs.weight", "bio.weight"} <= set(trained)
    assert all("lora_" in n or n.startswith(("reader.qa_outputs.", "bio.")) for n in trained)
    linear = [n for n, m in plain.reader.base_model.named_modules() if isinstance(m, nn.Linear)]
    assert len([n for n in trained if "lora_A" in n]) == len(linear) > 8

    before = {name: p.clone() for name, p in adapted.named_parameters()}
    assert finetune.train(settings(home, "adapted", adapter=2))
    after = load(str(home / "encoder"), 0.0, adapter=2)
    checkpoints.load_weights(after, home / "adapted" / "weights.safetensors")
    changed = {n for n, p in after.named_parameters() if not torch.equal(p, before[n])}
    assert changed == set(trained)
