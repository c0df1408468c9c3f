"""Chapter 8, step 2: handlers as pure functions of a lab, and how often the model is asked."""

import numpy as np
import pytest

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.masking.masked import hide
from qa_demo.core.types import Span
from qa_demo.views.spanbert import predict
from qa_demo.views.spanbert.lab import new_lab
from tests.fake_infiller import FakeInfiller

TEXT = "Anna met Bertil near the old harbour of Visby on a cold and windy day in May."
MODEL = FakeInfiller()
LAB = new_lab(MODEL.encode(TEXT), MODEL, [Span(4, 6), Span(11, 11)])


def test_a_blank_is_chosen_and_nothing_else_can_be() -> None:
    assert predict.chosen(predict.choose(LAB, 5)) == 5
    assert predict.chosen(LAB) == 4, "the first blank until one is chosen"
    with pytest.raises(BadInput, match="not hidden"):
        predict.choose(LAB, 3)
    for value in ("5", True, 99, None):
        with pytest.raises(BadInput, match="whole number"):
            predict.choose(LAB, value)


def test_wires_are_cut_and_joined() -> None:
    one = predict.cut(LAB, {"wire": "left", "cut": True})
    both = predict.cut(one, {"wire": "position", "cut": True})
    assert both.cut == {"left", "position"}
    assert predict.cut(both, {"wire": "left", "cut": False}).cut == {"position"}
    data = predict.present(both, MODEL)
    assert data["cut"] == ["left", "position"] and data["changed"]
    for value, said in (
        ({"wire": "top", "cut": True}, "left, right, position"),
        ({"wire": "left", "cut": 1}, "cut is either true or false"),
        ("left", "a wire needs wire, cut"),
    ):
        with pytest.raises(BadInput, match=said):
            predict.cut(LAB, value)


def test_a_neighbour_is_another_word_of_one_piece_and_comes_back() -> None:
    moved = predict.change_word(LAB, {"side": "left", "word": "On"}, MODEL)
    assert moved.given[3] == "on" and moved.masked.true_ids[3] == MODEL.encode("on").context_ids[0]
    assert moved.masked.runs == LAB.masked.runs and moved.beside is LAB.beside
    data, before = predict.present(moved, MODEL), predict.present(LAB, MODEL)
    left = data["sides"]["left"]
    assert (left["now"], left["was"], data["line"][3]["now"]) == ("on", "near", "on")
    assert data["heads"]["mlm"] != before["heads"]["mlm"], "the encoder reads it too"
    back = predict.change_word(moved, {"side": "left", "word": None}, MODEL)
    assert np.array_equal(back.masked.input_ids, LAB.masked.input_ids)
    assert not predict.present(back, MODEL)["changed"]
    other = predict.change_word(predict.choose(moved, 11), {"side": "right", "word": "old"}, MODEL)
    assert set(predict.guessed(other, MODEL).words) == {3, 12}, "beside two runs"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"side": "left", "word": "two words"}, "'two words' is 2 word pieces \\(two words\\)"),
        ({"side": "left", "word": "championships"}, "is 2 word pieces \\(champion ##ships\\)"),
        ({"side": "left", "word": " "}, "type one word"),
        ({"side": "left", "word": "x" * 41}, "at most 40"),
        ({"side": "top", "word": "on"}, "left, right"),
        ("on", "a neighbour needs side, word"),
        ({"side": "left", "word": 5}, "a neighbour is a word"),
    ],
)
def test_words_that_cannot_stand_there_are_refused_with_their_pieces(
    value: object, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        predict.change_word(LAB, value, MODEL)


def test_an_edge_has_no_neighbour_to_change() -> None:
    edge = new_lab(MODEL.encode(TEXT), MODEL, [Span(0, 1)])
    with pytest.raises(BadInput, match="edge of the text"):
        predict.change_word(edge, {"side": "left", "word": "on"}, MODEL)


def test_reset_undoes_everything_and_keeps_the_chosen_blank() -> None:
    cut = predict.cut(predict.choose(LAB, 5), {"wire": "left", "cut": True})
    changed = predict.change_word(cut, {"side": "right", "word": "on"}, MODEL)
    assert predict.present(changed, MODEL)["changed"]
    back = predict.reset(changed, True, MODEL)
    assert predict.chosen(back) == 5 and back.given == LAB.given
    assert not predict.present(back, MODEL)["changed"]


def test_a_random_piece_in_a_blank_survives_a_changed_neighbour() -> None:
    for seed in range(40):
        encoding = MODEL.encode(TEXT)
        masked = MODEL.sample(encoding, np.random.default_rng(seed))
        if "random" in masked.fates and (pair := masked.boundary(masked.runs[0])):
            break
    lab = predict.reset(new_lab(encoding, MODEL, [Span(4, 6)]), True, MODEL)
    lab = type(lab)(**{**vars(lab), "masked": masked, "at": int(masked.hidden[0])})
    moved = predict.change_word(lab, {"side": "left", "word": "on"}, MODEL)
    assert moved.masked.input_ids[pair[0]] != masked.input_ids[pair[0]]
    assert np.array_equal(predict.reset(moved, True, MODEL).masked.input_ids, masked.input_ids)


def test_without_a_model_a_word_cannot_be_changed() -> None:
    with pytest.raises(ModelUnavailable, match="no model"):
        predict.change_word(LAB, {"side": "left", "word": "on"}, None)


def test_the_same_question_is_asked_once() -> None:
    model = FakeInfiller()
    predict.present(LAB, model)
    first = model.calls
    predict.present(predict.choose(LAB, 5), model)
    assert model.calls == first, "another blank of the same text needs no run of the model"
    predict.present(predict.cut(LAB, {"wire": "left", "cut": True}), model)
    assert model.calls == first + 1
    for at in range(16):
        for cut in (frozenset[str](), frozenset({"left"})):
            predict.infill(model, hide(LAB.masked.true_ids, [Span(at, at)], model.mask_id), cut)
    assert len(predict._HELD[model]) <= predict.MOST_HELD
