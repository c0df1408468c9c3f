"""Calls, page and picture as commands, with a reader of torch: their JSON, lines for a person."""

import json
import re

import numpy as np
import pytest

from qa_demo.core.text import words
from tests.cli.terminal import ASKED, OPTIONS
from tests.fake_infiller import FakeInfiller
from tests.model import kit
from tests.printed import exact, inert
from tests.test_replies import HIDDEN

pytestmark = pytest.mark.model


def test_a_file_is_read_as_it_stands_and_may_be_long(tmp_path, terminal):
    text = "The bridge\r\nwas designed\rby Åse 🙂.\r\n"
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode("utf-8-sig"))
    report = terminal.data("answer", "--question", "who", "--context-file", path)
    listed = [row["candidate"] for row in report["prediction"]["n_best"]]
    assert report["answer"] == text[listed[0]["char_start"] : listed[0]["char_end"]]
    assert any("\r\n" in one["text"] for one in listed)
    path.write_text(" " * 50_000 + "The bridge is old.")  # a host's limit is none of a command's
    assert terminal.data("answer", "--question", "who", "--context-file", path)["answer"]


def test_each_line_says_what_answer_says(tmp_path, terminal):
    rows = [{"question": q, "context": kit.CONTEXT, "id": "Zoë\u2028"} for q in ASKED]
    rows.append({"question": " ", "context": "c", "id": "0"})
    said = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path = tmp_path / "asked.jsonl"
    path.write_text(f"\ufeff{said}\n", encoding="utf-8")
    out = terminal.read("answer", "--jsonl", path, code=2)
    assert "1 of 4 questions were not read" in terminal.err
    *found, last = [json.loads(line) for line in out.splitlines()]
    assert "the question is empty" in last["error"] and last["id"] == "0"
    for question, row in zip(ASKED, found, strict=True):
        wanted = terminal.data("answer", "--question", question, "--context", kit.CONTEXT)
        assert row == wanted | {"question": question, "id": "Zoë\u2028"}


def test_answer_and_infill_for_a_person(terminal, monkeypatch):
    """By the sums of logits README shows it whole."""
    windows, lines = terminal.asked("answer")["windows"], terminal.ask("answer").splitlines()
    found = re.search(r"score (\S+) ([=~]) start (\S+) \+ end (\S+)", lines[1])
    score, sign, start, end = found.groups()
    assert (exact(start) + exact(end) == exact(score)) == (sign == "=")
    assert len(lines) == 4 + 20 and f"part {len(windows)} of" in terminal.err
    line = terminal.ask("answer --rule product").splitlines()[2]
    said = r"no answer scores (\S+), the best span (\S+), a lead of (\S+); this rule does not .*"
    null, span, lead = map(exact, re.fullmatch(said, line).groups())
    assert null - span == lead
    monkeypatch.setattr("qa_demo.model.spanbert.load_spanbert", lambda _: FakeInfiller())
    lines = terminal.run("infill", "--text", HIDDEN, "--spans", 4, 7).splitlines()
    assert "(mask, characters 4 to 7)" in lines[0] and "  mlm  rank" in lines[1]
    assert re.match(r"total +\S+ nats", lines[-2]) and "plain sum is" in lines[-1]
    said = terminal.run("infill", "--text", "Ada met [MASK].", "--top", 3)
    first, guesses, *_, last = said.splitlines()
    assert first == "[MASK]  (mask)" and "rank" not in guesses and guesses.count("%") == 3
    assert last == "no loss: nobody has said which word a typed [MASK] hides"


def test_attribute_ranks_whole_words(reader, terminal):
    """Against core's own words, of the method that hides them: `Rotne.` has several pieces."""
    command = "attribute --method leave_one_out"
    out, found = terminal.ask(command).splitlines(), terminal.asked(command)["attribution"]
    reading = reader.read(kit.QUESTION, kit.CONTEXT, OPTIONS)
    own = words(reading.encoding, reading.windows[found["window"]])
    sums = own.sums(np.array(found["values"]))
    ranked = sorted(zip(own.items, sums, strict=True), key=lambda row: -abs(row[1]))
    wanted = [f"{word.text} ({word.side})" for word, _ in ranked[:10]]
    assert [line[10:] for line in out[2:]] == wanted
    steps = terminal.ask("attribute --char-start 4 --char-end 10 --n-steps 30 --baseline mask")
    assert steps.startswith("span_score of 'bridge'")
    assert "after 30 steps" in steps and "the baseline (mask)" in steps


def test_a_label_that_windows_cut_is_said_to_count_as_no_answer(terminal):
    out = terminal.ask("loss", "--gold", "0", len(kit.CONTEXT))
    assert "(whole in 0 of" in out and "windows; the others count it as no answer)" in out
    assert "whole in" not in terminal.read("loss --gold 4 10 --question Who? --context The-bridge.")
    assert terminal.ask("loss").startswith("label: no answer\nterm")
    assert "with exact marginals" in terminal.ask("tag").splitlines()[0]


def test_the_file_is_of_the_texts_that_are_given(tmp_path, terminal, monkeypatch):
    monkeypatch.setattr("qa_demo.model.spanbert.load_spanbert", lambda *_, **__: FakeInfiller())
    out = tmp_path / "reading.html"
    assert terminal.ask("page", "--out", out) == f"{out}: {out.stat().st_size:,} bytes\n"
    data = json.loads(inert(out.read_text(encoding="utf-8"), "saved"))
    assert len(data["pictures"]) > 20
    asked = [data["state"][name] for name in ("question", "max_seq_length", "reader")]
    assert asked == [kit.QUESTION, 40, str(terminal.folder)]
    assert data["pictures"]["answer/1"]["context"] == kit.CONTEXT


def test_picture_prints_the_blocks_of_a_state(tmp_path, terminal):
    state = {"question": kit.QUESTION, "context": kit.CONTEXT, "max_seq_length": 40}
    state |= {"doc_stride": 7, "chapter": "answer", "selection": [0, 1]}
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state), encoding="utf-8-sig")
    printed = terminal.run("picture", "spans", "--reader", terminal.folder, "--state", path)
    made = json.loads(printed)
    assert (made["chapter"], made["step"], made["selection"]) == ("spans", 1, [0, 1])
    assert made["reader"] == str(terminal.folder)
    kinds = {block["key"]: block["kind"] for block in made["blocks"]}
    assert kinds["idea"] == kinds["finding"] == "sentence"
    path.write_text(json.dumps(state | {"step": 2, "reader": str(terminal.folder)}))
    made = json.loads(terminal.run("picture", "windows", "--state", path))
    assert (made["step"], made["reader"]) == (2, str(terminal.folder))
