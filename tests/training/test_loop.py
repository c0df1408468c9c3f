"""The loop: exit codes, the rate, the stop; and the form in which encoders are trained."""

import signal
from dataclasses import replace
from unittest.mock import Mock

import pytest
import torch
from safetensors import SafetensorError

from qa_demo.core.base import BadInput
from qa_demo.training import finetune, heads, loop
from tests.training import toy

pytestmark = pytest.mark.model


@pytest.mark.parametrize("fault", [BadInput("no"), FileNotFoundError("no"), SafetensorError("no")])
def test_a_user_s_fault_is_one_sentence_and_code_2_and_a_signal_130(fault, capsys):
    command = loop.exit_code(Mock(side_effect=[None, 1, fault, KeyError]))
    assert [command([]) for _ in range(3)] == [0, 1, 2] and capsys.readouterr().err == "no\n"
    with pytest.raises(KeyError):
        command([])
    assert loop.exit_code(lambda _: signal.raise_signal(signal.SIGTERM))([]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_the_rate_warms_up_and_falls_to_nothing_by_steps_or_by_time():
    s = finetune.Settings(encoder="e", train=[], dev="d", out="o", steps=10, warmup=4)
    assert [loop.rate(s, k, 0) for k in (0, 3, 4, 5, 10)] == [0.25, 0.7, 0.6, 0.5, 0]
    assert loop.rate(replace(s, warmup=0), 0, 0) == 1
    timed = replace(s, steps=0, minutes=2.0, warmup=0)
    assert [loop.rate(timed, 7, t) for t in (0, 30, 120, 200)] == [1, 0.75, 0, 0]


def test_bf16_is_taken_only_where_it_is_clearly_faster_and_the_family_can(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for seconds, wanted in ((0.9, False), (0.7, True)):
        monkeypatch.setattr(heads, "timeit", Mock(side_effect=[1.0, seconds] * 200))
        assert heads.bf16_pays() is wanted
    deberta = heads.load(str(toy.encoder(tmp_path, "deberta")), 0.0)
    deberta.use_bf16(True)
    with torch.autocast("cpu", torch.bfloat16, enabled=deberta.bf16):
        assert deberta(toy.batch(range(5, 25)))[0].isfinite().all()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert heads.load(str(tmp_path), 0.0), "on a GPU too, though it has no fused kernel"
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **how: not how)
    assert not heads.bf16_pays(), "one that only emulates it"
