"""calibrate fits what core fits, and another reader's weights refuse its file."""

import json
from copy import copy
from pathlib import Path

import pytest

from qa_demo.cli.main import main
from qa_demo.core.calibration import RANGE
from qa_demo.core.predict import predict
from qa_demo.core.types import Calibration
from qa_demo.evaluation.lines import run_file
from qa_demo.model.card import with_fit
from tests.cli.terminal import OPTIONS, SMALL, TEXTS, lines
from tests.model import kit

pytestmark = pytest.mark.model
CONTEXT = kit.CONTEXT[: len(kit.CONTEXT) // 3]  # read in a third of the time


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return kit.save(tmp_path_factory.mktemp("calibrate") / "tiny", "bert")


@pytest.fixture(scope="module")
def questions(reader, tmp_path_factory) -> Path:
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


@pytest.fixture(scope="module")
def said(folder, questions) -> Path:
    """The lines of the reader on those questions."""
    out = questions.parent / "said.jsonl"
    asked = ["evaluate", str(questions), "--reader", str(folder), "--out", str(out), *SMALL]
    assert main(asked) == 0
    return out


def test_what_is_fitted_from_lines_goes_with_the_reader(reader, questions, said, out, terminal):
    words = terminal.run("calibrate", said, "--out", out)
    result = json.loads(out.read_text())
    assert result["reliability"]["measured_on"] == 16 and result["reader"] == "tiny"
    assert RANGE[0] <= result["calibration"]["span"]["temperature"] <= RANGE[1]
    fitted = with_fit(reader, out)
    assert fitted.threshold == result["threshold"] == result["at_threshold"]["threshold"]
    assert fitted.calibrations.span == Calibration(**result["calibration"]["span"])
    assert reader.threshold is None and reader.calibrations is None
    answer = terminal.asked("answer", "--calibration", out)
    assert (answer["answer"] is None) == (answer["prediction"]["score_diff"] > result["threshold"])
    asked = ["evaluate", questions, "--calibration", out, "--out", out.with_name("l.jsonl")]
    scored = terminal.data(*asked)
    assert "no threshold is stored" not in terminal.err
    assert scored["rules"] == "SQuAD 2.0" and scored["NoAns_total"] == 4
    result["calibration"]["span"]["bias"] += 0.1  # in a file of the same name
    out.write_text(json.dumps(result))
    terminal.read(*asked, code=2)
    assert "l.jsonl was made otherwise (different: calibration)" in terminal.err
    assert "fitted on 16 questions" in words
    chosen = f"threshold {result['threshold']:.3f}: answering or not is the right choice most often"
    assert chosen in words, "finding 27: a threshold names its aim"
    assert "whether a text answers at all is not fitted: " in words


def test_without_unanswerable_questions_there_is_no_threshold(reader, said, out, terminal):
    rows = [json.loads(line) for line in said.read_text().splitlines()][:16]
    few = lines(out.with_name("few.jsonl"), rows)
    run_file(few).write_bytes(run_file(said).read_bytes())
    assert "no threshold: not both" in terminal.run("calibrate", few, "--out", out)
    assert json.loads(out.read_text())["threshold"] is None
    own = copy(reader)
    own.threshold = 2.5
    assert with_fit(own, out).threshold == 2.5, "its own stays"
    for row in rows:  # whose questions are alike, also those of other paragraphs
        row |= {"title": "one", "context": row["question"]}
    lines(few, rows)
    terminal.refuses("take a file of more articles", "calibrate", few, "--out", out)
    lines(few, [row | {"title": ""} for row in rows])  # which names no articles
    terminal.run("calibrate", few, "--out", out)
    assert json.loads(out.read_text())["reliability"]["measured_on"] == 16
    about = json.loads(run_file(said).read_text())
    lines(run_file(few), [about | {"options": {"rule": "product"}}])
    terminal.refuses("was made under the merge rule product; ", "calibrate", few, "--out", out)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is no file that calibrate wrote"),
        ("[]", "p.jsonl: must be an object, got []"),
        ("{}", "was not fitted by calibrate for the weights of the reader in use"),
        ("run", "is no file that calibrate wrote"),  # what stands beside lines names weights too
    ],
)
def test_a_file_that_does_not_fit_is_refused(text, reason, said, out, folder, terminal):
    out.write_text(run_file(said).read_text() if text == "run" else text)
    terminal.refuses(reason, "answer", *TEXTS, "--calibration", out, "--reader", folder, *SMALL)
