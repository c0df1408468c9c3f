"""python -m qa_demo answer | evaluate, mostly in this process; two real processes."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qa_demo.cli.main import main
from qa_demo.cli.shared import visible
from qa_demo.core.errors import BadInput
from qa_demo.core.learning.bio import best_span
from qa_demo.core.learning.golds import Answer, Example
from qa_demo.core.measuring.metrics import f1
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.scales import COMBINES, SCALES
from qa_demo.model.loading import load_reader
from qa_demo.model.scoring import Setup, score_reader
from tests.answer_fields import FIELDS
from tests.fakes import FakeReader
from tests.model import kit

SMALL = ["--max-seq-length", "40", "--doc-stride", "7"]
OPTIONS = WindowOptions(max_seq_length=40, doc_stride=7)


def asked(folder: Path, *more: str, context: str = kit.CONTEXT) -> list[str]:
    """One question, in small windows."""
    texts = "--question", kit.QUESTION, "--context", context
    return ["answer", *texts, "--reader", str(folder), *SMALL, *more]


def answer(
    folder: Path, capsys: pytest.CaptureFixture[str], *more: str, context: str = kit.CONTEXT
) -> dict[str, Any]:
    assert main(asked(folder, "--json", *more, context=context)) == 0
    return json.loads(capsys.readouterr().out)


def assert_fails(capsys: pytest.CaptureFixture[str], argv: list[str], words: str) -> None:
    try:
        code = main(argv)
    except SystemExit as leaving:
        code = leaving.code
    streams = capsys.readouterr()
    assert code == 2 and streams.out == "" and words in streams.err
    said = re.compile(r"question |window |scored by |.*: \d+ questions? \(first: ")
    assert len([line for line in streams.err.splitlines() if not said.match(line)]) == 1
    assert "Traceback" not in streams.err


def squad(path: Path, *, unanswerable: bool = False, **change: Any) -> Path:
    qas = [
        {
            "id": f"q{k}",
            "question": q,
            "answers": [{"text": t, "answer_start": kit.CONTEXT.index(t)}],
        }
        for k, (q, t) in enumerate(
            [
                ("Who designed the bridge?", "George Rotne"),
                ("When was it opened?", "1998"),
                ("What was painted?", "the tower"),
            ]
        )
    ]
    if unanswerable:
        qas.append(
            {"id": "q9", "question": "Who was the king?", "answers": [], "is_impossible": True}
        )
    qas[0] |= change
    document = {
        "version": "x",
        "data": [{"title": "Bridge", "paragraphs": [{"context": kit.CONTEXT, "qas": qas}]}],
    }
    raw = json.dumps(document).encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def test_predict_answers_as_the_command_line_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strict = kit.save(tmp_path / "strict", "bert", threshold=-100.0)
    prediction = predict(load_reader(str(strict)).read(kit.QUESTION, kit.CONTEXT, OPTIONS))
    assert prediction.best is not None and prediction.score_diff < 0
    assert prediction.answer is None and answer(strict, capsys)["answer"] is None
    free = predict(load_reader(str(strict)).read(kit.QUESTION, kit.CONTEXT, OPTIONS), threshold=0)
    assert free.answer == answer(strict, capsys, "--null-score-diff-threshold", "0")["answer"]
    assert free.answer is not None


def test_answer_has_exactly_the_promised_fields(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = answer(folder, capsys)
    reading = load_reader(str(folder)).read(kit.QUESTION, kit.CONTEXT, OPTIONS)
    best = predict(reading).best
    assert list(report) == FIELDS and best is not None
    assert (
        report["answer"]
        == best.candidate.text
        == kit.CONTEXT[report["char_start"] : report["char_end"]]
    )
    assert report["score"] == best.candidate.score == report["start_logit"] + report["end_logit"]
    assert report["reader"] == "tiny" and report["question"] == kit.QUESTION
    assert list(report["n_best"][0]) == [
        "text",
        "char_start",
        "char_end",
        "window",
        "start_logit",
        "end_logit",
        "score",
        "share",
    ]
    assert report["windows"] == [
        {"index": w.index, "doc_start": w.doc_start, "doc_stop": w.doc_stop, "tokens": len(w)}
        for w in reading.windows
    ]
    assert len(report["windows"]) > 3 and len(report["n_best"]) == 20


def test_the_threshold_is_the_readers_own_unless_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = answer(folder, capsys, "--null-score-diff-threshold=-1e9")
    assert report["answer"] is None
    assert report["char_start"] is None
    assert report["score"] is None
    assert len(report["n_best"]) == 20
    assert (
        answer(folder, capsys, f"--null-score-diff-threshold={report['score_diff']}")["answer"]
        is not None
    )


def test_options_travel_by_their_field_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits, merge = "--max-answer-length=1 --n-best-size=3", "--copies=all --scale=log_odds"
    report = answer(folder, capsys, *f"{limits} {merge} --null=none".split())
    reading = load_reader(str(folder)).read(kit.QUESTION, kit.CONTEXT, OPTIONS)
    assert len(report["n_best"]) == 3
    offsets = {tuple(pair) for pair in reading.encoding.offset_mapping.tolist()}
    assert all((row["char_start"], row["char_end"]) in offsets for row in report["n_best"])


def test_a_file_is_read_as_it_stands(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "\ufeffThe bridge\r\nwas designed\rby Åse 🙂.\r\n"
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    given = f"answer --question who --context-file {path} --reader {folder} --json".split()
    assert main([*given, *SMALL]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["answer"] == text[report["char_start"] : report["char_end"]]
    assert any("\r\n" in row["text"] for row in report["n_best"])


def test_answer_for_a_person(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = answer(folder, capsys)
    assert main(asked(folder)) == 0
    streams = capsys.readouterr()
    lines = streams.out.splitlines()
    assert lines[0] == visible(report["answer"])
    assert f"characters {report['char_start']} to {report['char_end']}" in lines[1]
    assert len(lines) == 4 + 20 and f"window {len(report['windows'])} of" in streams.err


def test_escape_sequences_stay_visible() -> None:
    assert visible("a\x1b[2Jb\u202ec\ud800é🙂") == "a\\x1b[2Jb\\u202ec\\ud800é🙂"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "required"),
        (["frobnicate"], "invalid choice"),
        (["answer", "--question", "q"], "answer needs --question and --context"),
        (
            ["answer", "--question", "q", "--context", "c", "--scale", "loud"],
            "invalid choice: 'loud'",
        ),
        (["answer", "--question", "q", "--context", "c", "--doc-stride", "x"], "invalid int value"),
        (["answer", "--question", " ", "--context", "c"], "the question is empty"),
        (["answer", "--question", "q", "--context", ""], "the paragraph is empty"),
        (
            ["answer", "--question", "q", "--context-file", "/nonexistent.txt"],
            "nonexistent.txt cannot be read",
        ),
        (["answer", "--question", "q", "--context-file", "/"], "cannot be read"),
        (["answer", "--question", "q", "--context", "c", "--reader", "x"], "not a reader's name"),
        (["evaluate", "/nonexistent.json"], "nonexistent.json"),
        (["evaluate", "/nonexistent.json", "--limit", "0"], "--limit must be at least 1, got 0"),
        (["evaluate", "x.json", "--head", "both"], "invalid choice: 'both'"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_fails(capsys, argv, words)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--doc-stride", "300"], "doc_stride must be between 1 and"),
        (["--max-seq-length", "384"], "max_seq_length must be at most 64"),
        (["--max-query-length", "2", *SMALL], "max_query_length allows 2"),
        (["--n-best-size", "0", *SMALL], "n_best_size"),
        (
            ["--scale", "context_mean", "--null", "min_logit", *SMALL],
            "cannot be compared with the null min_logit",
        ),
    ],
)
def test_options_that_do_not_fit_are_named(
    folder: Path, more: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    more = more if "--max-seq-length" in more else ["--max-seq-length", "64", *more]
    assert_fails(capsys, asked(folder, *more), words)
    assert_fails(
        capsys, ["evaluate", str(squad(tmp_path / "a.json")), "--reader", str(folder), *more], words
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--n-best-size", "0"], "n_best_size must be at least 1"),
        (["--max-answer-length", "0"], "max_answer_length must be at least 1"),
        (["--null-score-diff-threshold", "nan"], "must be a finite number"),
        (
            ["--scale", "log_odds", "--null", "min_logit"],
            "cannot be compared with the null min_logit",
        ),
        (
            ["--scale", "window_product", "--null-score-diff-threshold", "1"],
            "so the scale window_product does not take it; logit and",
        ),
    ],
)
def test_options_are_checked_before_a_reader_is_loaded(
    more: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "qa_demo.model.loading.load_reader", lambda *a, **k: pytest.fail("a reader was loaded")
    )
    for command in (
        ["answer", "--question", "q", "--context", "c"],
        ["evaluate", str(squad(tmp_path / "a.json"))],
    ):
        assert_fails(capsys, [*command, *more], words)
    assert_fails(capsys, ["attribute", "--question", "q", "--context", "c", *more], words)


@pytest.mark.parametrize(
    "change", [{"decode": DecodeOptions(n_best_size=0)}, {"merge": MergeOptions(scale="log_odds")}]
)
def test_no_question_is_read_under_options_that_cannot_be_used(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeReader, "read", lambda *a, **k: pytest.fail("a question was read"))
    with pytest.raises(BadInput):
        score_reader(FakeReader(), [Example("a", "Who?", "Anna.", ())], Setup(**change))


@pytest.mark.parametrize("scale", list(SCALES))
def test_a_scale_brings_its_own_null(
    folder: Path, scale: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(folder, capsys, "--scale", scale) == answer(
        folder, capsys, "--scale", scale, "--null", COMBINES[scale][0]
    )


MERGES = [
    MergeOptions(scale=scale, null=null) for scale, nulls in COMBINES.items() for null in nulls
]


@pytest.mark.parametrize("merge", MERGES, ids=lambda merge: f"{merge.scale}, {merge.null}")
@pytest.mark.parametrize(("threshold", "null"), [(-100.0, 2.0), (3.0, 8.0), (None, 8.0)])
def test_evaluate_withholds_what_answer_withholds(
    merge: MergeOptions, threshold: float | None, null: float
) -> None:
    context = "The book was written by Ada Lovelace in London. Charles Babbage read it."
    examples = [
        Example("a", "Who wrote it?", context, (Answer("London", 40),)),
        Example("b", "Who read it?", context, (), True),
    ]
    reader = FakeReader(threshold=threshold, null=null)
    decode = DecodeOptions(null_score_diff_threshold=threshold or 0.0)
    said = [
        predict(reader.read(example.question, context), decode, merge).answer
        for example in examples
    ]
    scores, _ = score_reader(reader, examples, Setup(merge=merge))
    assert scores["NoAns_exact"] == 100.0 * (said[1] is None)
    assert scores["HasAns_exact"] == 100.0 * (said[0] == "London")


def test_a_file_that_is_not_utf8(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "latin.txt").write_bytes("Malmö".encode("latin-1"))
    assert_fails(
        capsys,
        ["answer", "--question", "q", "--context-file", str(tmp_path / "latin.txt")],
        "latin.txt is not UTF-8: byte 4",
    )


@pytest.mark.parametrize("head", ["span", "bio"])
def test_evaluate_scores_what_read_reads(
    folder: Path, head: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = squad(tmp_path / "dev.json.gz")
    assert (
        main(["evaluate", str(path), "--reader", str(folder), "--head", head, "--json", *SMALL])
        == 0
    )
    streams = capsys.readouterr()
    result = json.loads(streams.out)
    reader, golds, scores = load_reader(str(folder)), ["George Rotne", "1998", "the tower"], []
    for question, gold in zip(
        ["Who designed the bridge?", "When was it opened?", "What was painted?"], golds, strict=True
    ):
        reading = reader.read(question, kit.CONTEXT, OPTIONS)
        best, tagged = predict(reading).best, best_span(reading)
        assert best is not None and tagged is not None
        scores.append(f1(gold, best.candidate.text if head == "span" else tagged.text))
    assert result["f1"] == pytest.approx(100 * sum(scores) / 3) and result["total"] == 3
    scored = {"exact", "f1", "total", "seconds"}
    assert set(result) == {"rules", "questions_in_file", "reader"} | scored
    assert (result["rules"], result["questions_in_file"]) == ("SQuAD 1.1", 3)
    assert "question 3 of 3" in streams.err


def test_evaluate_with_unanswerables(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = squad(tmp_path / "dev.json", unanswerable=True)
    for flags, exact in ((["--null-score-diff-threshold=-1e9"], 100.0), ([], 0.0)):
        assert main(["evaluate", str(path), "--reader", str(folder), "--json", *SMALL, *flags]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["NoAns_exact"] == exact
        assert (result["HasAns_total"], result["NoAns_total"]) == (3, 1)
        assert {"best_exact", "best_exact_thresh", "best_f1", "best_f1_thresh", "seconds"} <= set(
            result
        )
    assert main(["evaluate", str(path), "--reader", str(folder), "--limit", "2", *SMALL]) == 0
    out = capsys.readouterr().out
    assert out.split("\ntotal")[1].split()[0] == "2"
    assert "rules              SQuAD 2.0\n" in out, "a limit must not change the rules"


def test_bio_needs_a_bio_head(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = kit.save(tmp_path / "plain", "bert")
    assert_fails(
        capsys,
        ["evaluate", str(squad(tmp_path / "a.json")), "--reader", str(plain), "--head", "bio"],
        "has no BIO head",
    )


@pytest.mark.slow
def test_the_module_runs_and_never_imports_the_page(folder: Path) -> None:
    argv = asked(folder)
    program = (
        f"import sys; from qa_demo.cli.main import main; code = main({argv!r}); assert not "
        "{'gradio', 'plotly', 'captum'} & set(sys.modules), 'slow imports'; sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    refused = subprocess.run(
        [sys.executable, "-m", "qa_demo", "answer", "--question", "", "--context", "c"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (
        refused.stderr
        == "python -m qa_demo answer: the question is empty; type at least one word\n"
    )
