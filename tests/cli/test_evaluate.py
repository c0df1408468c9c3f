"""evaluate --out, report and calibrate: lines, going on, gates, layouts, nothing overwritten."""

import hashlib
import io
import json
import re
from pathlib import Path

import pytest
import yaml

from qa_demo.core.predict import predict
from qa_demo.evaluation.lines import read_lines, run_file
from tests.cli.terminal import OPTIONS, SMALL, lines, squad
from tests.evaluation.test_report import data_of
from tests.model import kit

pytestmark = pytest.mark.model


def said(page: Path) -> str:
    """What lies packed in a report."""
    return json.dumps(data_of(page.read_text(encoding="utf-8")), ensure_ascii=False)


def test_every_question_is_a_line_that_says_what_read_says(reader, silent, out, terminal):
    result = terminal.data("evaluate", silent, "--out", out)
    assert "question 4 of 4" in terminal.err and result["questions_in_file"] == 4
    rows = read_lines(out).rows
    assert [row["id"] for row in rows] == ["q0", "q1", "q2", "q9"]
    for row in rows:
        reading = reader.read(row["question"], kit.CONTEXT, OPTIONS)
        prediction = predict(reading)
        assert row["null_score"] == pytest.approx(prediction.null_score)
        assert row["n_best"][0]["text"] == prediction.best.candidate.text
        assert row["n_best"][0]["score"] == pytest.approx(prediction.best.candidate.score)
        assert row["margin"] == pytest.approx(-row["score_diff"])
        assert row["windows"] == len(reading.windows)
        assert (row["kind"] == "right") == (row["exact"] == 1)
    assert result["exact"] == pytest.approx(100 * sum(row["exact"] for row in rows) / 4)
    assert result["f1"] == pytest.approx(100 * sum(row["f1"] for row in rows) / 4)
    about = json.loads(run_file(out).read_text())
    assert (about["rules"], about["reader"], about["threshold"]) == ("2.0", "tiny", 100.0)
    assert about["scores"]["total"] == 4 and about["options"]["max_seq_length"] == 40


def test_a_stopped_run_ends_as_one_that_was_not(folder, dev, out, tmp_path, terminal):
    terminal.read("evaluate", dev, "--out", out)
    whole, flags = out.read_bytes(), ["--reader", folder, "--out", out, *SMALL]
    for left in (b"", whole[:40]):  # as one leaves it that was stopped within its first line
        out.write_bytes(left)
        assert terminal.data("evaluate", dev, "--out", out)["seconds"] > 0
        assert "was there" not in terminal.err
    first, second, _ = whole.splitlines(keepends=True)
    out.write_bytes(first + second[:40] + bytes(9))  # the power failed in the middle of a line
    terminal.read("evaluate --sample 2 --seed 3", dev, "--out", out, code=2)  # without the first
    assert "(different: the first 1 questions)" in terminal.err
    gone_on = terminal.data("evaluate", dev, "--out", out)
    assert (gone_on["total"], gone_on["seconds"]) == (3, None), "the first part took some too"
    assert "seconds" not in terminal.read("evaluate", dev, "--out", out)
    assert out.read_bytes() == whole and "p.jsonl was there: its lines were kept" in terminal.err
    terminal.refuses("(different: options)", "evaluate", dev, *flags, "--n-best-size", "3")
    before = run_file(out).read_bytes()
    terminal.read("evaluate", dev, "--out", out, "--limit", "1", code=2)
    assert "p.jsonl was made otherwise (different: the first 3 questions); give" in terminal.err
    assert (out.read_bytes(), run_file(out).read_bytes()) == (whole, before), "scores of all lines"
    other = squad(tmp_path / "other.json", question="Who painted it?")
    terminal.refuses("(different: file, sha256)", "evaluate", other, *flags)


def test_standard_input_is_a_file_that_is_read_once(silent, out, monkeypatch, terminal):
    for text, said in ((silent.read_bytes(), '"total": 4'), (b"", "standard input holds no quest")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text), encoding="cp1252"))
        terminal.read("evaluate", "-", "--out", out, "--json", code=0 if text else 2)
        assert said in terminal.out + terminal.err
    about = json.loads(run_file(out).read_text())
    assert about["sha256"] == hashlib.sha256(silent.read_bytes()).hexdigest()


def test_lines_of_a_stopped_run_are_called_so(silent, out, tmp_path, terminal):
    terminal.read("evaluate", silent, "--out", out)
    about = json.loads(run_file(out).read_text())
    del about["scores"]
    run_file(out).write_text(json.dumps(about))
    lines(out, read_lines(out).rows[:1])
    for command, code in (("report", 0), ("calibrate", 2)):
        terminal.run(command, out, "--out", tmp_path / command, code=code)
        assert "p.jsonl is of a run that was stopped: it holds the first 1 line\n" in terminal.err
    assert "A run was stopped before its end" in said(tmp_path / "report")


def test_a_part_of_a_file_and_the_rules_are_named(dev, silent, terminal):
    out = terminal.read("evaluate", silent, "--limit", "2")
    assert "2 of 4 questions, the first\n" in terminal.err and "SQuAD 2.0" in out
    assert "by the rules of SQuAD 2.0: 1 of 4 questions have no answer\n" in terminal.err
    terminal.read("evaluate", silent, "--sample", "3", "--seed", "1")
    assert "3 of 4 questions, drawn by seed 1\n" in terminal.err
    assert "SQuAD 1.1" in terminal.read("evaluate", dev)
    assert "by the rules of SQuAD 1.1: every question has an answer\n" in terminal.err


def test_a_report_is_made_from_lines_at_any_threshold(tmp_path, silent, out, terminal):
    page = tmp_path / "r.html"
    terminal.read("evaluate", silent, "--out", out)
    terminal.run("report", out, "--out", page)
    first = page.read_text()
    terminal.run("report", out, "--out", page, "--threshold", "-50")
    assert page.read_text() != first and "threshold as given: −50" in said(page)
    second = tmp_path / "b.jsonl"
    terminal.folder = kit.save(tmp_path / "other", "electra", threshold=1.0)
    terminal.read("evaluate", silent, "--out", second, "--max-answer-length", "3")
    terminal.run("report", out, "--against", second, "--out", page, "--threshold", "9")
    assert "tiny against other" in said(page) and "as given and as run: 9.00 and" in said(page)
    assert "max_answer_length is 30 in the first run and 3 in the second" in said(page)
    about = json.loads(run_file(out).read_text())
    for change in ({"options": {"rule": "product"}}, {"rules": "1.1"}):
        lines(run_file(out), [about | change])
        terminal.refuses("threshold changes nothing by the", "report", out, "--threshold", "2")
    lines(run_file(out), [about])
    for address in ("javascript:alert(1)", "file:///x", "http://[::1"):
        terminal.refuses("page must be an address", "report", out, "--page", address)
    text = out.read_text()
    out.write_text(text + text.replace("bridge", "tower"))  # finding 18
    terminal.refuses("p.jsonl, line 5: the id 'q0' stands before", "report", out)


BEST = {"exact": 1.0, "f1": 1.0, "because": ""}
DAMAGED = [
    ({"id": ["a"]}, "line 1 is no line of this version's evaluate --out: id: must be a valid str"),
    ({"gold": [{"text": "a", "char_start": 2**53}]}, "gold.0.char_start: must be less than 9,007,"),
    ({"gold": [{"text": None, "char_start": 0}]}, "gold.0.text: must be a valid string, got None"),
    ({"columns": []}, "columns: must be an object, got []"),
    ({"question": "\ud800"}, "question: 'utf-8' codec can't encode character '\\ud800'"),
    ({"score_diff": 1e308}, "score_diff: must be less than or equal to 1,000,000, got 1e+308"),
    ({"score_diff": None}, "--out: score_diff is null where n_best is empty, and there alone"),
    ({"claim": 5}, "claim: must be less than or equal to 1, got 5"),
    ({"probs": [0.5]}, "probs: must have at least 31 items"),
    ({"best": BEST}, "best.kind is missing, got the fields 'exact'"),
    ({"best": BEST | {"kind": "x"}}, "best.kind: must be 'right', 'border', 'elsewhere', "),
]
OF_A_RUN = [
    ({"threshold": "x"}, "p.run.json, which says how p.jsonl was made: threshold: must be a valid"),
    ({"threshold": -1e300}, "threshold: must be greater than or equal to -1,000,000, got -1e+300"),
    ({"rules": 2}, "rules: must be '1.1' or '2.0', got 2"),
    ({"options": None}, "options: must be an object, got None"),
    ({"options": {"rule": "\ud800"}}, "options.rule.int: must be a valid integer, got '\\ud800'"),
]


def test_what_is_no_line_is_told_the_field(silent, out, tmp_path, terminal):
    """Lines may be made by hand, for a reader that is none of ours."""
    terminal.read("evaluate", silent, "--out", out)
    rows, about = read_lines(out).rows, json.loads(run_file(out).read_text())
    for command in ("report", "calibrate"):
        for change, wrong in DAMAGED:
            lines(out, [rows[0] | change, *rows[1:]])
            terminal.refuses(wrong, command, out, "--out", tmp_path / "o")
        lines(out, rows)
        for change, wrong in OF_A_RUN:
            run_file(out).write_text(json.dumps(about | change))
            terminal.refuses(wrong, command, out, "--out", tmp_path / "o")
        run_file(out).write_text(json.dumps(about))


def test_gates_end_with_code_1(dev, out, tmp_path, terminal):
    thirds = squad(tmp_path / "thirds.json", unanswerable=True, answers=[])
    for limit, code in ((66.67, 0), (66.68, 1)):  # as it is printed: two of three
        silent = ["--null-score-diff-threshold", "-1000", "--fail-under", f"f1={limit}"]
        terminal.read("evaluate --sample 3 --seed 2", thirds, *silent, code=code)
    assert "f1 is 66.67, below 66.68\n" in terminal.err
    terminal.read("evaluate", dev, "--fail-under", "f1=0", "--fail-under", "exact=100", code=1)
    terminal.read("evaluate", dev, "--out", out)
    terminal.read("evaluate", dev, "--not-worse-than", out)
    assert "F1 +0.00 points against tiny on 3 questions" in terminal.err
    rows = read_lines(out).rows
    better = lines(out, [row | {"f1": 1.0, "exact": 1.0} for row in rows])
    terminal.read("evaluate", dev, "--not-worse-than", better, code=1)
    assert "F1 is worse than that of p.jsonl" in terminal.err
    for change in ({"context": "Another."}, {"gold": []}):
        others = lines(out, [row | change for row in rows])
        terminal.read("evaluate", dev, "--not-worse-than", others, code=2)
        assert "this run and p.jsonl (--not-worse-than) share no question" in terminal.err
        assert "n 1 of" not in terminal.err, "before an hour is spent"
    lines(out, rows)
    terminal.read("evaluate", dev, "--not-worse-than", better, "--by", "100")


def test_the_block_of_a_model_card(dev, tmp_path, terminal):
    out = terminal.read("evaluate", dev, "--eval-results", tmp_path / "card.yaml")
    printed = dict(line.split(maxsplit=1) for line in out.splitlines())
    (entry,) = yaml.safe_load((tmp_path / "card.yaml").read_text())["model-index"]
    (found,) = entry["results"]
    assert entry["name"] == printed["reader"] and found["task"]["type"] == "question-answering"
    assert found["dataset"]["name"] == "dev.json"
    terminal.read("evaluate", dev, "--eval-results", tmp_path / "part.yaml", "--limit", "2")
    assert "name: dev.json (2 of 3 questions)\n" in (tmp_path / "part.yaml").read_text()
    wanted = {"exact_match": float(printed["exact"]), "f1": float(printed["f1"])}
    assert {one["type"]: one["value"] for one in found["metrics"]} == pytest.approx(wanted)


def test_what_is_odd_about_a_file_is_said_before_the_run(tmp_path, terminal):
    path = tmp_path / "t.csv"
    path.write_text(f'question,context,answer\n"{kit.QUESTION}","{kit.CONTEXT}",Nobody\n')
    assert terminal.data("evaluate", path)["total"] == 1
    said = "(?s)t.csv: 1 question .first: '1'.: no gold answer stands in the para.*question 1 of 1"
    assert re.search(said, terminal.err)
