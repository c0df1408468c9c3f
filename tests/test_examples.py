"""The pool of examples: texts, promise checks by hand, stored readings against the reader."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.bio import tag_log_probs
from qa_demo.core.predict import predict
from qa_demo.core.store import ASSETS, load_reading, load_replay, save_reading, stored_attributions
from qa_demo.core.types import Answer, O, Reading, Window
from qa_demo.examples import PoolExample
from qa_demo.training import assets, promises
from qa_demo.training.promises import EXAMPLES, check, load_pool, winners
from tests.chapters.given import blocks, stored
from tests.chapters.given import words as said
from tests.core.toys import make_reading, t1
from tests.fakes import FakeReader

KINDS = {
    "short and plain",
    "several candidates",
    "a distractor sentence",
    "a repeated answer string",
    "numbers and dates",
    "an answer on a window border",
    "a long text",
    "merge rules disagree",
    "unanswerable",
    "accents",
    "non-Latin names",
    "emoji",
    "a right-to-left name inside",
    "separate argmaxes",
    "two answers glued into one",
    "annotators who disagree",
    "a very short paragraph",
    "cut by max_answer_length",
}
READINGS = ASSETS / "readings"
POOL = load_pool(promises.POOL)


def entry(reading: Reading, *answers: str, **promise: object) -> PoolExample:
    """An example around a toy; an answer "Beta@1" is the second copy of Beta."""
    context, found = reading.encoding.context, []
    for answer in answers:
        text, _, copy = answer.partition("@")
        at = context.index(text)
        for _ in range(int(copy or 0)):
            at = context.index(text, at + 1)
        found.append(Answer(text, at))
    return PoolExample(
        "toy", "Toy", "toy", "A toy.", reading.encoding.question, context, tuple(found), promise
    )


def fault(reading: Reading, *answers: str, **promise: object) -> str | None:
    """What the only promise of a toy example finds."""
    (found,) = check(entry(reading, *answers, **promise), reading).values()
    return found


def one(
    words: str, start: dict[str, float], end: dict[str, float], null: float = 0.0, **more: object
) -> Reading:
    """One window over the words; logits by word ("Beta@1": the second), else -5, null halved."""
    listed = words.split()
    rows = []
    for given in (start, end):
        row = [null / 2, -9, -9, *[-5.0] * len(listed), -9]
        for name, value in given.items():
            word, _, copy = name.partition("@")
            row[3 + [k for k, w in enumerate(listed) if w == word][int(copy or 0)]] = value
        rows.append(row)
    return make_reading(listed, [(0, len(listed))], [rows[0]], [rows[1]], **more)


def test_the_pool_has_every_kind_and_each_text_stands_once() -> None:
    assert {e.kind for e in POOL} == KINDS
    assert len(POOL) >= 25
    for name in ("id", "title", "reason", "context"):
        assert len({getattr(e, name) for e in POOL}) >= len(POOL) - (name == "context"), name
    asked = {(e.question, e.context) for e in POOL}
    assert len(asked) == len(POOL), "an address with both would open the other's windows"
    assert POOL[0].id == "oresund"
    assert sum(e.kind == "unanswerable" for e in POOL) >= 3
    assert all(e.answers for e in POOL if e.kind != "unanswerable")


def test_every_example_has_two_other_questions_of_its_paragraph() -> None:
    for example in POOL:
        assert len({example.question, *example.others}) == 3, example.id


def test_a_fault_in_the_pool_names_the_example(tmp_path: Path) -> None:
    row = json.loads(promises.POOL.read_text(encoding="utf-8"))[0]
    for change, words in (
        ({"answers": [{"text": "Rotne", "char_start": 0}]}, "character 0"),
        ({"promise": {"shines": True}}, "shines"),
        ({"promise": {}}, "nothing"),
    ):
        path = tmp_path / "examples.json"
        path.write_text(json.dumps([row | change]), encoding="utf-8")
        with pytest.raises(BadInput, match=words) as error:
            load_pool(path)
        assert "oresund" in str(error.value)
    path.write_text(json.dumps([row, row]), encoding="utf-8")
    with pytest.raises(BadInput, match="two examples"):
        load_pool(path)


BETA = one("Alpha Beta Alpha", {"Beta": 3}, {"Beta": 3})
SILENT = one("Alpha Beta Alpha", {"Beta": 3}, {"Beta": 3}, null=7.0)
WRONG_COPY = one("Beta Alpha Beta", {"Beta@0": 3}, {"Beta@0": 3})
TWO = one("Alpha of Beta", {"Alpha": 3, "Beta": 2}, {"Alpha": 3, "Beta": 2})
LATE = one("Beta or Beta", {"Beta@0": 2, "Beta@1": 3}, {"Beta@0": 2, "Beta@1": 3})
EARLY = one("Beta or Beta", {"Beta@0": 3, "Beta@1": 2}, {"Beta@0": 3, "Beta@1": 2})
CROSSED = one("Alpha of Beta", {"Beta": 3, "Alpha": 2.5}, {"Alpha": 3, "Beta": 2.5})
WHOLE = one("Alpha of Beta", {"Alpha": 3}, {"Beta": 3})
GLUED = one("Alpha and Beta", {"Alpha": 4, "Beta": 3.9}, {"Alpha": 3.9, "Beta": 4})
APART = one("Alpha and Beta", {"Alpha": 4, "Beta": 1}, {"Alpha": 4, "Beta": 1})
FORTY = [f"w{k}" for k in range(40)]
LONG = one(" ".join(FORTY), {"w0": 5}, {"w34": 5, "w3": 1})
SHORT = one(" ".join(FORTY), {"w0": 5}, {"w3": 5})
GOLD = " ".join(FORTY[:35])
PROMISED: list[tuple[Reading, list[str], dict[str, object], str | None]] = [
    (BETA, ["Beta"], {"answer": "gold"}, None),
    (BETA, ["Alpha"], {"answer": "gold"}, "'Beta'"),
    (BETA, [], {"answer": None}, "answers 'Beta'"),
    (SILENT, [], {"answer": None}, None),
    (SILENT, ["Beta"], {"answer": "gold"}, "no answer"),
    (WRONG_COPY, ["Beta@1"], {"answer": "gold"}, ""),
    (TWO, ["Alpha"], {"n_best_holds": ["Beta"]}, None),
    (TWO, ["Alpha"], {"n_best_holds": ["Zeta"]}, "Zeta"),
    (TWO, ["Alpha"], {"distractor": "Beta"}, None),
    (TWO, ["Beta"], {"distractor": "Alpha"}, "wins"),
    (TWO, ["Beta"], {"gold_in_n_best": 3}, None),
    (TWO, ["Beta"], {"gold_in_n_best": 1}, ""),
    (LATE, ["Beta@1"], {"repeated": "Beta"}, None),
    (EARLY, ["Beta@1"], {"repeated": "Beta"}, "character 0"),
    (LATE, ["Beta"], {"repeated": "Beta"}, "not repeated"),
    (TWO, [], {"windows": [1, 1]}, None),
    (TWO, [], {"windows": [2, 9]}, "1 windows, promised 2 to 9"),
    (TWO, [], {"tokens": [3, 3]}, None),
    (TWO, [], {"tokens": [1, 2]}, ""),
    (TWO, ["Alpha", "Alpha", "Beta"], {"annotators": [3, 2]}, None),
    (TWO, ["Alpha", "Alpha"], {"annotators": [3, 2]}, ""),
    (t1(), ["Delta Epsilon"], {"border": True}, None),  # words 3-4; the windows are 0-3 and 2-5
    (t1(), ["Gamma Delta"], {"border": True}, ""),
    (t1(), ["Beta Gamma Delta Epsilon"], {"border": True}, ""),
    (CROSSED, ["Alpha"], {"argmaxes_illegal": True}, None),
    (WHOLE, ["Alpha"], {"argmaxes_illegal": True}, "legal"),
    (GLUED, ["Alpha", "Beta", "Alpha"], {"glued": True}, None),
    (GLUED, ["Alpha"], {"glued": True}, ""),
    (APART, ["Alpha", "Beta"], {"glued": True}, ""),
    (LONG, [GOLD], {"too_long": True}, None),
    (LONG, ["w0 w1"], {"too_long": True}, "limit is 30"),
    (SHORT, [GOLD], {"too_long": True}, "without the limit"),
]
"""A toy reading, its answers, the promise, and what a fault says; None where it is kept."""


@pytest.mark.parametrize(("reading", "answers", "promise", "said"), PROMISED)
def test_a_promise(
    reading: Reading, answers: list[str], promise: dict[str, object], said: str | None
) -> None:
    found = fault(reading, *answers, **promise)
    assert found is None if said is None else found is not None and said in found


def test_tags() -> None:
    tags = np.zeros((7, 3))
    tags[3:6, 2] = 4.0
    tags[3, 0] = tags[5, 0] = 9.0
    reading = one("Alpha of Beta", {"Alpha": 3, "Beta": 2}, {"Alpha": 2, "Beta": 3}, tags=[tags])
    assert fault(reading, "Alpha", "Beta", tags=["Alpha", "Beta"]) is None
    assert fault(reading, "Alpha", "Beta", glued=True) is None
    assert fault(reading, "Alpha", tags=["Alpha of Beta"]) == "the tags return ['Alpha', 'Beta']"


def test_rules_disagree(two_windows: Reading) -> None:
    assert len(set(winners(two_windows).values())) > 1
    assert fault(two_windows, "Delta", rules_disagree=True) is None
    assert "all rules" in str(
        fault(one("Alpha of Beta", {"Alpha": 9}, {"Alpha": 9}), "Alpha", rules_disagree=True)
    )


@pytest.mark.parametrize(
    ("kind", "word"),
    [("accents", "Malmö"), ("non-Latin", "富士山"), ("emoji", "😀"), ("right-to-left", "بغداد")],
)
def test_kinds_of_characters(kind: str, word: str) -> None:
    assert fault(one(f"Alpha {word}", {"Alpha": 1}, {"Alpha": 1}), holds=[kind]) is None
    assert fault(one("Alpha Beta", {"Alpha": 1}, {"Alpha": 1}), holds=[kind]) is not None


def test_every_promise_is_used_by_some_example() -> None:
    failures = load_pool(ASSETS / "failures.json")
    assert {name for e in (*POOL, *failures) for name in e.promise} == set(EXAMPLES)


def test_every_example_has_a_stored_reading_of_one_reader_and_no_more() -> None:
    assert {p.stem for p in READINGS.glob("*.npz")} == {e.id for e in POOL}
    assert len({load_reading(READINGS / f"{e.id}.npz").checksum for e in POOL}) == 1


@pytest.mark.parametrize("example", POOL, ids=lambda e: e.id)
def test_a_stored_reading_shows_what_its_example_promises(example: PoolExample) -> None:
    broken = {
        name: found
        for name, found in check(example, load_reading(READINGS / f"{example.id}.npz")).items()
        if found
    }
    assert not broken


@pytest.mark.model
def test_stored_readings_are_those_of_the_bundled_reader() -> None:
    from qa_demo.model.loading import load_reader

    reader = load_reader("bundled")
    for example in POOL:
        stored = load_reading(READINGS / f"{example.id}.npz")
        live = reader.read(example.question, example.context, example.options)
        assert stored.checksum == reader.checksum, example.id
        for name in ("start_logits", "end_logits", "tag_logits"):
            np.testing.assert_allclose(
                getattr(stored, name), getattr(live, name), atol=1e-3, err_msg=example.id
            )


def test_stored_attributions_add_up_to_the_leads_of_the_stored_readings() -> None:
    """A picture that shows an example's shares at once shows those of its reading."""
    held = stored_attributions()
    for example in POOL:
        reading, (checksum, found) = load_reading(READINGS / f"{example.id}.npz"), held[example.id]
        best = predict(reading).best.candidate
        assert (checksum, found.window) == (reading.checksum, best.window), example.id
        assert found.target.span == best.span and len(found.total) == len(
            reading.windows[best.window]
        )
        start, end = reading.logits(best.window)
        assert abs(found.f_x - (best.score - start[0] - end[0])) < 2e-3, example.id
        small = abs(found.gap) < 0.021 * abs(found.f_x - found.f_baseline)
        assert small or found.n_steps == 100, example.id  # the page tells a larger gap
    found = blocks(stored(), example="oresund", chapter="why")  # no model is at hand
    assert "−10.88" in said(found["sum"])


def test_most_pieces_of_the_examples_are_clearly_outside() -> None:
    """Chapter 7's picture is three probabilities a piece: a layer fitted for whole taggings alone
    reads well and leaves I at a half all over the text."""
    stored = [load_reading(READINGS / f"{e.id}.npz") for e in POOL]
    rows = [tag_log_probs(r, w) for r in stored for w in range(len(r.windows))]
    clear = np.exp(np.concatenate(rows)[:, O]) > 0.98
    assert clear.mean() > 0.7


def test_the_replay_ends_with_the_stored_readings() -> None:
    about = json.loads((ASSETS / "replay" / "replay.json").read_text(encoding="utf-8"))
    with np.load(ASSETS / "replay" / "replay.npz", allow_pickle=False) as stored:
        start, end = stored["start"], stored["end"]
    assert about["steps"][0] == 0
    assert about["steps"] == sorted(set(about["steps"]))
    assert len(about["steps"]) == len(start) == len(end) >= 25
    # Of the earlier training no weights are left: what it did not read, also a text that has
    # changed since, is not in the record.
    recorded = {row["id"] for row in about["examples"]}
    assert [row["id"] for row in about["examples"]] == [e.id for e in POOL if e.id in recorded]
    assert len(recorded) >= len(POOL) - 6
    for row in about["examples"]:
        reading = load_reading(READINGS / f"{row['id']}.npz")
        part = slice(row["at"], row["at"] + row["length"])
        assert reading.checksum == about["checksum"]
        s, e = reading.logits(row["window"])
        np.testing.assert_allclose(start[-1, part], s, atol=0.02)
        np.testing.assert_allclose(end[-1, part], e, atol=0.02)


@pytest.mark.model
def test_the_replay_takes_the_window_that_holds_the_answer(two_windows: Reading) -> None:

    assert (
        assets.gold_window(entry(two_windows, "Delta Epsilon", border=True), two_windows).index == 1
    )  # the windows hold words 0-3 and 2-5
    assert assets.gold_window(entry(two_windows, "Beta Gamma", border=True), two_windows).index == 0
    assert assets.gold_window(entry(two_windows, answer=None), two_windows).index == 0
    with pytest.raises(BadInput, match="no window holds"):
        assets.gold_window(entry(two_windows, "Beta Gamma Delta Epsilon", border=True), two_windows)


@pytest.mark.model
def test_a_replay_is_made_of_the_snapshots_and_ends_with_the_readings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = FakeReader()
    texts = [e for e in POOL if len(e.context) < 120][:2]
    for e in texts:
        save_reading(reader.read(e.question, e.context, e.options), tmp_path / f"{e.id}.npz")
    run = tmp_path / "run"
    (run / "snapshots").mkdir(parents=True)
    (run / "state.json").write_text('{"step": 4}')
    (run / "settings.json").write_text('{"encoder": "e"}')
    with pytest.raises(BadInput, match=r"no snapshots/step-\*\.safetensors in run"):
        assets.record(run, "", texts, tmp_path, tmp_path / "out")
    for step in (16, 0, 3):
        (run / "snapshots" / f"step-{step:06d}.safetensors").touch()
    asked = []

    def rows(encoder: str, files: list[Path], windows: list[Window]) -> list[tuple]:
        asked.append((encoder, [path.stem for path in files]))
        at = np.arange(sum(map(len, windows)), dtype=np.float32)
        return [(at + 0.02, -at) for _ in files]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assets, "read_rows", rows)
        assets.record(run, "", texts, tmp_path, tmp_path / "out")
    assert asked == [("e", ["step-000000", "step-000003"])], "before the end, in order"
    back = load_replay(tmp_path / "out")
    assert back is not None and back.steps == (0, 3, 4)
    got = back.rows(texts[1].id)
    stored = load_reading(tmp_path / f"{texts[1].id}.npz")
    assert got is not None and back.checksum == stored.checksum
    first = len(back.rows(texts[0].id).start[0])
    assert got.start[0, 0] == first + 1 / 32, "rounded"
    np.testing.assert_allclose(got.start[-1], stored.logits(got.window)[0], atol=0.01)


@pytest.mark.model
def test_the_check_command_tells_kept_from_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        row for row in json.loads(promises.POOL.read_text(encoding="utf-8")) if row["id"] == "gold"
    ]
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert promises.main(["examples", "--file", str(path)]) == 0
    assert "4 of 4 promises kept" in capsys.readouterr().out
    path.write_text(json.dumps([rows[0] | {"promise": {"tokens": [99, 100]}}]), encoding="utf-8")
    assert promises.main(["examples", "--file", str(path)]) == 1
    assert "BROKEN" in capsys.readouterr().out
    assert promises.main(["examples", "--file", str(path), "--only", "absent"]) == 2
    assert "absent" in capsys.readouterr().err


def test_a_cut_word() -> None:
    assert fault(one("Alpha Beta", {"Alpha": 1}, {"Alpha": 1}), cut_word=True) is not None
    whole = one("Alpha Beta", {"Alpha": 1}, {"Alpha": 1})
    best = replace(predict(whole).best.candidate, char_end=3, text="Alp")
    shown = SimpleNamespace(example=SimpleNamespace(context="Alpha Beta"), best=best)
    assert EXAMPLES["cut_word"](shown, True) is None


def test_attention_on_marks_is_their_share_of_all() -> None:
    reader = FakeReader()
    question, context = "Who came?", "Anna Lund came to Visby in 1900."
    reading = reader.read(question, context)
    example = PoolExample("x", "t", "k", "r", question, context, (), {"attention_on_marks": 0.0})
    assert check(example, reading, reader) == {"attention_on_marks": None}
    all_of_it = replace(example, promise={"attention_on_marks": 1.0})
    assert "of the attention goes to marks" in str(check(all_of_it, reading, reader))
    with pytest.raises(BadInput, match="needs the reader"):
        check(example, reading)


def test_a_boundary_that_misleads_belongs_to_a_passage() -> None:
    reading = FakeReader().read("Who came?", "Anna Lund came to Visby.")
    example = PoolExample("x", "t", "k", "r", "Who came?", "Anna Lund came to Visby.", (), {})
    for key in ("roentgen", "nobody"):
        found = check(replace(example, promise={"boundary_misleads": key}), reading)
        assert "is not that of the passage" in str(found["boundary_misleads"])
