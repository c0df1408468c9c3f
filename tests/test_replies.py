"""The replies of the calls by hand: their exact fields, nulls, and numbers that JSON cannot say."""

import dataclasses
import json

import numpy as np
import pytest

from qa_demo.api.calls import CALLS, call
from qa_demo.api.replies import Answer, Lost, answered, lost, tagged
from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.bio import decode_reading, owned_rows
from qa_demo.core.predict import predict
from qa_demo.core.types import DecodeOptions, Span
from tests.core.toys import make_reading, t1
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader

FIELDS = ["question", "reader", "answer", "char_start", "char_end", "start_logit", "end_logit"]
FIELDS += ["score", "null_score", "score_diff", "limit", "claim", "answerable"]
FIELDS += ["right_if_answerable", "n_best", "windows"]
OWN = ["char_start", "char_end", "start_logit", "end_logit", "score"]
TEXTS = {"question": "Who met Grace?", "context": "In Oslo Ada Kok met Grace Hopper in 1950."}


def answer_of(reading, **options):
    return answered(reading, predict(reading, DecodeOptions(**options))).model_dump()


def test_fields_of_an_answer():
    reading = t1()
    got = answer_of(reading, n_best_size=2)
    assert list(got) == FIELDS == list(Answer.model_fields)
    said = ["who", "toy", "Delta Epsilon", 17, 30, 4.0, 3.5, 7.5, 1.5, -6.0, 0.0]
    assert [got[name] for name in FIELDS[:11]] == said
    assert reading.encoding.context[17:30] == "Delta Epsilon"
    second = {"text": "Beta", "char_start": 6, "char_end": 10, "window": 0}
    second |= {"start_logit": 3.0, "end_logit": 4.0, "score": 7.0}
    assert got["n_best"][1] == second | {"share": pytest.approx(1 / (1 + np.exp(0.5)))}
    assert got["windows"] == [
        {"index": 0, "doc_start": 0, "doc_stop": 4, "tokens": 8},
        {"index": 1, "doc_start": 2, "doc_stop": 6, "tokens": 8},
    ]
    assert json.loads(json.dumps(got)) == got


def test_no_answer_keeps_the_list_and_nulls_the_rest():
    got = answer_of(t1(), null_score_diff_threshold=-9)
    assert [got[k] for k in ["answer", *OWN]] == [None] * 6
    assert (got["n_best"][0]["text"], got["score_diff"]) == ("Delta Epsilon", -6.0)


def test_a_reading_without_a_span_is_still_a_reply():
    none = [dataclasses.replace(w, is_max_context=np.zeros(8, dtype=bool)) for w in t1().windows]
    got = answer_of(dataclasses.replace(t1(), windows=tuple(none)))
    assert [got[k] for k in ["answer", *OWN, "score_diff", "n_best"]] == [None] * 7 + [[]]
    assert got["null_score"] == 1.5


class Broken(FakeReader):
    """Its [CLS] scores infinitely much."""

    def read(self, *given, **more):
        reading = super().read(*given, **more)
        start = reading.start_logits.copy()
        start[0, 0] = np.inf
        return dataclasses.replace(reading, start_logits=start)


def test_a_broken_reader_is_refused():
    with pytest.raises(BadCheckpoint, match="the reader's numbers must be finite: null_score"):
        call(Broken(), "read", **TEXTS)


@pytest.mark.parametrize(
    "word", ["naïve", "👩‍🚀", "東京", "a\ud800b", "<s>", "\u202eabc", 'quo"te']
)
def test_any_string_survives(word):
    reading = make_reading([word, "b"], [(0, 2)], [[0, 0, 0, 9, 0, 0]], [[0, 0, 0, 9, 0, 0]])
    got = answer_of(reading)
    assert got["answer"] == word == reading.encoding.context[got["char_start"] : got["char_end"]]
    assert json.loads(json.dumps(got)) == got


def test_the_loss_of_one_head_with_two_labels():
    """Three annotators, two on "Delta", one on "Delta Epsilon": by hand from the toy's logits."""
    reading = t1()
    found = lost(reading, (Span(3, 3), Span(3, 3), Span(3, 4)), "window")
    assert list(found.model_dump()) == list(Lost.model_fields)
    z = [np.log(np.exp(reading.logits(w)[side]).sum()) for side in (0, 1) for w in (0, 1)]
    first = (z[0] - reading.logits(0)[0][[6, 6, 0]]).mean()
    second = (z[1] - reading.logits(1)[0][4]).mean()
    assert found.terms[0].value == pytest.approx((first + second) / 2, abs=1e-5)
    assert [gold and (gold.text, gold.whole_in) for gold in found.gold][1:] == [
        ("Delta", 2),
        ("Delta Epsilon", 1),
    ]
    assert found.total == pytest.approx(sum(term.value for term in found.terms) / 2)
    shared = lost(reading, (Span(3, 4),), "shared")
    assert {term.over for term in shared.terms} == {8}
    assert shared.total == pytest.approx(sum(term.value for term in shared.terms))
    with pytest.raises(BadInput, match="exactly one gold answer, got 0"):
        lost(reading, (None,), "shared")


def test_without_gold_no_answer_is_right():
    none, said = (call(FakeReader(), "loss", **TEXTS, gold=gold) for gold in (None, [None]))
    assert none == said and none.gold == [None]


def test_tags_hold_every_tokens_softmax_and_the_decoded_spans():
    reading = FakeReader(bio=True).read(*TEXTS.values())
    found = tagged(reading, "lenient")
    for token, row in zip(found.tokens, owned_rows(reading), strict=True):
        assert token.text == TEXTS["context"][token.char_start : token.char_end]
        assert pytest.approx(np.exp(row).tolist()) == [token.B, token.I, token.O]
    spans = [(s.text, s.char_start, s.char_end, s.marginal) for s in found.spans]
    wanted = decode_reading(reading, "lenient")
    assert spans == [(s.text, s.char_start, s.char_end, s.marginal) for s in wanted] != []


def test_an_attribution_tells_every_token_by_its_own_text():
    found = call(FakeReader(), "attribute", **TEXTS, method="leave_one_out")
    for token in found.tokens:
        if token.side == "special":
            assert token.char_start is token.char_end is None and token.text.startswith("[")
        else:
            text = TEXTS["question" if token.side == "question" else "context"]
            piece = text[token.char_start : token.char_end].lower()
            assert piece == token.text.removeprefix("##").lower()
    best = call(FakeReader(), "read", **TEXTS).n_best[0]
    assert (found.span.text, found.f_x) == (best.text, pytest.approx(best.score, abs=1e-4))
    assert found.sum == pytest.approx(sum(t.value for t in found.tokens))


@pytest.mark.parametrize(
    ("text", "given", "places"),
    [
        ("The capital of Denmark is [MASK].", "The capital of Denmark is it.", [26]),
        ("[mask] met [MASK]", "it met it", [0, 7]),
        ("un[MASK]able", "un it able", [3]),
    ],
)
def test_a_typed_mask_hides_its_place(text, given, places):
    found = call(FakeInfiller(), "infill", text=text)
    assert (found.text, [p.char_start for p in found.pieces]) == (given, places)
    assert not found.known and all(p.mlm.guesses for p in found.pieces)


def test_infill_names_what_each_head_says_and_adds_the_loss_up():
    text = "Ada Kok met Grace Hopper in 1950."
    found = call(FakeInfiller(), "infill", text=text, spans=[(0, 3), (12, 17)], top=4)
    edge, first, *_ = found.pieces
    assert edge.sbo is edge.both is None and edge.no_sbo
    assert first.k == 1 and len(first.both.guesses) == 4
    assert found.total == pytest.approx(sum(t.weight * t.value for t in found.terms))
    assert [t.name for t in found.terms] == ["MLM", "SBO"]


@pytest.mark.parametrize("name", CALLS)
def test_every_field_of_a_reply_is_described(name):
    schema = CALLS[name][2].model_json_schema(mode="serialization")
    for about in (schema, *schema["$defs"].values()):
        assert about["description"] and about["additionalProperties"] is False
