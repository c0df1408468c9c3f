"""Attributions against captum, and those of one thread."""

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch

from qa_demo.core.attribution import GAP_LIMIT, METHODS, STEPS, Target, value_of
from qa_demo.core.base import BadInput, Cancelled
from qa_demo.core.text import special_positions
from qa_demo.core.types import Baseline, Reading, Span, WindowOptions
from qa_demo.model import gradients
from qa_demo.model.forward import word_embeddings
from qa_demo.model.gradients import make_pass
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from tests.model import kit

ORACLE_FAMILIES = ["bert", "distilbert", "roberta", "electra", "albert", "deberta-v2"]
OPTIONS = WindowOptions(max_seq_length=64, doc_stride=9)
TARGET = Target("span_score", Span(2, 4), window=0)
CROSS_TALK_SECONDS, CROSS_TALK_THREADS = 1.0, 8
only_bert = pytest.mark.parametrize("family", ["bert"], indirect=True)


def test_gradient_x_input_is_nothing_just_where_a_words_length_is_not_felt(family, reader, reading):
    """A reader that normalises first answers alike with every word's vector half as long again."""
    window = reading.windows[0]
    embeds = word_embeddings(reader.model, window.input_ids)
    with torch.inference_mode():
        run = make_pass(reader.model, window, TARGET, torch.stack([embeds, 1.5 * embeds]))
        felt = abs(float(run(torch.zeros(1, len(window))) - run(torch.ones(1, len(window)))))
    found = reader.attribute(reading, TARGET, "gradient_x_input")
    assert (not found.values.any()) == (felt < 1e-4), felt
    assert (felt < 1e-4) == (family in kit.ALONE)


def captums(folder: Path, reading: Reading, pad: int) -> tuple[np.ndarray, float]:
    """captum's layer method and its delta, on a model that only transformers has loaded."""
    from captum.attr import LayerIntegratedGradients

    window = reading.windows[0]
    model, inputs = kit.plain(folder, window)
    ids = inputs.pop("input_ids")
    kept = torch.from_numpy(special_positions(reading.encoding, window))

    def forward(x: torch.Tensor) -> torch.Tensor:
        out = model(input_ids=x, **{name: row.expand(len(x), -1) for name, row in inputs.items()})
        return out.start_logits[:, window.to_pos(2)] + out.end_logits[:, window.to_pos(4)]

    method = LayerIntegratedGradients(forward, model.get_input_embeddings())
    how = {"n_steps": 30, "method": "riemann_middle", "return_convergence_delta": True}
    made, delta = method.attribute(ids, torch.where(kept, ids, pad), **how)
    return made.sum(-1)[0].detach().numpy(), float(delta[0])


@pytest.mark.parametrize("family", ORACLE_FAMILIES, indirect=True)
def test_integrated_gradients_are_captums(family, folder, reader, reading):
    found = reader.attribute(reading, TARGET, n_steps=30)
    wanted, gap = captums(folder, reading, reader.tokenizer.pad_token_id)
    assert np.abs(wanted).max() > 2e-3
    np.testing.assert_allclose(found.values, wanted, atol=1e-4 * np.abs(wanted).max())
    # captum takes F(x') from the baseline's ids, and RoBERTa counts positions past padding ids: its
    # delta is then of another path.
    if family != "roberta":
        assert found.gap == pytest.approx(gap, abs=1e-4)


def test_every_family_and_baseline(reader, reading, monkeypatch):
    window = reading.windows[0]
    special = special_positions(reading.encoding, window)
    value = value_of(TARGET, window, *reading.logits(0))
    for baseline in get_args(Baseline):
        # a straight line to 0 passes LayerNorm's kink, where no number of steps need be enough
        steps = STEPS[:3] if baseline == "zero" else STEPS
        monkeypatch.setattr(gradients, "STEPS", steps)
        found = reader.attribute(reading, TARGET, baseline=baseline)
        assert found.complete or (baseline == "zero" and found.n_steps == steps[-1])
        assert found.f_x == pytest.approx(value, abs=1e-4)
        assert not found.values[special].any() and found.values[~special].any()
        assert [tried for tried, _ in found.tried] == list(steps[: len(found.tried)])
        assert found.tried[-1] == (found.n_steps, pytest.approx(found.gap, abs=1e-6))
        shares = [abs(gap / (found.f_x - found.f_baseline)) for _, gap in found.tried]
        assert all(share >= GAP_LIMIT for share in shares[:-1])
    for method in METHODS[1:]:
        made = reader.attribute(reading, TARGET, method)
        assert made.f_x == pytest.approx(value, abs=1e-4) and made.gap is None
        assert made.values.shape == (len(window),)


def test_padding_without_direction_is_no_baseline(family, folder):
    """From a padding vector of zeros, as in trained DeBERTas, the gap never closes."""
    reader, alone = load_reader(str(folder)), family in kit.ALONE
    table = reader.model.get_input_embeddings().weight
    with torch.no_grad():
        table[reader.tokenizer.pad_token_id] = 0
    reader.baseline = gradients.own_baseline(reader)
    reading = reader.read(kit.QUESTION, kit.CONTEXT[:90], OPTIONS)
    assert reading.baseline == ("mask" if alone else "pad")
    own = reader.attribute(reading, TARGET)
    assert (own.baseline, own.complete) == (reading.baseline, True)
    if alone:
        assert not reader.attribute(reading, TARGET, baseline="pad", n_steps=80).complete


@only_bert
def test_progress_counts_steps_and_a_cancel_stops_between_chunks(reader, reading, monkeypatch):
    whole = reader.attribute(reading, TARGET, n_steps=20)
    monkeypatch.setattr(gradients, "TOKENS_AT_ONCE", 3 * len(reading.windows[0]))
    seen: list[tuple[int, int]] = []
    chunked = reader.attribute(reading, TARGET, n_steps=20, on_progress=lambda *at: seen.append(at))
    assert seen == [(done, 20) for done in (3, 6, 9, 12, 15, 18, 20)]
    np.testing.assert_allclose(chunked.values, whole.values, atol=1e-5)
    seen.clear()
    watch = {"on_progress": lambda *at: seen.append(at), "cancelled": lambda: len(seen) >= 2}
    with pytest.raises(Cancelled):
        reader.attribute(reading, TARGET, n_steps=20, **watch)
    assert len(seen) == 2
    for method in METHODS:
        with pytest.raises(Cancelled):
            reader.attribute(reading, TARGET, method, cancelled=lambda: True)


@only_bert
def test_another_method_and_another_reader_are_named(reader, reading, loaded):
    with pytest.raises(BadInput, match=f"one of {', '.join(METHODS)}, got 'lime'"):
        reader.attribute(reading, TARGET, "lime")
    with pytest.raises(BadInput, match="baseline must be one of pad, mask, zero, got 'cls'"):
        reader.attribute(reading, TARGET, baseline="cls")
    for steps in (0, 1, 641):
        with pytest.raises(BadInput, match=f"n_steps must be 2 to 640, or None, got {steps}"):
            reader.attribute(reading, TARGET, n_steps=steps)
    with pytest.raises(BadInput, match="made by other weights than those of the reader in use"):
        loaded("electra").attribute(reading, TARGET)


TEXTS = [(kit.QUESTION, kit.CONTEXT[:90]), ("Who painted the tower?", kit.CONTEXT[88:150])]
TEXTS += [("In which year?", kit.CONTEXT[40:130])]
Work = Callable[[BertReader], np.ndarray]


def works(reading: Reading) -> list[Work]:
    """All that a session may ask of a text."""
    text = reading.encoding.question, reading.encoding.context
    window = reading.windows[0]
    return [
        lambda reader: reader.read(*text, OPTIONS).start_logits,
        lambda reader: reader.attribute(reading, TARGET, n_steps=4).values,
        lambda reader: reader.attribute(reading, TARGET, "gradient_x_input").values,
        lambda reader: reader.attribute(reading, TARGET, "leave_one_out").values,
        lambda reader: reader.attention(window),
        lambda reader: reader.hidden_states(window),
    ]


def tensors(reader: BertReader) -> dict[str, torch.Tensor]:
    held = itertools.chain(reader.model.named_parameters(), reader.model.named_buffers())
    return {name: (t.to_dense() if t.is_mkldnn else t).clone() for name, t in held}


@only_bert
def test_answers_and_explanations_of_many_threads_are_those_of_one(folder, reader):
    """Threads mix all works on one reader for some time; a twin does each of them alone."""
    shared = load_reader(str(folder))
    jobs = [work for text in TEXTS for work in works(reader.read(*text, OPTIONS))]
    expected, before = [work(reader) for work in jobs], tensors(shared)
    until = time.monotonic() + CROSS_TALK_SECONDS

    def session(number: int) -> int:
        """How many results were the twin's; the first other one ends it."""
        for done in itertools.count():
            if time.monotonic() > until and CROSS_TALK_THREADS * done >= len(jobs):
                return done
            k = (5 * number + done) % len(jobs)
            np.testing.assert_allclose(jobs[k](shared), expected[k], rtol=1e-5, atol=1e-6)

    with ThreadPoolExecutor(CROSS_TALK_THREADS) as pool:
        assert sum(pool.map(session, range(CROSS_TALK_THREADS))) >= len(jobs)
    # and nothing of it is left in the model
    model, hooks = shared.model, ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
    assert all(torch.equal(before[name], tensor) for name, tensor in tensors(shared).items())
    assert not any(getattr(m, kind) for m in model.modules() for kind in hooks)
    assert all(p.grad is None and not p.requires_grad for p in model.parameters())
    assert not model.training
