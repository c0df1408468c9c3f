"""calibrate fits what core fits, and another reader's weights refuse its file."""

import json
from pathlib import Path

import pytest

from qa_demo.core.measuring.temperature import RANGE
from qa_demo.core.predict import predict
from qa_demo.core.types import Answerability, Calibration
from qa_demo.model.heads import with_fit
from qa_demo.model.reader import BertReader
from tests.cli.terminal import OPTIONS, SMALL, TEXTS, Terminal, lines
from tests.model import kit

pytestmark = pytest.mark.model
CONTEXT = kit.CONTEXT[: len(kit.CONTEXT) // 3]
"""Read in a third of the time."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kit.save(tmp_path_factory.mktemp("calibrate") / "tiny", "bert")


@pytest.fixture(scope="module")
def questions(reader: BertReader, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen questions of eight articles: half right; four more have no answer."""
    rows = []
    for k in range(20):
        question = f"Who designed bridge {k}?"
        best = predict(reader.read(question, CONTEXT, OPTIONS)).best
        assert best is not None
        text = [best.candidate.text if k % 2 else "opened"] if k < 16 else []
        answers = {"text": text, "answer_start": [-1] * len(text)}
        about = {"title": f"t{k // 2}", "question": question, "context": CONTEXT}
        rows.append(about | {"answers": answers})
    return lines(tmp_path_factory.mktemp("questions") / "dev.jsonl", rows)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "fit.json"


def test_what_is_fitted_goes_with_the_reader(
    reader: BertReader, questions: Path, out: Path, terminal: Terminal
) -> None:
    result = terminal.data("calibrate", questions, "--out", out)
    assert result == json.loads(out.read_text())
    assert result["reliability"]["measured_on"] == 16 and result["reader"] == "tiny"
    assert RANGE[0] <= result["calibration"]["span"]["temperature"] <= RANGE[1]
    fitted = with_fit(reader, out)
    assert fitted.threshold == result["threshold"] == result["at_threshold"]["threshold"]
    assert fitted.calibrations.span == Calibration(**result["calibration"]["span"])
    assert reader.threshold is None and reader.calibrations is None
    answer = terminal.asked("answer", "--calibration", out)
    assert (answer["answer"] is None) == (answer["score_diff"] > result["threshold"])
    scored = terminal.data("evaluate", questions, "--calibration", out)
    assert "no threshold is stored" not in terminal.err
    assert scored["rules"] == "SQuAD 2.0" and scored["NoAns_total"] == 4


def test_lines_for_a_person_and_a_file_without_unanswerable_questions(
    questions: Path, out: Path, terminal: Terminal
) -> None:
    said = terminal.read("calibrate", questions, "--out", out)
    assert "fitted on 16 questions" in said and "answering or not is right for" in said
    assert "how likely a text answers at all is not fitted: " in said
    said = terminal.read("calibrate", questions, "--out", out, "--limit", "16")
    assert "no threshold: every question" in said
    assert json.loads(out.read_text())["threshold"] is None


def test_a_file_of_one_article_is_split_by_paragraphs(
    questions: Path, tmp_path: Path, out: Path, terminal: Terminal
) -> None:
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    for k, row in enumerate(rows):
        row |= {"title": "one", "context": row["context"] + " " * (k // 2)}
    one = lines(tmp_path / "one.jsonl", rows)
    halves = terminal.data("calibrate", one, "--out", out)["reliability"]["halves"]
    assert [half["fitted_on"] for half in halves] == [8, 8]


def test_a_file_with_silent_texts_in_all_articles_fits_whether_there_is_an_answer(
    reader: BertReader, tmp_path: Path, out: Path, terminal: Terminal
) -> None:
    asked = []
    for k in range(32):
        question = f"Who designed bridge {k} of {k * k}?"
        found = predict(reader.read(question, CONTEXT, OPTIONS))
        assert found.best is not None and found.score_diff is not None
        asked.append((-found.score_diff, question, found.best.candidate.text))
    rows = []
    for rank, (_, question, text) in enumerate(sorted(asked)):
        # a larger lead mostly goes with an answer; two in each half of the ranks do not
        silent = (rank < 16) != (rank % 16 in (7, 8))
        marked = [] if silent else [text if rank % 8 < 5 else "opened"]
        answers = {"text": marked, "answer_start": [-1] * len(marked)}
        about = {"title": f"t{rank % 2}", "question": question, "context": CONTEXT}
        rows.append(about | {"answers": answers})
    result = terminal.data("calibrate", lines(tmp_path / "both.jsonl", rows), "--out", out)
    assert (result["claim"]["measured_on"], result["claim"]["unanswerable"]) == (32, 16)
    fitted = with_fit(reader, out)
    assert fitted.calibrations.answerable == Answerability(**result["calibration"]["answerable"])
    answer = terminal.asked("answer", "--calibration", out)
    assert answer["claim"] == answer["answerable"] * answer["right_if_answerable"] > 0
    said = terminal.ask("answer", "--calibration", out)
    assert "likely to be exactly right: the text answers with" in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is no file that calibrate wrote"),
        ("[]", "must be an object"),
        ("{}", "is no file that calibrate wrote: it names no weights"),
        ('{"weights": "other", "reader": "R"}', "was fitted for other weights, those of the"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    text: str, reason: str, out: Path, folder: Path, terminal: Terminal
) -> None:
    out.write_text(text)
    terminal.refuses(reason, "answer", *TEXTS, "--calibration", out, "--reader", folder, *SMALL)


def test_the_objective_stands_in_output_and_file(
    questions: Path, out: Path, terminal: Terminal
) -> None:
    values: dict[str, float] = {}
    for name, more in (
        ("answer-or-not", ["--most-lost", "100"]),
        ("f1", []),
        ("exact", []),
        ("cost", ["--costs", "1", "0", "5"]),
    ):
        said = terminal.read("calibrate", questions, "--out", out, "--objective", name, *more)
        found = json.loads(out.read_text())["objective"]
        assert found["name"] == name and f"chosen so that {found['meaning']}: " in said
        values[name] = found["value"]
        f1 = json.loads(out.read_text())["f1_of_all"]
        assert f"its highest, {f1['highest']:.1f}, is at threshold {f1['highest_at']:.3f}" in said
        values["highest"] = max(values.get("highest", 0), f1["at_threshold"])
        if name in ("f1", "exact"):
            scored = terminal.data("evaluate", questions, "--calibration", out)
            assert scored[name] == pytest.approx(values[name])
    assert values.pop("highest") == values["f1"]  # the other thresholds are no better by F1
    assert found["costs"] == {"withheld": 1, "wrong": 0, "unanswerable": 5}


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ("--objective cost", "--objective cost needs --costs WITHHELD WRONG UNANSWERABLE"),
        ("--costs 1 1 1", "--costs belongs to --objective cost, and the objective is"),
        ("--objective f1 --most-lost 2", "--most-lost belongs to --objective answer-or"),
        ("--most-lost 101", "most_lost must be points from 0 to 100, got 101"),
        ("--objective cost --costs 0 0 0", "one of them above 0"),
        ("--objective f1 --limit 16", "dev.jsonl holds none"),
        ("--limit 1", "a calibration needs right and wrong answers"),
        ("--out no/f.json", "f.json cannot be written"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    flags: str, reason: str, folder: Path, questions: Path, out: Path, terminal: Terminal
) -> None:
    where = ["--reader", folder, "--out", out, *SMALL]
    terminal.refuses(reason, "calibrate", questions, *where, *flags.split())
