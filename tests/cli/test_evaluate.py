"""evaluate --out and report: lines, going on, two readers, layouts, hostile text."""

import json
import sys
import types
from pathlib import Path

import pytest

from qa_demo.cli.main import main
from qa_demo.cli.predictions import beside, read_lines, run_file
from qa_demo.core.explaining.attribution import Target
from qa_demo.core.reading.predict import predict
from qa_demo.model.loading import load_reader
from tests.cli.test_main import OPTIONS, SMALL, assert_fails, squad
from tests.model import kit
from tests.reports import data_of

pytestmark = pytest.mark.model


def run(folder: Path, path: Path, *more: str, code: int = 0) -> None:
    flags = ["evaluate", str(path), "--reader", str(folder), *SMALL, *more]
    assert main(flags) == code


def test_every_question_is_a_line_that_says_what_read_says(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "predictions.jsonl"
    run(folder, squad(tmp_path / "dev.json", unanswerable=True), "--out", str(out), "--json")
    result = json.loads(capsys.readouterr().out)
    rows, reader = read_lines(out), load_reader(str(folder))
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
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev, out = squad(tmp_path / "dev.json"), tmp_path / "p.jsonl"
    run(folder, dev, "--out", str(out))
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(lines[0] + lines[1][:40])  # stopped in the middle of a line
    capsys.readouterr()
    run(folder, dev, "--out", str(out), "--json")
    streams = capsys.readouterr()
    assert out.read_bytes() == whole and "p.jsonl holds 1 of 3 questions" in streams.err
    assert json.loads(streams.out)["total"] == 3
    flags = ["evaluate", str(dev), "--reader", str(folder), "--out", str(out), *SMALL]
    assert_fails(capsys, [*flags, "--n-best-size", "3"], "was made otherwise (different: options)")
    other = squad(tmp_path / "other.json", question="Who painted it?")
    flags[1] = str(other)
    assert_fails(capsys, flags, "(different: name of the file, questions)")


def test_a_limit_can_be_raised_later(folder: Path, tmp_path: Path) -> None:
    dev, out = squad(tmp_path / "dev.json", unanswerable=True), tmp_path / "p.jsonl"
    run(folder, dev, "--out", str(out), "--limit", "2")
    run(folder, dev, "--out", str(out))
    assert [row["id"] for row in read_lines(out)] == ["q0", "q1", "q2", "q9"]


def test_a_question_that_is_refused_is_a_line_too(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev, out = squad(tmp_path / "dev.json", question="bridge " * 40), tmp_path / "p.jsonl"
    run(folder, dev, "--out", str(out), "--max-query-length", "30")
    first = read_lines(out)[0]
    assert (first["kind"], first["answer"], first["n_best"]) == ("not read", None, [])
    assert "question q0 counts as unanswered: the question has 40" in capsys.readouterr().err


def test_without_a_stored_threshold_0_is_taken_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, out = kit.save(tmp_path / "plain", "bert"), tmp_path / "p.jsonl"
    run(plain, squad(tmp_path / "dev.json", unanswerable=True), "--out", str(out))
    assert "no threshold is stored with the reader plain" in capsys.readouterr().err
    for row in read_lines(out):
        assert row["limit"] == 0.0 and (row["answer"] is None) == (row["score_diff"] > 0)
    run(plain, squad(tmp_path / "dev1.json"))
    assert "no threshold" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--report", "r.html"], "--report belongs to lines of questions; give --out"),
        (["--against", "x"], "--against belongs to lines of questions; give --out"),
        (["--out", "p.jsonl", "--head", "bio"], "--out belongs to the answers of start and end"),
        (["--attribute", "leave_one_out"], "--attribute belongs to lines of questions; give --out"),
        (["--kinds", "wrong"], "--kinds says which questions are explained; give --attribute"),
        (["--out", "p.jsonl", "--attribute", "leave_one_out", "--kinds", "odd"], "got 'odd'"),
        (["--head", "bio", "--scale", "log_odds"], "--scale belongs to the answers of start"),
        (["--head", "bio", "--top-n-grid"], "--top-n-grid belongs to the answers of start"),
        (["--against-calibration", "c.json"], "--against-calibration belongs to a second reader"),
        (["--allow-different"], "--allow-different belongs to a second reader; give --against"),
        (["--page", "http://x.org/"], "--page is where the links of a report lead; give --report"),
        (["--n-best-size", "5"], "--n-best-size is how many spans a line lists; give --out"),
        (["--out", "no/such/folder.jsonl"], "cannot be written"),
    ],
)
def test_options_without_effect_are_refused(
    flags: list[str],
    words: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    dev = squad(tmp_path / "dev.json")
    assert_fails(capsys, ["evaluate", str(dev), "--reader", str(folder), *SMALL, *flags], words)


def test_two_readers_and_their_report(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = kit.save(tmp_path / "other", "electra")
    dev = squad(tmp_path / "dev.json", question="Who </script><b>designed</b> \u2028it?")
    out, page = tmp_path / "p.jsonl", tmp_path / "report.html"
    run(folder, dev, "--out", str(out), "--against", str(other), "--report", str(page))
    streams = capsys.readouterr()
    assert streams.out.count("rules ") == 2 and beside(out, "against").exists()
    html = page.read_text(encoding="utf-8")
    data = data_of(html)
    assert data["rows"][0]["question"].startswith("Who </script><b>designed")
    assert (data["run"]["reader"], data["other"]["reader"]) == ("tiny", "other")
    assert "</script><b>" not in html and "http-equiv" in html.split("<script")[0]
    assert len(html) < 200_000 and "Plotly" not in html
    again = tmp_path / "again.html"
    assert (
        main(["report", str(out), "--against", str(beside(out, "against")), "--out", str(again)])
        == 0
    )
    assert again.read_text(encoding="utf-8") == html
    assert_fails(capsys, ["report", str(out), "--page", "javascript:alert(1)"], "--page must be")
    assert_fails(capsys, ["report", str(tmp_path / "no.jsonl")], "no.jsonl cannot be read")


def test_parquet_is_read_where_pyarrow_is_and_named_where_it_is_not(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert_fails(capsys, ["evaluate", str(path)], "needs the package pyarrow")
    row = {
        "id": "x",
        "question": "When?",
        "context": kit.CONTEXT,
        "answers": {"text": ["1998"], "answer_start": [kit.CONTEXT.index("1998")]},
    }
    table = types.SimpleNamespace(to_pylist=lambda: [row])
    parquet = types.SimpleNamespace(read_table=lambda _: table)
    monkeypatch.setitem(sys.modules, "pyarrow", types.SimpleNamespace(parquet=parquet))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    run(folder, path, "--json")
    assert json.loads(capsys.readouterr().out)["total"] == 1


def test_what_is_odd_about_a_file_is_said_before_the_run(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f'question,context,answer\n"{kit.QUESTION}","{kit.CONTEXT}",Nobody\n,,\n')
    run(folder, path, "--json")
    streams = capsys.readouterr()
    assert json.loads(streams.out)["total"] == 1
    said = streams.err
    assert "t.csv: 1 question (first: '1'): no gold answer stands in the paragraph" in said
    assert "t.csv: 1 row is empty and left out (first: row 2)" in said
    assert said.index("1 row is empty") < said.index("question 1 of 1")


@pytest.mark.parametrize("command", ["evaluate", "calibrate"])
def test_a_file_whose_ids_are_not_unique_ends_the_run(
    command: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev = squad(tmp_path / "dev.json", id="q2")
    flags = [command, str(dev), "--reader", str(folder), "--out", str(tmp_path / "o"), *SMALL]
    assert_fails(capsys, flags, "dev.json: questions 1 and 3 share the id 'q2'")


def test_explained_lines_hold_what_attribute_says(folder: Path, tmp_path: Path) -> None:
    dev, out = squad(tmp_path / "dev.json"), tmp_path / "p.jsonl"
    flags = ("--attribute", "leave_one_out", "--kinds", "wrong", "--limit", "2")
    page = tmp_path / "r.html"
    run(folder, dev, "--out", str(out), *flags, "--report", str(page))
    reader, rows = load_reader(str(folder)), read_lines(out)
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


def test_each_reader_has_its_own_fit_and_a_name_of_its_own(folder: Path, tmp_path: Path) -> None:
    weights = load_reader(str(folder)).checksum
    fit = tmp_path / "fit.json"
    fit.write_text(json.dumps({"weights": weights, "reader": "tiny", "threshold": -7.5}))
    dev, out = squad(tmp_path / "dev.json", unanswerable=True), tmp_path / "p.jsonl"
    page = tmp_path / "r.html"
    more = ["--against", str(folder), "--against-calibration", str(fit), "--report", str(page)]
    run(folder, dev, "--out", str(out), *more)
    about = [json.loads(run_file(one).read_text()) for one in (out, beside(out, "against"))]
    assert [one["threshold"] for one in about] == [100.0, -7.5]
    assert [one["threshold_from"] for one in about] == ["stored with the reader", "fit.json"]
    html = page.read_text(encoding="utf-8")
    data = data_of(html)
    assert data["names"] == ["tiny (A)", "tiny (B)"]
    assert [one["name"] for one in data["pair"]["under"]] == ["own", "zero", "best"]
    assert data["pair"]["under"][0]["limits"] == [100.0, -7.5]


def test_files_made_under_other_options_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev = squad(tmp_path / "dev.json", unanswerable=True)
    a, b, page = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "r.html"
    run(folder, dev, "--out", str(a))
    run(folder, dev, "--out", str(b), "--max-answer-length", "3")
    capsys.readouterr()
    flags = ["report", str(a), "--against", str(b), "--out", str(page)]
    assert_fails(capsys, flags, "under other settings (max_answer_length: 30 and 3)")
    assert not page.exists()
    assert main([*flags, "--allow-different"]) == 0 and page.exists()
    assert_fails(capsys, ["report", str(a), "--allow-different"], "belongs to a second file")


def test_the_rules_are_said_with_their_reason_and_can_be_chosen(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = squad(tmp_path / "two.json", unanswerable=True)
    known = squad(tmp_path / "one.json")
    for path, flags, rules, why in (
        (silent, (), "2.0", "1 of 4 questions have no answer"),
        (known, (), "1.1", "every question has an answer"),
        (known, ("--rules", "squad2"), "2.0", "as --rules says"),
        (known, ("--rules", "squad1"), "1.1", "as --rules says"),
    ):
        run(folder, path, "--json", *flags)
        said = capsys.readouterr()
        assert f"scored by the rules of SQuAD {rules}: {why}\n" in said.err
        assert json.loads(said.out)["rules"] == f"SQuAD {rules}"
    # of 2.0 a reader that never answers is wrong everywhere, of 1.1 its best spans count
    run(folder, known, "--json", "--rules", "squad2", "--null-score-diff-threshold=-100")
    withheld = json.loads(capsys.readouterr().out)
    assert withheld["exact"] == 0 and withheld["HasAns_total"] == 3


@pytest.mark.parametrize(
    ("unanswerable", "flags", "cause"),
    [
        (True, ["--rules", "squad1"], "--rules squad1 knows no question without an answer, and 1"),
        (False, ["--null-score-diff-threshold", "2"], "changes nothing under the rules of SQuAD"),
        (
            False,
            ["--rules", "squad1", "--null-score-diff-threshold", "2"],
            "(as --rules says): the best span always counts",
        ),
    ],
)
def test_rules_that_cannot_count_and_a_threshold_that_would_not_are_refused(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    unanswerable: bool,
    flags: list[str],
    cause: str,
) -> None:
    dev = squad(tmp_path / "dev.json", unanswerable=unanswerable)
    assert_fails(capsys, ["evaluate", str(dev), "--reader", str(folder), *SMALL, *flags], cause)


def test_spacys_types_are_a_slice_where_its_model_is_installed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in with spaCy's own attributes; the real model was run by hand."""
    out, page = tmp_path / "p.jsonl", tmp_path / "r.html"
    run(folder, squad(tmp_path / "dev.json", unanswerable=True), "--out", str(out))
    monkeypatch.setitem(sys.modules, "en_core_web_sm", None)
    assert main(["report", str(out), "--out", str(page)]) == 0
    titles = [one["title"] for one in data_of(page)["groups"]]
    assert "Looks of the right answer" in titles and "Type of the right answer" not in titles
    places = [(kit.CONTEXT.index(word), word) for word in ("1998",)]
    ents = [
        types.SimpleNamespace(start_char=at, end_char=at + len(word), label_="DATE")
        for at, word in places
    ]
    model = types.SimpleNamespace(
        pipe=lambda texts: [types.SimpleNamespace(ents=ents) for _ in texts],
        meta={"version": "3.8.0"},
    )
    stand_in = types.SimpleNamespace(load=lambda exclude: model)
    monkeypatch.setitem(sys.modules, "en_core_web_sm", stand_in)
    assert main(["report", str(out), "--out", str(page)]) == 0
    (found,) = (g for g in data_of(page)["groups"] if g["title"] == "Type of the right answer")
    at, word = places[0]
    golds = [[(g["char_start"], g["text"]) for g in row["gold"]] for row in read_lines(out)]
    dates = sum(bool(g) and g[0][0] < at + len(word) and at < g[0][0] + len(g[0][1]) for g in golds)
    counts = {one["name"]: one["count"] for one in found["rows"]}
    said = {"DATE": dates, "no entity": sum(map(bool, golds)) - dates}
    assert counts == {name: count for name, count in said.items() if count} and dates
    assert "en_core_web_sm 3.8.0" in found["says"]


def test_a_long_text_is_never_read_in_silence(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": name, "question": "Who?", "context": text, "answers": []}
        for name, text in (("short", kit.CONTEXT), ("long\n", f"{kit.CONTEXT} " * 80))
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for more in ((), ("--out", str(tmp_path / "p.jsonl"))):
        run(folder, tmp_path / "rows.jsonl", *more)
        said = [line for line in capsys.readouterr().err.splitlines() if ": window " in line]
        assert len(said) == 10
        assert all(line.startswith(r"question long\n: window ") for line in said)
        done = [int(line.split()[3].replace(",", "")) for line in said]
        assert done == sorted(done) and said[-1].split()[3] == said[-1].split()[5]
