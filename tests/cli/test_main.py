"""python -m qa_demo answer | evaluate, mostly in this process; two real processes."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qa_demo.cli.main import PIPE_CLOSED
from qa_demo.cli.shared import visible
from qa_demo.core.base import BadInput
from qa_demo.core.measuring.metrics import f1
from qa_demo.core.predict import predict
from qa_demo.core.tagging import best_span
from qa_demo.core.types import RULES, Answer, DecodeOptions, Example, Reading
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.scoring import Setup, score_reader
from tests.answer_fields import FIELDS
from tests.cli.terminal import ASKED, OPTIONS, SMALL, TEXTS, Terminal, squad
from tests.fakes import FakeReader
from tests.model import kit
from tests.printed import exact


def test_predict_answers_as_the_command_line_does(tmp_path: Path, terminal: Terminal) -> None:
    terminal.folder = kit.save(tmp_path / "strict", "bert", threshold=-100.0)
    reading = load_reader(str(terminal.folder)).read(kit.QUESTION, kit.CONTEXT, OPTIONS)
    prediction = predict(reading)
    assert prediction.best is not None and prediction.score_diff < 0
    assert prediction.answer is None and terminal.asked("answer")["answer"] is None
    free = predict(reading, threshold=0).answer
    assert free == terminal.asked("answer", "--null-score-diff-threshold=0")["answer"] is not None


def test_answer_has_exactly_the_promised_fields(reading: Reading, terminal: Terminal) -> None:
    report = terminal.asked("answer")
    best = predict(reading).best
    assert list(report) == FIELDS and best is not None
    text = kit.CONTEXT[report["char_start"] : report["char_end"]]
    assert report["answer"] == best.candidate.text == text
    added = report["start_logit"] + report["end_logit"]
    assert report["score"] == best.candidate.score == round(added, 9)
    assert report["reader"] == "tiny" and report["question"] == kit.QUESTION
    fields = "text char_start char_end window start_logit end_logit score share"
    assert list(report["n_best"][0]) == fields.split()
    assert report["windows"] == [
        {"index": w.index, "doc_start": w.doc_start, "doc_stop": w.doc_stop, "tokens": len(w)}
        for w in reading.windows
    ]
    assert len(report["windows"]) > 3 and len(report["n_best"]) == 20


def test_options_travel_by_their_field_names(reading: Reading, terminal: Terminal) -> None:
    report = terminal.asked("answer --max-answer-length=1 --n-best-size=3 --rule=product")
    assert len(report["n_best"]) == 3
    offsets = {tuple(pair) for pair in reading.encoding.offset_mapping.tolist()}
    assert all((row["char_start"], row["char_end"]) in offsets for row in report["n_best"])


def test_a_file_is_read_as_it_stands(tmp_path: Path, terminal: Terminal) -> None:
    text = "The bridge\r\nwas designed\rby Åse 🙂.\r\n"
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode("utf-8-sig"))
    report = terminal.data("answer", "--question", "who", "--context-file", path)
    assert report["answer"] == text[report["char_start"] : report["char_end"]]
    assert any("\r\n" in row["text"] for row in report["n_best"])


def test_answer_for_a_person(terminal: Terminal) -> None:
    report = terminal.asked("answer")
    lines = terminal.ask("answer").splitlines()
    assert lines[0] == visible(report["answer"])
    assert f"characters {report['char_start'] + 1} to {report['char_end']}" in lines[1]
    score, sign, start, end = re.search(
        r"score (\S+) ([=~]) start (\S+) \+ end (\S+)", lines[1]
    ).groups()
    assert (exact(start) + exact(end) == exact(score)) == (sign == "=")
    assert len(lines) == 4 + 20 and f"window {len(report['windows'])} of" in terminal.err


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        ("", "above 100.000 an answer is withheld"),
        ("--rule mean_of_maxima", "this rule does not compare them"),
        ("--rule product", "this rule does not compare them"),
    ],
)
def test_no_answer_stands_beside_the_best_span_on_one_scale(
    flags: str, rule: str, terminal: Terminal
) -> None:
    line = terminal.ask(f"answer {flags}").splitlines()[2]
    said = re.fullmatch(
        r"no answer scores (\S+), the best span (\S+), a differ.* (\S+); (.*)", line
    )
    null, best, difference = map(exact, said.groups()[:3])
    assert (null - best, said[4]) == (difference, rule)
    report = terminal.asked(f"answer {flags}")
    assert (report["limit"] is None) == ("compare" in rule)


def test_escape_sequences_stay_visible() -> None:
    assert visible("a\x1b[2Jb\u202ec\ud800é🙂") == "a\\x1b[2Jb\\u202ec\\ud800é🙂"


@pytest.mark.parametrize(
    "change", [{"decode": DecodeOptions(n_best_size=0)}, {"decode": DecodeOptions(rule="sum")}]
)
def test_no_question_is_read_under_options_that_cannot_be_used(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeReader, "read", lambda *a, **k: pytest.fail("a question was read"))
    with pytest.raises(BadInput):
        score_reader(FakeReader(), [Example("a", "Who?", "Anna.", ())], Setup(**change))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("threshold", "null"), [(-100.0, 2.0), (3.0, 8.0), (None, 8.0)])
def test_evaluate_withholds_what_answer_withholds(
    rule: str, threshold: float | None, null: float
) -> None:
    context = "The book was written by Ada Lovelace in London. Charles Babbage read it."
    examples = [
        Example("a", "Who wrote it?", context, (Answer("London", 40),)),
        Example("b", "Who read it?", context, (), True),
    ]
    reader = FakeReader(threshold=threshold, null=null)
    decode = DecodeOptions(null_score_diff_threshold=threshold or 0.0, rule=rule)
    said = [predict(reader.read(e.question, context), decode).answer for e in examples]
    scores, _ = score_reader(reader, examples, Setup(decode=DecodeOptions(rule=rule)))
    assert scores["NoAns_exact"] == 100.0 * (said[1] is None)
    assert scores["HasAns_exact"] == 100.0 * (said[0] == "London")


@pytest.mark.parametrize("head", ["span", "bio"])
def test_evaluate_scores_what_read_reads(
    reader: BertReader, head: str, tmp_path: Path, terminal: Terminal
) -> None:
    result = terminal.data("evaluate", squad(tmp_path / "dev.json.gz"), "--head", head)
    scores = []
    for question, gold in ASKED.items():
        reading = reader.read(question, kit.CONTEXT, OPTIONS)
        best, tagged = predict(reading).best, best_span(reading)
        assert best is not None and tagged is not None
        scores.append(f1(gold, best.candidate.text if head == "span" else tagged.text))
    assert result["f1"] == pytest.approx(100 * sum(scores) / 3) and result["total"] == 3
    scored = {"exact", "f1", "total", "seconds"}
    assert set(result) == {"rules", "questions_in_file", "reader"} | scored
    assert (result["rules"], result["questions_in_file"]) == ("SQuAD 1.1", 3)
    assert "question 3 of 3" in terminal.err


def test_evaluate_with_unanswerables(silent: Path, terminal: Terminal) -> None:
    for flags, share in ((["--null-score-diff-threshold=-1e9"], 100.0), ([], 0.0)):
        result = terminal.data("evaluate", silent, *flags)
        assert result["NoAns_exact"] == share
        assert (result["HasAns_total"], result["NoAns_total"]) == (3, 1)
        best = {"best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh"}
        assert best | {"seconds"} <= set(result)
    out = terminal.read("evaluate", silent, "--limit", "2")
    assert out.split("\ntotal")[1].split()[0] == "2"
    assert "rules              SQuAD 2.0\n" in out, "a limit must not change the rules"


def process(*arguments: str, stdout: Any = subprocess.PIPE) -> tuple[int, str, str]:
    """The exit code of another Python, what it printed, and what it said on stderr."""
    words, pipes = [sys.executable, *arguments], {"stdout": stdout, "stderr": subprocess.PIPE}
    done = subprocess.run(words, **pipes, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_the_module_runs_and_never_imports_the_page(folder: Path) -> None:
    argv = ["answer", *TEXTS, "--reader", str(folder), *SMALL]
    code, _, said = process(
        "-c",
        f"import sys; from qa_demo.cli.main import main; code = main({argv!r}); assert not "
        "{'gradio', 'plotly', 'captum'} & set(sys.modules), 'slow imports'; sys.exit(code)",
    )
    assert code == 0, said
    refused = process("-m", "qa_demo", "answer", "--question", "", "--context", "c")
    said = "python -m qa_demo answer: the question is empty; type at least one word\n"
    assert refused == (2, "", said)


def printed_to(stdout: Any, folder: Path) -> tuple[int, str]:
    """Exit code and stderr of a command with a small reader."""
    asked = ("--reader", str(folder), "--question", "Who?", "--context", "Ada met Grace.")
    code, _, said = process("-m", "qa_demo", "answer", *asked, stdout=stdout)
    return code, said.removeprefix("window 1 of 1\n")


def test_a_closed_pipe_ends_without_a_word(folder: Path) -> None:
    heard, pipe = os.pipe()
    os.close(heard)
    assert printed_to(pipe, folder) == (PIPE_CLOSED, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_full_disk_is_a_sentence(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        code, said = printed_to(full, folder)
    assert code == 2 and said.count("\n") == 1
    assert "the result cannot be written: No space left on device" in said
