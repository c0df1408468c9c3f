"""Hidden states, heads and the forward pass from embeddings give the reader's logits."""

from pathlib import Path

import numpy as np
import pytest
import torch

from qa_demo.core.errors import BadInput, Cancelled
from qa_demo.core.options import WindowOptions
from qa_demo.core.reading.heads import anatomy, plane
from qa_demo.core.reading.lens import lens
from qa_demo.core.reading.words import question_positions, special_positions, words
from qa_demo.core.types import Reading
from qa_demo.model.forward import logits, token_types, word_embeddings
from qa_demo.model.loading import load_reader
from qa_demo.model.outputs import output_layer
from qa_demo.model.reader import BertReader
from tests.model import kit

OPTIONS = WindowOptions(max_seq_length=64, doc_stride=9)


@pytest.fixture(scope="module", params=kit.FAMILIES)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, BertReader, Reading]:
    folder = kit.save(
        tmp_path_factory.mktemp(request.param), request.param, bio=request.param == "roberta"
    )
    reader = load_reader(str(folder))
    return request.param, folder, reader, reader.read(kit.QUESTION, kit.CONTEXT[:120], OPTIONS)


def test_the_head_on_the_last_hidden_states_gives_the_logits(made: tuple) -> None:
    _, _, reader, reading = made
    heads = reader.heads()
    for window in reading.windows:
        hidden = reader.hidden(window)
        assert hidden.shape == (3, len(window), 16) and hidden.dtype == np.float32
        start, end = reading.logits(window.index)
        np.testing.assert_allclose(
            plane(heads, hidden[-1]), np.stack([start, end], axis=1), atol=1e-4
        )
        through = lens(heads, hidden)
        np.testing.assert_allclose(through.start[-1], start, atol=1e-4)
        assert (
            np.abs(through.start[0] - start).max() > 0.01
        )  # the embedding output is not the last layer
        taken = anatomy(heads, hidden[-1, 3], "end")
        assert taken.logit == pytest.approx(float(end[3]), abs=1e-4)
        assert sum(taken.products) + taken.rest + taken.bias == pytest.approx(
            float(end[3]), abs=1e-4
        )


def test_hidden_states_are_those_of_transformers(made: tuple) -> None:
    _, folder, reader, reading = made
    window = reading.windows[-1]
    model, inputs = kit.plain(folder, window)
    with torch.no_grad():
        expected = list(model(**inputs, output_hidden_states=True).hidden_states)
        if made[0] == "modernbert":
            expected[-1] = model.head(expected[-1])
    np.testing.assert_allclose(reader.hidden(window), torch.cat(expected).numpy(), atol=1e-5)


def test_word_embeddings_in_give_the_same_logits_as_ids_in(made: tuple) -> None:
    _, _, reader, reading = made
    model = reader.loaded.model
    for window in reading.windows:
        with torch.inference_mode():
            start, end = logits(
                model, word_embeddings(model, window.input_ids)[None], token_types(model, window)
            )
        np.testing.assert_allclose(
            np.stack([start[0], end[0]]), reading.logits(window.index), atol=2e-5
        )


def test_masked_positions_hold_the_mask_token_and_nothing_else_moves(made: tuple) -> None:
    _, folder, reader, reading = made
    window = reading.windows[0]
    model, inputs = kit.plain(folder, window)
    masks = np.random.default_rng(0).random((5, len(window))) < 0.3
    masks[0] = False
    seen: list[tuple[int, int]] = []
    start, end = reader.masked(window, masks, on_progress=lambda *at: seen.append(at))
    np.testing.assert_allclose([start[0], end[0]], reading.logits(0), atol=2e-5)
    ids = np.where(masks[3], kit.tokenizer(made[0]).mask_token_id, window.input_ids)
    inputs["input_ids"] = torch.tensor(ids)[None]
    with torch.no_grad():
        expected = model(**inputs)
    np.testing.assert_allclose(start[3], expected.start_logits[0], atol=2e-5)
    np.testing.assert_allclose(end[3], expected.end_logits[0], atol=2e-5)
    assert seen[-1] == (5, 5)
    with pytest.raises(Cancelled):
        reader.masked(window, masks, cancelled=lambda: True)
    with pytest.raises(BadInput, match=rf"shape \[b, {len(window)}\], got \(2, 3\)"):
        reader.masked(window, np.zeros((2, 3)))


def test_the_question_is_found_in_every_familys_window(made: tuple) -> None:
    _, _, _, reading = made
    encoding = reading.encoding
    for window in reading.windows:
        np.testing.assert_array_equal(
            window.input_ids[question_positions(encoding)], encoding.question_ids
        )
        special = special_positions(encoding, window)
        assert special.sum() == encoding.n_special and special[window.cls_at] and special[-1]
        found = words(encoding, window)
        assert [w.text for w in found.items if w.side == "question"] == kit.QUESTION.split()
        inside = [w.text for w in found.items if w.side == "context"]
        whole, middle = (
            encoding.context.split(),
            inside[1:-1],
        )  # the window's border may cut the first and the last
        assert any(whole[k : k + len(middle)] == middle for k in range(len(whole)))
        np.testing.assert_array_equal(found.of >= 0, ~special)


def test_heads_are_copies(made: tuple) -> None:
    family, _, reader, _ = made
    heads = reader.heads()
    layer = output_layer(reader.loaded.model)
    assert heads.S.tolist() == layer.weight[0].tolist()
    assert heads.b_E == pytest.approx(float(layer.bias[1]))
    assert not np.shares_memory(heads.S, layer.weight.detach().numpy())
    assert (heads.W is not None) == (family == "roberta") == reader.has_bio
