"""calibrate fits what core fits, and another reader's weights refuse its file."""

import json
from pathlib import Path

import pytest

from qa_demo.cli.main import main
from qa_demo.core.measuring.temperature import RANGE
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Answerability, Calibration
from qa_demo.model.heads import with_fit
from qa_demo.model.loading import load_reader
from tests.cli.test_main import OPTIONS, SMALL, assert_fails
from tests.model import kit

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kit.save(tmp_path_factory.mktemp("calibrate") / "tiny", "bert")


@pytest.fixture(scope="module")
def questions(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen questions of eight articles: half right; four more have no answer."""
    reader, rows = load_reader(str(folder)), []
    for k in range(20):
        question = f"Who designed bridge {k}?"
        best = predict(reader.read(question, kit.CONTEXT, OPTIONS)).best
        assert best is not None
        text = [best.candidate.text if k % 2 else "opened"] if k < 16 else []
        answers = {"text": text, "answer_start": [-1] * len(text)}
        about = {"title": f"t{k // 2}", "question": question, "context": kit.CONTEXT}
        rows.append(about | {"answers": answers})
    path = tmp_path_factory.mktemp("questions") / "dev.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def calibrate(folder: Path, questions: Path, out: Path, *more: str) -> list[str]:
    small = [*SMALL, *more]
    return ["calibrate", str(questions), "--reader", str(folder), "--out", str(out), *small]


def test_what_is_fitted_goes_with_the_reader(
    folder: Path, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "fit.json"
    assert main(calibrate(folder, questions, out, "--json")) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads(out.read_text())
    assert result["reliability"]["measured_on"] == 16 and result["reader"] == "tiny"
    assert RANGE[0] <= result["calibration"]["span"]["temperature"] <= RANGE[1]
    plain = load_reader(str(folder))
    fitted = with_fit(plain, out)
    assert fitted.threshold == result["threshold"] == result["at_threshold"]["threshold"]
    assert fitted.calibrations.span == Calibration(**result["calibration"]["span"])
    assert plain.threshold is None and plain.calibrations is None
    flags = ["--reader", str(folder), "--calibration", str(out), *SMALL, "--json"]
    asked = ["answer", "--question", kit.QUESTION, "--context", kit.CONTEXT]
    assert main([*asked, *flags]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["answer"] is None) == (answer["score_diff"] > result["threshold"])
    assert main(["evaluate", str(questions), *flags]) == 0
    streams = capsys.readouterr()
    assert "no threshold is stored" not in streams.err
    scored = json.loads(streams.out)
    assert scored["rules"] == "SQuAD 2.0" and scored["NoAns_total"] == 4


def test_lines_for_a_person_and_a_file_without_unanswerable_questions(
    folder: Path, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(calibrate(folder, questions, tmp_path / "a.json")) == 0
    said = capsys.readouterr().out
    assert "fitted on 16 questions" in said and "answering or not is right for" in said
    assert "how likely a text answers at all is not fitted: " in said
    assert main(calibrate(folder, questions, tmp_path / "b.json", "--limit", "16")) == 0
    assert "no threshold: every question" in capsys.readouterr().out
    assert json.loads((tmp_path / "b.json").read_text())["threshold"] is None


def test_a_file_of_one_article_is_split_by_paragraphs(
    folder: Path, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    for k, row in enumerate(rows):
        row |= {"title": "one", "context": row["context"] + " " * (k // 2)}
    one = tmp_path / "one.jsonl"
    one.write_text("\n".join(map(json.dumps, rows)))
    assert main(calibrate(folder, one, tmp_path / "one.json", "--json")) == 0
    halves = json.loads(capsys.readouterr().out)["reliability"]["halves"]
    assert [half["fitted_on"] for half in halves] == [8, 8]


def test_a_file_with_silent_texts_in_all_articles_fits_whether_there_is_an_answer(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, asked = load_reader(str(folder)), []
    for k in range(32):
        question = f"Who designed bridge {k} of {k * k}?"
        found = predict(reader.read(question, kit.CONTEXT, OPTIONS))
        assert found.best is not None and found.score_diff is not None
        asked.append((-found.score_diff, question, found.best.candidate.text))
    rows = []
    for rank, (_, question, text) in enumerate(sorted(asked)):
        # a larger lead mostly goes with an answer; two in each half of the ranks do not
        silent = (rank < 16) != (rank % 16 in (7, 8))
        marked = [] if silent else [text if rank % 8 < 5 else "opened"]
        answers = {"text": marked, "answer_start": [-1] * len(marked)}
        about = {"title": f"t{rank % 2}", "question": question, "context": kit.CONTEXT}
        rows.append(about | {"answers": answers})
    both, out = tmp_path / "both.jsonl", tmp_path / "fit.json"
    both.write_text("\n".join(map(json.dumps, rows)))
    assert main(calibrate(folder, both, out, "--json")) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["claim"]["measured_on"], result["claim"]["unanswerable"]) == (32, 16)
    fitted = with_fit(load_reader(str(folder)), out)
    assert fitted.calibrations.answerable == Answerability(**result["calibration"]["answerable"])
    flags = ["--reader", str(folder), "--calibration", str(out), *SMALL]
    words = ["answer", "--question", kit.QUESTION, "--context", kit.CONTEXT, *flags]
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["claim"] == answer["answerable"] * answer["right_if_answerable"] > 0
    assert main(words) == 0
    assert "likely to be exactly right: the text answers with" in capsys.readouterr().out


def test_what_cannot_be_used_is_one_sentence(
    folder: Path, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = tmp_path / "none.jsonl"
    none.write_text(json.dumps({"question": "q", "context": "c", "answers": {"text": []}}))
    out = tmp_path / "no" / "f.json"
    assert_fails(capsys, calibrate(folder, none, out), "holds no question with an answer")
    assert_fails(capsys, calibrate(folder, questions, out), "f.json cannot be written")
    right = calibrate(folder, questions, tmp_path / "x.json", "--limit", "1")
    assert_fails(capsys, right, "a calibration needs right and wrong answers")
    for text, words in (
        ("{", "is no file that calibrate wrote"),
        ("[]", "must hold an object"),
        ('{"weights": "other", "reader": "R"}', "was fitted for other weights, those of the"),
    ):
        (tmp_path / "f.json").write_text(text)
        flags = ["--calibration", str(tmp_path / "f.json"), "--reader", str(folder), *SMALL]
        asked = ["answer", "--question", kit.QUESTION, "--context", kit.CONTEXT, *flags]
        assert_fails(capsys, asked, words)


def test_the_objective_stands_in_output_and_file(
    folder: Path, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values, out = {}, tmp_path / "fit.json"
    for name, more in (
        ("answer-or-not", ["--most-lost", "100"]),
        ("f1", []),
        ("exact", []),
        ("cost", ["--costs", "1", "0", "5"]),
    ):
        flags = ["--objective", name, *more]
        assert main(calibrate(folder, questions, out, *flags)) == 0
        said, found = capsys.readouterr().out, json.loads(out.read_text())["objective"]
        assert found["name"] == name and f"chosen so that {found['meaning']}: " in said
        values[name] = found["value"]
        f1 = json.loads(out.read_text())["f1_of_all"]
        assert f"its highest, {f1['highest']:.1f}, is at threshold {f1['highest_at']:.3f}" in said
        values["highest"] = max(values.get("highest", 0), f1["at_threshold"])
    assert values.pop("highest") == values["f1"]  # the other thresholds are no better by F1
    assert found["costs"] == {"withheld": 1, "wrong": 0, "unanswerable": 5}
    scored = ["evaluate", str(questions), "--reader", str(folder), *SMALL, "--json"]
    for name in ("f1", "exact"):
        assert main(calibrate(folder, questions, out, "--objective", name)) == 0
        capsys.readouterr()
        assert main([*scored, "--calibration", str(out)]) == 0
        assert json.loads(capsys.readouterr().out)[name] == pytest.approx(values[name])


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--objective", "cost"], "--objective cost needs --costs WITHHELD WRONG UNANSWERABLE"),
        (["--costs", "1", "1", "1"], "--costs belongs to --objective cost, and the objective is"),
        (["--objective", "f1", "--most-lost", "2"], "--most-lost belongs to --objective answer-or"),
        (["--most-lost", "101"], "most_lost must be points from 0 to 100, got 101"),
        (["--objective", "cost", "--costs", "0", "0", "0"], "one of them above 0"),
        (["--objective", "f1", "--limit", "16"], "dev.jsonl holds none"),
    ],
)
def test_an_objective_without_effect_is_refused(
    flags: list[str],
    words: str,
    folder: Path,
    questions: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert_fails(capsys, calibrate(folder, questions, tmp_path / "x.json", *flags), words)
