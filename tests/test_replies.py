"""The replies of the calls by hand: core's records, and what the calls say beside them."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from qa_demo.api.calls import CALLS, Read, TagReply, call, plain
from qa_demo.api.routes import schema
from qa_demo.cli.calls import LINES
from qa_demo.core.base import BadInput
from qa_demo.core.bio import decode_reading, owned_rows
from qa_demo.core.types import RULES, Calibration, Calibrations
from tests.core.toys import t1, unowned
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader

TEXTS = {"question": "Who met Grace?", "context": "In Oslo Ada Kok met Grace Hopper in 1950."}
HIDDEN = "Ada Kok met Grace Hopper in 1950."
GIVEN: dict[str, dict[str, Any]] = {
    "read": TEXTS,
    "attribute": {**TEXTS, "method": "leave_one_out"},
    "loss": {**TEXTS, "gold": [[8, 15], None]},
    "tag": TEXTS,
    "infill": {"text": HIDDEN, "spans": [[0, 3], [12, 17]], "top": 4},
}
MODELS = {name: FakeInfiller() if name == "infill" else FakeReader(bio=True) for name in CALLS}


def answer_of(reading, **options):
    return plain(Read(question="?", context="?", **options).answer(reading))


@pytest.mark.parametrize("name", ["infill", "read"])
def test_a_call_names_the_model_that_it_asks_and_takes_no_other_ones_name(name):
    for other in (MODELS["read" if name == "infill" else "infill"], "bundled", None):
        with pytest.raises(BadInput, match=f"{name} asks what .*, got {type(other).__name__}"):
            call(other, name, **GIVEN[name])
    with pytest.raises(BadInput, match="leave reader out: the loaded one is asked, got 'large'"):
        call(FakeReader(), "read", **TEXTS, reader="large")


def test_fields_of_an_answer_no_answer_keeps_the_list_and_without_a_span_there_is_a_reply():
    got = answer_of(t1(), n_best_size=2)
    assert (got["reader"], got["answer"], got["sureness"]) == ("toy", "Delta Epsilon", None)
    second = {"text": "Beta", "char_start": 6, "char_end": 10, "window": 0}
    second |= {"start_logit": 3.0, "end_logit": 4.0, "span": {"start": 1, "end": 1}}
    assert [one["candidate"] for one in got["prediction"]["n_best"]][1:] == [second]
    assert got["prediction"]["limit"] == 0.0 and got["windows"] == [[0, 4], [2, 6]]
    assert json.loads(json.dumps(got)) == got
    for got in (answer_of(t1(), null_score_diff_threshold=-9), answer_of(t1(threshold=-9))):
        best = got["prediction"]["n_best"][0]["candidate"]["text"]
        found = got["answer"], best, got["prediction"]["score_diff"]
        assert found == (None, "Delta Epsilon", -6.0)
    assert answer_of(t1(threshold=-9), null_score_diff_threshold=0)["answer"] == "Delta Epsilon"
    silent = Read(question="?", context="?").answer(unowned(t1()))
    assert next(LINES["read"](silent)) == "no answer: no span is allowed here"
    got = plain(silent)
    found = got["prediction"]
    assert [got["answer"], found["score_diff"], found["n_best"]] == [None, None, []]
    assert found["null_score"] == 1.5


@pytest.mark.parametrize("rule", RULES)
def test_sureness_is_told_by_the_rule_that_it_was_measured_by(rule):
    reading = dataclasses.replace(t1(), calibrations=Calibrations(Calibration(1.0, 0.0)))
    assert (answer_of(reading, rule=rule)["sureness"] is None) == (rule != "logits")


def test_a_number_that_is_not_finite_is_null():
    reading = t1()
    start = reading.start_logits.copy()
    start[:, 0] = np.inf
    got = answer_of(dataclasses.replace(reading, start_logits=start))
    assert got["prediction"]["null_score"] is None and got["answer"] is None
    tags = TagReply("r", (), (), np.array([[0, 1]]), np.array([[1.0, np.nan]]))
    assert (plain(tags)["offset_mapping"], plain(tags)["p"]) == ([[0, 1]], [[1.0, None]])


def test_a_loss_says_how_its_labels_were_read_and_adds_up():
    gold = [[8, 15], [8, 11], None]
    ends = [one and tuple(np.array(one)) for one in gold]  # as an offset_mapping holds them
    found = call(FakeReader(), "loss", **TEXTS, gold=ends, max_seq_length=16, doc_stride=3)
    assert [g and (g.text, g.char_start) for g in found.gold] == [("Ada Kok", 8), ("Ada", 8), None]
    assert found.whole_in[2] == 0 < found.whole_in[0] <= found.whole_in[1] < found.terms[0].over
    assert found.total == pytest.approx(sum(term.value for term in found.terms) / 2)
    none, said = (call(FakeReader(), "loss", **TEXTS, gold=gold) for gold in (None, [None]))
    assert none == said and none.gold == (None,)


def test_tags_and_an_attribution_tell_every_token_by_its_own_text():
    reading = FakeReader(bio=True).read(*TEXTS.values())
    found = call(FakeReader(bio=True), "tag", **TEXTS, decoding="lenient")
    assert found.p == pytest.approx(np.exp(owned_rows(reading)))
    places = zip(found.tokens, found.offset_mapping.tolist(), strict=True)
    assert all(t.removeprefix("##") == TEXTS["context"][slice(*place)] for t, place in places)
    assert found.spans == decode_reading(reading, "lenient") != ()
    found = call(FakeReader(), "attribute", **GIVEN["attribute"])
    for token, place, of in zip(found.tokens, found.offset_mapping, found.words.of, strict=True):
        if of < 0:
            assert place.tolist() == [0, 0] and token.startswith("[")
        else:
            word = found.words.items[of]
            assert word.char_start <= place[0] < place[1] <= word.char_end
            assert TEXTS[word.side][slice(*place)] == token.removeprefix("##")
    assert len(found.attribution.values) == len(found.tokens) and found.other is None
    for most in ({}, {"max_answer_length": 1}):
        found = call(FakeReader(), "attribute", **GIVEN["attribute"], **most)
        best = call(FakeReader(), "read", **TEXTS, **most).prediction.best.candidate
        assert (found.span, found.attribution.f_x) == (best, pytest.approx(best.score, abs=1e-4))


def test_a_typed_mask_hides_its_place():
    found = call(FakeInfiller(), "infill", text="[mask] met [MASK]", top=4)
    pieces = found.infill.pieces
    assert (found.text, [found.offset_mapping[p.at, 0] for p in pieces]) == ("it met it", [0, 7])
    assert not found.known and all(len(p.mlm.guesses) == 4 for p in pieces)
    said = [str(call(FakeInfiller(), "infill", text=HIDDEN, seed=k)) for k in (None, 1, 0)]
    assert said[0] == said[1] != said[2]


KINDS = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
KINDS |= {"number": (int, float), "null": type(None)}


def holds(value: Any, said: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether a value is as a JSON schema of ours says."""
    said = known[said["$ref"].rpartition("/")[2]] if "$ref" in said else said
    if "anyOf" in said:
        return any(holds(value, one, known) for one in said["anyOf"])
    if not isinstance(value, KINDS[said["type"]]) or value not in said.get("enum", [value]):
        return False
    if parts := said.get("properties"):
        same = value.keys() == parts.keys()
        return same and all(holds(value[name], about, known) for name, about in parts.items())
    return "items" not in said or all(holds(one, said["items"], known) for one in value)


@pytest.mark.parametrize("name", CALLS)
def test_every_reply_is_as_its_schema_says(name):
    about = schema(name)
    known = about.get("$defs", {})
    assert all(kind["description"] for kind in (about, *known.values()))
    reply = call(MODELS[name], name, **GIVEN[name])
    assert [*LINES[name](reply)], "what its command prints for a person"
    made = plain(reply)
    assert holds(made, about, known)
    made["reader" if name != "infill" else "text"] = 3
    assert not holds(made, about, known)
