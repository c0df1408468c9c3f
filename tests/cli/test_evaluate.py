"""evaluate --out and report: lines, going on, two readers, layouts, hostile text."""

import gzip
import json
import sys
import types
from pathlib import Path

import pytest

from qa_demo.cli.predictions import beside, read_lines, run_file
from qa_demo.core.attribution import Target
from qa_demo.core.predict import predict
from qa_demo.model.reader import BertReader
from tests.cli.terminal import OPTIONS, SMALL, Terminal, lines, squad
from tests.model import kit
from tests.reports import data_of

pytestmark = pytest.mark.model
SHORT = ["--max-answer-length", "3"]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "p.jsonl"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "r.html"


def test_every_question_is_a_line_that_says_what_read_says(
    reader: BertReader, silent: Path, out: Path, terminal: Terminal
) -> None:
    result = terminal.data("evaluate", silent, "--out", out)
    rows = read_lines(out)
    assert [row["id"] for row in rows] == ["q0", "q1", "q2", "q9"]
    for row in rows:
        reading = reader.read(row["question"], kit.CONTEXT, OPTIONS)
        prediction = predict(reading)
        assert row["null_score"] == pytest.approx(prediction.null_score)
        assert row["n_best"][0]["text"] == prediction.best.candidate.text
        assert row["n_best"][0]["score"] == pytest.approx(prediction.best.candidate.score)
        assert row["windows"] == len(reading.windows) and row["limit"] == 100.0
        assert (row["kind"] == "right") == (row["exact"] == 1)
    assert result["exact"] == pytest.approx(100 * sum(row["exact"] for row in rows) / 4)
    assert result["f1"] == pytest.approx(100 * sum(row["f1"] for row in rows) / 4)
    about = json.loads(run_file(out).read_text())
    assert (about["rules"], about["reader"], about["threshold"]) == ("2.0", "tiny", 100.0)
    assert about["scores"]["total"] == 4 and about["options"]["max_seq_length"] == 40


def test_a_stopped_run_goes_on_and_ends_as_one_that_was_not_stopped(
    folder: Path, dev: Path, out: Path, tmp_path: Path, terminal: Terminal
) -> None:
    terminal.read("evaluate", dev, "--out", out)
    whole = out.read_bytes()
    first, second, _ = whole.splitlines(keepends=True)
    out.write_bytes(first + second[:40])  # stopped in the middle of a line
    assert terminal.data("evaluate", dev, "--out", out)["total"] == 3
    assert out.read_bytes() == whole and "p.jsonl holds 1 of 3 questions" in terminal.err
    flags = ["--reader", folder, "--out", out, *SMALL]
    otherwise = "was made otherwise (different: options)"
    terminal.refuses(otherwise, "evaluate", dev, *flags, "--n-best-size", "3")
    other = squad(tmp_path / "other.json", question="Who painted it?")
    terminal.refuses("(different: name of the file, questions)", "evaluate", other, *flags)


def test_a_limit_can_be_raised_later(silent: Path, out: Path, terminal: Terminal) -> None:
    terminal.read("evaluate", silent, "--out", out, "--limit", "2")
    terminal.read("evaluate", silent, "--out", out)
    assert [row["id"] for row in read_lines(out)] == ["q0", "q1", "q2", "q9"]


def test_a_question_that_is_refused_is_a_line_too(
    tmp_path: Path, out: Path, terminal: Terminal
) -> None:
    long = squad(tmp_path / "dev.json", question="bridge " * 40)
    terminal.read("evaluate", long, "--out", out, "--max-query-length", "30")
    first = read_lines(out)[0]
    assert (first["kind"], first["answer"], first["n_best"]) == ("not read", None, [])
    assert "question q0 counts as unanswered: the question has 40" in terminal.err


def test_without_a_stored_threshold_0_is_taken_and_said(
    tmp_path: Path, dev: Path, silent: Path, out: Path, terminal: Terminal
) -> None:
    terminal.read("evaluate --head bio", silent)
    assert "no threshold is stored for the tags, so every question is answered" in terminal.err
    terminal.folder = kit.save(tmp_path / "plain", "bert")
    terminal.read("evaluate", silent, "--out", out)
    assert "no threshold is stored with the reader plain" in terminal.err
    for row in read_lines(out):
        assert row["limit"] == 0.0 and (row["answer"] is None) == (row["score_diff"] > 0)
    terminal.read("evaluate", dev)
    assert "no threshold" not in terminal.err


def test_two_readers_and_their_report(
    tmp_path: Path, out: Path, page: Path, terminal: Terminal
) -> None:
    other = kit.save(tmp_path / "other", "electra")
    dev = squad(tmp_path / "dev.json", question="Who </script><b>designed</b> \u2028it?")
    terminal.read("evaluate", dev, "--out", out, "--against", other, "--report", page)
    second = beside(out, "against")
    assert terminal.out.count("rules ") == 2 and second.exists()
    html = page.read_text(encoding="utf-8")
    data = data_of(html)
    assert data["rows"][0]["question"].startswith("Who </script><b>designed")
    assert (data["run"]["reader"], data["other"]["reader"]) == ("tiny", "other")
    assert "</script><b>" not in html and "http-equiv" in html.split("<script")[0]
    assert len(html) < 200_000 and "Plotly" not in html
    again = tmp_path / "again.html"
    terminal.run("report", out, "--against", second, "--out", again)
    assert again.read_text(encoding="utf-8") == html
    terminal.refuses("--page must be", "report", out, "--page", "javascript:alert(1)")


def test_parquet_is_read_where_pyarrow_is_and_named_where_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    path = tmp_path / "data.Parquet.GZ"
    path.write_bytes(gzip.compress(b"PAR1"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    terminal.refuses("needs the package pyarrow", "evaluate", path)
    answers = {"text": ["1998"], "answer_start": [kit.CONTEXT.index("1998")]}
    row = {"id": "x", "question": "When?", "context": kit.CONTEXT, "answers": answers}
    tables = {b"PAR1": types.SimpleNamespace(to_pylist=lambda: [row])}
    parquet = types.SimpleNamespace(read_table=lambda file: tables[file.read()])
    monkeypatch.setitem(sys.modules, "pyarrow", types.SimpleNamespace(parquet=parquet))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    assert terminal.data("evaluate", path)["total"] == 1


def test_what_is_odd_about_a_file_is_said_before_the_run(
    tmp_path: Path, terminal: Terminal
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f'question,context,answer\n"{kit.QUESTION}","{kit.CONTEXT}",Nobody\n,,\n')
    assert terminal.data("evaluate", path)["total"] == 1
    said = terminal.err
    assert "t.csv: 1 question (first: '1'): no gold answer stands in the paragraph" in said
    assert "t.csv: 1 row is empty and left out (first: row 2)" in said
    assert said.index("1 row is empty") < said.index("question 1 of 1")


def test_explained_lines_hold_what_attribute_says(
    reader: BertReader, dev: Path, out: Path, page: Path, terminal: Terminal
) -> None:
    flags = ("--attribute", "leave_one_out", "--kinds", "wrong", "--limit", "2")
    terminal.read("evaluate", dev, "--out", out, *flags, "--report", page)
    rows = read_lines(out)
    assert any("attribution" in row for row in rows)
    for row in rows:
        assert ("attribution" in row) == (row["kind"] != "right")
        if "attribution" not in row:
            continue
        reading = reader.read(row["question"], row["context"], OPTIONS)
        best = predict(reading).best.candidate
        found = reader.attribute(
            reading, Target("span_score", best.span, window=best.window), "leave_one_out"
        )
        said = row["attribution"]
        assert said["sum"] == pytest.approx(found.sum, abs=1e-4)
        kept = [value for value in said["parts"].values() if value is not None]
        assert sum(kept) == pytest.approx(said["sum"], abs=1e-4)
    assert data_of(page)["attributed"][0]["method"] == "leave one out"


def test_each_reader_has_its_own_fit_and_a_name_of_its_own(
    reader: BertReader, silent: Path, tmp_path: Path, out: Path, page: Path, terminal: Terminal
) -> None:
    fit = tmp_path / "fit.json"
    fit.write_text(json.dumps({"weights": reader.checksum, "reader": "tiny", "threshold": -7.5}))
    more = ["--against", terminal.folder, "--against-calibration", fit, "--report", page]
    terminal.read("evaluate", silent, "--out", out, *more)
    about = [json.loads(run_file(one).read_text()) for one in (out, beside(out, "against"))]
    assert [one["threshold"] for one in about] == [100.0, -7.5]
    assert [one["threshold_from"] for one in about] == ["stored with the reader", "fit.json"]
    data = data_of(page)
    assert data["names"] == ["tiny (A)", "tiny (B)"]
    assert [one["name"] for one in data["pair"]["under"]] == ["own", "zero", "best"]
    assert data["pair"]["under"][0]["limits"] == [100.0, -7.5]


def test_files_made_under_other_options_are_refused(
    silent: Path, tmp_path: Path, page: Path, terminal: Terminal
) -> None:
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    terminal.read("evaluate", silent, "--out", a)
    terminal.read("evaluate", silent, "--out", b, *SHORT)
    compare = ["report", a, "--against", b, "--out", page]
    terminal.refuses("under other settings (max_answer_length: 30 and 3)", *compare)
    assert not page.exists()
    terminal.run(*compare, "--allow-different")
    assert page.exists()
    terminal.read("evaluate", silent, "--out", tmp_path / "c.jsonl", "--limit", "2", *SHORT)
    terminal.refuses("4 and 2 that are not the same", *compare[:3], tmp_path / "c.jsonl")
    terminal.refuses("belongs to a second file", "report", a, "--allow-different")


def test_the_rules_are_said_with_their_reason_and_can_be_chosen(
    dev: Path, silent: Path, terminal: Terminal
) -> None:
    for path, flags, rules, why in (
        (silent, (), "2.0", "1 of 4 questions have no answer"),
        (dev, (), "1.1", "every question has an answer"),
        (dev, ("--rules", "squad2"), "2.0", "as --rules says"),
        (dev, ("--rules", "squad1"), "1.1", "as --rules says"),
    ):
        assert terminal.data("evaluate", path, *flags)["rules"] == f"SQuAD {rules}"
        assert f"scored by the rules of SQuAD {rules}: {why}\n" in terminal.err
    # of 2.0 a reader that never answers is wrong everywhere, of 1.1 its best spans count
    flags = ("--rules", "squad2", "--null-score-diff-threshold=-100")
    withheld = terminal.data("evaluate", dev, *flags)
    assert withheld["exact"] == 0 and withheld["HasAns_total"] == 3


def test_spacys_types_are_a_slice_where_its_model_is_installed(
    silent: Path, out: Path, page: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    """A stand-in with spaCy's own attributes; the real model was run by hand."""
    terminal.read("evaluate", silent, "--out", out)
    monkeypatch.setitem(sys.modules, "en_core_web_sm", None)
    terminal.run("report", out, "--out", page)
    titles = [one["title"] for one in data_of(page)["groups"]]
    assert "Looks of the right answer" in titles and "Type of the right answer" not in titles
    at = kit.CONTEXT.index("1998")
    year = types.SimpleNamespace(start_char=at, end_char=at + 4, label_="DATE")
    seen = types.SimpleNamespace(ents=[year])
    meta = {"version": "3.8.0"}
    model = types.SimpleNamespace(pipe=lambda texts: [seen for _ in texts], meta=meta)
    stand_in = types.SimpleNamespace(load=lambda exclude: model)
    monkeypatch.setitem(sys.modules, "en_core_web_sm", stand_in)
    terminal.run("report", out, "--out", page)
    (found,) = (g for g in data_of(page)["groups"] if g["title"] == "Type of the right answer")
    golds = [[(g["char_start"], g["text"]) for g in row["gold"]] for row in read_lines(out)]
    dates = sum(bool(g) and g[0][0] < at + 4 and at < g[0][0] + len(g[0][1]) for g in golds)
    counts = {one["name"]: one["count"] for one in found["rows"]}
    said = {"DATE": dates, "no entity": sum(map(bool, golds)) - dates}
    assert counts == {name: count for name, count in said.items() if count} and dates
    assert "en_core_web_sm 3.8.0" in found["says"]


def test_a_long_text_is_never_read_in_silence(
    tmp_path: Path, out: Path, terminal: Terminal
) -> None:
    texts = {"short": kit.CONTEXT, "long\n": f"{kit.CONTEXT} " * 10}
    asked = {"question": "Who?", "answers": []}
    rows = [asked | {"id": name, "context": text} for name, text in texts.items()]
    path = lines(tmp_path / "rows.jsonl", rows)
    for more in ((), ("--out", out)):
        terminal.read("evaluate", path, *more)
        said = [line for line in terminal.err.splitlines() if ": window " in line]
        assert len(said) == 10
        assert all(line.startswith(r"question long\n: window ") for line in said)
        done = [int(line.split()[3].replace(",", "")) for line in said]
        assert done == sorted(done) and said[-1].split()[3] == said[-1].split()[5]
