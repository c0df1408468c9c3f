"""The five calls as commands: the JSON is the call's reply, and lines for a person."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qa_demo.api.calls import call, plain
from qa_demo.core.text import words
from qa_demo.core.types import Reading
from qa_demo.model.reader import BertReader
from tests.cli.terminal import ASKED, SMALL, TEXTS, Terminal
from tests.fake_infiller import FakeInfiller
from tests.model import kit
from tests.printed import exact

pytestmark = pytest.mark.model
CUT = {"max_seq_length": 40, "doc_stride": 7}
Call = Callable[..., dict]


@pytest.fixture(scope="module")
def called(reader: BertReader) -> Call:
    """A call about the kit's text in the terminal's windows."""
    texts = {"question": kit.QUESTION, "context": kit.CONTEXT}
    return lambda name, **fields: plain(call(reader, name, **texts, **CUT, **fields))


@pytest.fixture
def filler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qa_demo.model.spanbert.load_spanbert", lambda _: FakeInfiller())


@pytest.mark.parametrize(
    ("command", "name", "fields"),
    [
        ("answer", "read", {}),
        (
            "answer --max-answer-length=1 --n-best-size=3 --rule=product",
            "read",
            {"max_answer_length": 1, "n_best_size": 3, "rule": "product"},
        ),
        ("answer --null-score-diff-threshold=-1e2", "read", {"null_score_diff_threshold": -100.0}),
        ("attribute", "attribute", {}),
        (
            "attribute --target span_minus_other --char-start 4 --char-end 10 --other-start 20 "
            "--other-end 25 --method gradient_x_input",
            "attribute",
            {
                "target": "span_minus_other",
                "char_start": 4,
                "char_end": 10,
                "other_start": 20,
                "other_end": 25,
                "method": "gradient_x_input",
            },
        ),
        ("loss", "loss", {}),
        ("loss --gold 0 3 --gold none --gold 4 10", "loss", {"gold": [(0, 3), None, (4, 10)]}),
        ("tag --decoding lenient", "tag", {"decoding": "lenient"}),
    ],
)
def test_json_is_the_reply_of_the_call(
    command: str, name: str, fields: dict, called: Call, terminal: Terminal
) -> None:
    found, wanted = terminal.asked(command), called(name, **fields)
    assert list(found) == list(wanted)
    assert same(found, wanted)


def same(one: object, other: object) -> bool:
    """Equal, numbers to five decimals: two runs of torch may differ in the last."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == (pytest.approx(other, abs=1e-4) if isinstance(other, float) else other)


def test_infill_takes_spans_and_cuts(filler: None, terminal: Terminal) -> None:
    text = "Ada Kok met Grace Hopper in 1950."
    flags = "--spans 4 7 --spans 12 17 --cut left position --top 3 --json"
    found = json.loads(terminal.run("infill", "--text", text, *flags.split()))
    fields = {"spans": [(4, 7), (12, 17)], "cut": ["left", "position"], "top": 3}
    assert found == plain(call(FakeInfiller(), "infill", text=text, **fields))
    lines = terminal.run("infill", "--text", text, "--spans", 4, 7).splitlines()
    assert "(mask, characters 5 to 7)" in lines[0] and "  mlm  rank" in lines[1]
    assert re.match(r"total +\S+ nats", lines[-2]) and "plain sum is" in lines[-1]
    first, guesses, *_, last = terminal.run("infill", "--text", "Ada met [MASK].").splitlines()
    assert first == "[MASK]  (mask, characters 9 to 10)" and "rank" not in guesses
    assert last == "no loss: nobody has said which word a typed [MASK] hides"


def test_a_threshold_of_zero_is_not_the_readers_own(tmp_path: Path, terminal: Terminal) -> None:
    terminal.folder = kit.save(tmp_path / "strict", "bert", threshold=-100.0)
    assert terminal.asked("answer")["answer"] is None
    assert terminal.asked("answer", "--null-score-diff-threshold=0")["answer"] is not None


def test_a_file_is_read_as_it_stands_and_may_be_long(tmp_path: Path, terminal: Terminal) -> None:
    text = "The bridge\r\nwas designed\rby Åse 🙂.\r\n"
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode("utf-8-sig"))
    report = terminal.data("answer", "--question", "who", "--context-file", path)
    listed = [row["candidate"] for row in report["prediction"]["n_best"]]
    assert report["answer"] == text[listed[0]["char_start"] : listed[0]["char_end"]]
    assert any("\r\n" in one["text"] for one in listed)


@pytest.mark.parametrize("source", ["file", "-"])
def test_a_line_for_each_question_says_what_answer_says(
    source: str,
    reader: BertReader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    terminal: Terminal,
) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text("\ufeff" + rows(id="Zoë"), encoding="utf-8")
    piped = io.TextIOWrapper(io.BytesIO(path.read_bytes()), encoding="cp1252")
    monkeypatch.setattr("sys.stdin", piped)
    out = terminal.read("answer", "--jsonl", path if source == "file" else "-")
    found = [json.loads(line) for line in out.splitlines()]
    for question, row in zip(ASKED, found, strict=True):
        wanted = plain(call(reader, "read", question=question, context=kit.CONTEXT, **CUT))
        assert same(row, wanted | {"question": question, "id": "Zoë"})


def rows(**more: str) -> str:
    made = [{"question": q, "context": kit.CONTEXT, **more} for q in ASKED]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in made) + "\n"


def test_a_question_that_cannot_be_read_keeps_its_line(tmp_path: Path, terminal: Terminal) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text(rows() + json.dumps({"question": " ", "context": "c", "id": 0}))
    lines = terminal.read("answer", "--jsonl", path, code=2).splitlines()
    last = json.loads(lines[3])
    assert len(lines) == 4 and "the question is empty" in last["error"] and last["id"] == "0"
    assert "1 of 4 questions were not read" in terminal.err


def test_answer_for_a_person(terminal: Terminal) -> None:
    report = terminal.asked("answer")
    lines = terminal.ask("answer").splitlines()
    assert lines[0] == report["answer"]
    best = report["prediction"]["n_best"][0]["candidate"]
    assert f"characters {best['char_start'] + 1} to {best['char_end']}" in lines[1]
    found = re.search(r"score (\S+) ([=~]) start (\S+) \+ end (\S+)", lines[1])
    assert found is not None
    score, sign, start, end = found.groups()
    assert (exact(start) + exact(end) == exact(score)) == (sign == "=")
    assert len(lines) == 4 + 20 and f"window {len(report['windows'])} of" in terminal.err


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("logits", "above 100.000 an answer is withheld"),
        ("mean_of_maxima", "this rule does not compare them"),
        ("product", "this rule does not compare them"),
    ],
)
def test_no_answer_stands_beside_the_best_span(rule: str, said: str, terminal: Terminal) -> None:
    line = terminal.ask(f"answer --rule {rule}").splitlines()[2]
    found = re.fullmatch(
        r"no answer scores (\S+), the best span (\S+), a differ.* (\S+); (.*)", line
    )
    assert found is not None
    null, best, difference = map(exact, found.groups()[:3])
    assert (null - best, found[4]) == (difference, said)


def test_attribute_ranks_whole_words(reading: Reading, called: Call, terminal: Terminal) -> None:
    """Against core's own words, of the method that hides them: `Rotne.` has several pieces."""
    out = terminal.ask("attribute --method leave_one_out").splitlines()
    found = called("attribute", method="leave_one_out")
    own = words(reading.encoding, reading.windows[found["attribution"]["window"]])
    sums = own.sums(np.array(found["attribution"]["values"]))
    ranked = sorted(zip(own.items, sums, strict=True), key=lambda row: -abs(row[1]))
    wanted = [f"{word.text} ({word.side})" for word, _ in ranked[:10]]
    assert [line[10:] for line in out[2:]] == wanted
    steps = terminal.ask("attribute --char-start 4 --char-end 10 --n-steps 30 --baseline mask")
    assert steps.startswith("span_score of 'bridge'")
    assert "after 30 steps" in steps and "the baseline (mask)" in steps


def test_a_method_with_nothing_to_say_prints_no_zeros(tmp_path: Path, terminal: Terminal) -> None:
    terminal.folder = kit.save(tmp_path / "tiny", "deberta-v2")
    wider = "attribute --max-seq-length 60 --doc-stride 12"
    out = terminal.ask(f"{wider} --method gradient_x_input")
    assert "exactly nothing here" in out and len(out.splitlines()) == 3


def test_a_label_that_windows_cut_is_said_to_count_as_no_answer(terminal: Terminal) -> None:
    out = terminal.ask("loss", "--gold", "0", len(kit.CONTEXT))
    assert "(whole in 0 of" in out and "windows; the others count it as no answer)" in out
    assert "(whole in 1 of" in terminal.ask("loss --max-seq-length 64 --gold 0 3")
    short = ["--question", "Who?", "--context", "The bridge."]
    assert "whole in" not in terminal.read("loss --gold 4 10", *short)
    assert terminal.ask("loss").startswith("label: no answer\nterm")


def test_tags_for_a_person(terminal: Terminal) -> None:
    out = terminal.ask("tag")
    assert "with exact marginals" in out.splitlines()[0]


def test_a_reader_without_tags(tmp_path: Path, terminal: Terminal) -> None:
    plain = kit.save(tmp_path / "plain", "bert")
    terminal.refuses("has no BIO head", "tag", *TEXTS, *SMALL, "--reader", plain)
