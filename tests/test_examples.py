"""The texts that ship with the page, promise checks by hand, stored readings against the reader."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.base import BadCheckpoint, BadInput
from qa_demo.core.bio import tag_log_probs
from qa_demo.core.losses import load_replay
from qa_demo.core.predict import predict
from qa_demo.core.store import ASSETS, bundled, load_reading, stored_attributions
from qa_demo.core.text import special_positions
from qa_demo.core.types import Answer, O, Reading
from qa_demo.examples import Passage, PoolExample, load_menu, load_texts
from qa_demo.training import assets, promises
from qa_demo.training.promises import example_facts, judged, rows
from tests.chapters.given import blocks, real, stored
from tests.chapters.given import words as said
from tests.core.toys import make_reading, t1, with_offsets
from tests.fakes import FakeReader

READINGS = ASSETS / "readings"
FILE = ASSETS / "examples.json"
POOL = load_texts(PoolExample, FILE)


def entry(reading: Reading, *answers: str) -> PoolExample:
    """An example around a toy; an answer "Beta@1" is the last copy of Beta."""
    context, found = reading.encoding.context, []
    for answer in answers:
        text, _, copy = answer.partition("@")
        found.append(Answer(text, context.rindex(text) if copy else context.index(text)))
    return PoolExample("toy", reading.encoding.question, context, tuple(found))


def one(words: str, *both: dict[str, float], null: float = 0.0) -> Reading:
    """One window over the words; start and end logits by word, else -5, null halved."""
    listed = words.split()
    rows = [[null / 2, -9, -9, *(given.get(word, -5.0) for word in listed), -9] for given in both]
    return make_reading(listed, rows[:1], rows[1:])


def test_the_pool_has_every_kind_and_each_id_text_and_slice_stands_once():
    files = [load_texts(PoolExample, ASSETS / name) for name in ("examples.json", "failures.json")]
    examples, passages = sum(files, ()), load_texts(Passage, ASSETS / "passages.json")
    texts = [(e.id, e.context, e.answers) for e in examples]
    texts += [(p.id, p.text, p.hidden) for p in passages]
    for name, text, slices in texts:
        for one in slices:
            assert one.text and text[one.char_start : one.char_end] == one.text, name
    assert len({p.id for p in passages}) == len(passages) and all(p.hidden for p in passages)
    assert list(load_menu()) == [e.id for e in examples]
    assert {p.stem for p in READINGS.glob("*.npz")} == {e.id for e in POOL}
    about = json.loads(FILE.read_bytes())
    assert len({e["kind"] for e in about}) == 18 and len(POOL) >= 25
    for name in ("id", "title", "reason", "context"):
        assert len({e[name] for e in about}) >= len(POOL) - (name == "context"), name
    asked = {(e.question, e.context) for e in POOL}
    assert len(asked) == len(POOL), "an address with both would open the other's windows"
    assert POOL[0].id == "oresund" and sum(e["kind"] == "unanswerable" for e in about) >= 3
    assert all(e["answers"] for e in about if e["kind"] != "unanswerable")
    assert [e.id for e in POOL if len({e.question, *e.others}) != 3] == []


@pytest.mark.parametrize("held", [b"", b'[{"id": "oresund"}]', b"version https://git-lfs"])
def test_a_damaged_file_of_texts_is_said_in_a_sentence(held, monkeypatch, tmp_path):
    (tmp_path / "examples.json").write_bytes(held)
    monkeypatch.setattr("qa_demo.examples.ASSETS", tmp_path)
    with pytest.raises(BadCheckpoint, match=r"^examples\.json, .* is damaged or a git-LFS"):
        load_menu.__wrapped__()


BETA = one("Alpha Beta Alpha", {"Beta": 3}, {"Beta": 3})
CUT = with_offsets(BETA, BETA.encoding.offset_mapping - [0, 1])  # "Alph", "Bet", "Alph"
SILENT = one("Alpha Beta Alpha", {"Beta": 3}, {"Beta": 3}, null=7.0)
FIRST_COPY = one("Beta Alpha Beta", {"Beta": 3}, {"Beta": 3})
TWO = one("Alpha of Beta", {"Alpha": 3, "Beta": 2}, {"Alpha": 3, "Beta": 2})
WHOLE = one("Alpha of Beta", {"Alpha": 3}, {"Beta": 3})
GLUED = one("Alpha and Beta", {"Alpha": 4, "Beta": 3.9}, {"Alpha": 3.9, "Beta": 4})
APART = one("Alpha and Beta", {"Alpha": 4, "Beta": 1}, {"Alpha": 4, "Beta": 1})
FORTY = [f"w{k}" for k in range(40)]
SHORT = one(" ".join(FORTY), {"w0": 5}, {"w3": 5})
FACTS = [
    (BETA, ["Beta"], {"right": True, "silent": 0, "copies_before": 0, "cuts_word": False}),
    (CUT, ["Beta"], {"right": False, "cuts_word": True}),
    (BETA, ["Alpha"], {"right": False, "copies_before": 0}),
    (BETA, ["Alpha@1"], {"right": False, "copies_before": 1}),
    (BETA, [], {"right": False, "glued": False, "marked": 0}),
    (SILENT, [], {"right": True, "answer": None, "silent": 1}),
    (SILENT, ["Beta"], {"right": False}),
    (FIRST_COPY, ["Beta@1"], {"right": False}),
    (TWO, ["Alpha", "Alpha", "Beta"], {"windows": 1, "pieces": 3, "marked": 2, "gold_place": 1}),
    (TWO, ["Beta"], {"gold_place": 3}),
    (t1(), ["Delta Epsilon"], {"cut_in": 1, "whole_in": 1}),  # words 3-4; windows: 0-3 and 2-5
    (t1(), ["Alpha"], {"cut_in": 0, "whole_in": 1, "argmaxes": ["Delta", "Epsilon", ""]}),
    (t1(), ["Gamma Delta"], {"cut_in": 0, "whole_in": 2, "winners": 2}),
    (t1(), ["Beta Gamma Delta Epsilon"], {"cut_in": 2, "whole_in": 0}),
    (WHOLE, ["Alpha"], {"free_pieces": 3}),
    (WHOLE, [], {"argmaxes": ["Alpha", "Beta", ""], "ends_shared": 2, "winners": 1}),
    (GLUED, ["Alpha", "Beta", "Alpha"], {"glued": True}),
    (GLUED, ["Alpha"], {"glued": False}),
    (GLUED, ["Alpha and", "and Beta"], {"glued": False}),
    (APART, ["Alpha", "Beta"], {"glued": False}),
    (SHORT, [" ".join(FORTY[:35])], {"gold_pieces": 35, "free_pieces": 4}),
]


@pytest.mark.parametrize(("reading", "answers", "wanted"), FACTS)
def test_the_facts_of_a_reading_by_hand(reading, answers, wanted):
    facts = example_facts(entry(reading, *answers), reading)
    assert {k: facts[k]() if callable(facts[k]) else facts[k] for k in wanted} == wanted


def test_every_fact_is_promised_and_a_promise_is_kept_or_broken_by_what_is_told():
    facts = example_facts(entry(TWO, "Alpha"), TWO)
    told = True, "rival('Beta') = True, rival('Alpha') = False"
    assert judged("rival('Beta') and not rival('Alpha')", facts) == told
    assert judged("2 <= windows <= 9", facts) == (False, "windows = 1")
    for promise in ("shines", "_best == 1", "windows ==", "rival(1, 2)", "1/0", "''[1]", "best.x"):
        example = replace(entry(BETA, "Beta"), promise=(promise,))
        with pytest.raises(BadInput, match=f"'toy' promises {re.escape(repr(promise))}: "):
            list(rows(example, example_facts(example, BETA)))
    texts = (*POOL, *load_texts(PoolExample, ASSETS / "failures.json"))
    said = " ".join(promise for e in texts for promise in e.promise)
    facts = example_facts(entry(BETA), BETA)
    assert {name for name in facts if not re.search(rf"\b{name}\b", said)} == {"answer"}


def test_attention_on_marks_is_their_share_of_all_and_the_winner_has_its_probabilities():
    reader = FakeReader()
    question, context = "Who came?", "Anna Lund came to Visby in 1900."
    reading = reader.read(question, context)
    facts = example_facts(PoolExample("x", question, context, ()), reading, reader)
    best = predict(reading).best.candidate
    window = reading.windows[best.window]
    total = np.zeros(len(window))
    for end in (best.span.start, best.span.end):
        total += reader.attention(window)[:, :, window.to_pos(end)].mean(axis=(0, 1))
    marks = special_positions(reading.encoding, window)
    assert facts["attention_on_marks"]() == pytest.approx(total[marks].sum() / total.sum())
    found, facts = predict(t1()), example_facts(entry(t1(), "Delta"), t1())
    start, end = (np.exp(x) for x in t1().logits(found.best.candidate.window))
    wanted = min(start.max() / start.sum(), end.max() / end.sum())
    assert (facts["peak"], facts["share"]) == (pytest.approx(wanted), found.n_best[0].share)


@pytest.mark.parametrize("example", POOL, ids=lambda e: e.id)
def test_a_stored_reading_shows_what_its_example_promises(example):
    facts = example_facts(example, load_reading(READINGS / f"{example.id}.npz"))
    assert 0 <= facts["silent"] <= 1
    assert example.promise and not [row for row in rows(example, facts) if not row[2]]


@pytest.mark.model
def test_stored_readings_are_those_of_the_bundled_reader(monkeypatch):
    reader = real().reader("bundled")
    for example in POOL:
        stored = load_reading(READINGS / f"{example.id}.npz")
        assert (stored.checksum, stored.options) == (reader.checksum, example.options), example.id
        for name, held in vars(reader.encode(example.question, example.context)).items():
            np.testing.assert_array_equal(getattr(stored.encoding, name), held, example.id)
        if len(example.context) > 3_000:
            continue  # three texts, which take more than all others together
        live = reader.read(example.question, example.context, example.options)
        for name in ("start_logits", "end_logits", "tag_logits"):
            told, said = getattr(stored, name), getattr(live, name)
            np.testing.assert_allclose(told, said, atol=1e-3, err_msg=example.id)
    monkeypatch.setattr("qa_demo.examples.load_reading", lambda _: replace(stored, checksum=""))
    assert example.stored() is None


def test_stored_attributions_add_up_to_the_leads_of_the_stored_readings():
    """A picture that shows an example's shares at once shows those of its reading."""
    held = stored_attributions()
    for example in POOL:
        reading, (checksum, found) = load_reading(READINGS / f"{example.id}.npz"), held[example.id]
        best = predict(reading).best.candidate
        assert (checksum, found.window) == (reading.checksum, best.window), example.id
        assert found.target.span == best.span
        assert len(found.values) == len(reading.windows[best.window])
        start, end = reading.logits(best.window)
        assert abs(found.f_x - (best.score - start[0] - end[0])) < 2e-3, example.id
        assert abs(found.gap) < 0.021 * abs(found.f_x - found.f_baseline), example.id
    found = blocks(stored(), example="oresund", chapter="why")  # no model is at hand
    assert "in the blank text −10.88" in said(found["sum"])


def test_most_pieces_of_the_examples_are_clearly_outside():
    """A layer fitted for whole taggings alone reads well and leaves I at a half everywhere."""
    stored = [load_reading(READINGS / f"{e.id}.npz") for e in POOL]
    rows = [tag_log_probs(r, w) for r in stored for w in range(len(r.windows))]
    assert (np.exp(np.concatenate(rows)[:, O]) > 0.98).mean() > 0.7


def test_the_replay_ends_with_the_stored_readings():
    """Of the earlier training no weights are left: what it did not read, also a text that has
    changed since, is not in the record."""
    weights, replay = load_replay(ASSETS / "replay")
    recorded = [e.id for e in POOL if e.id in replay]
    assert recorded == list(replay) and len(recorded) >= len(POOL) - 6
    for name, held in replay.items():
        assert held.steps[0] == 0 and list(held.steps) == sorted(set(held.steps))
        assert len(held.steps) == len(held.start) == len(held.end) >= 25
        reading = load_reading(READINGS / f"{name}.npz")
        assert (reading.checksum, weights) == bundled()
        ends = [held.start[-1], held.end[-1]]
        np.testing.assert_allclose(ends, reading.logits(held.window), atol=0.02)


@pytest.mark.model
def test_the_replay_takes_the_window_that_holds_the_answer():
    """The windows hold words 0-3 and 2-5."""
    for answers, index in ((["Delta Epsilon"], 1), (["Beta Gamma"], 0), ([], 0)):
        assert assets.gold_window(entry(t1(), *answers), t1()).index == index
    with pytest.raises(BadInput, match="no window holds"):
        assets.gold_window(entry(t1(), "Beta Gamma Delta Epsilon"), t1())


@pytest.mark.model
def test_the_check_command_tells_kept_from_broken(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(promises, "load_reader", real().reader)
    (gold,) = [row for row in json.loads(FILE.read_text(encoding="utf-8")) if row["id"] == "gold"]
    path = tmp_path / "pool.json"
    for promise, code, printed in (
        (gold["promise"], 0, "4 of 4 promises kept"),
        (["pieces > 99"], 1, "BROKEN"),
        (["shines"], 2, "'gold' promises 'shines': a fact must be one of"),
    ):
        path.write_text(json.dumps([gold | {"promise": promise}]), encoding="utf-8")
        assert promises.main(["examples", "--file", str(path)]) == code
        assert printed in capsys.readouterr()[code == 2]
    assert promises.main(["examples", "--file", str(ASSETS / "failures.json")]) == 0
    path.write_text("[")
    assert promises.main(["examples", "--file", str(path)]) == 2
    assert "pool.json: Invalid JSON" in capsys.readouterr().err
