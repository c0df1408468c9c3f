"""Commands that cannot be done: one sentence, code 2, nothing written, least of all over input."""

import os
import shlex
from pathlib import Path

import pytest

from tests.cli.terminal import SMALL, TEXTS, lines, squad

BEFORE = [
    ("", "required"),
    ("frobnicate", "invalid choice"),
    ("answer --question q --context-file /none.txt", "none.txt cannot be read"),
    ("answer --question q --context c --reader x", "not a reader's name"),
    ("answer {texts} --base x", "base changes nothing with the reader bundled, got x; le"),
    ("answer {texts} --rule product --calibration x", "calibration changes nothing under the rule"),
    ("answer --jsonl x --question q", "--jsonl brings its own questions"),
    ("answer --jsonl /dev/null", "null holds no question"),
    ("answer --jsonl {half}", "line 1 is not JSON"),
    ("answer --jsonl {bare}", """the texts "question" and "context", got the fields 'question'"""),
    ("report -", "standard input has none; name the file of the lines, got -"),
    ("evaluate {dev} --fail-under f1=nan", "needs a percent from 1 to 100 (0.8 of all is f1=80)"),
    ("evaluate {dev} --fail-under f1=0.8", "needs a percent from 1 to 100"),
    ("evaluate {dev} --fail-under NoAns_f1=10", "--fail-under must be one of exact, f1, got 'No"),
    ("evaluate {dev} --limit 1 --sample 1", "limit changes nothing beside --sample, got 1"),
    ("evaluate {dev} --by 1", "by changes nothing without --not-worse-than, got 1"),
    ("evaluate {dev} --out p.txt", "--out holds lines of JSON and is called NAME.jsonl, got p.t"),
    ("report {half} --out -", "the result goes into a file, and - names none; name a file"),
    ("evaluate {dev} --null-score-diff-threshold -1e9", "must be greater than or equal to -1,000"),
    ("evaluate {dev} --not-worse-than {dev}", "line 1 is no line of this version's evaluate"),
    ("evaluate /none.json --limit 0", "--limit must be at least 1, got 0"),
    ("evaluate {dev} --sample 1 --seed -1", "--seed must be at least 0, got -1"),
    ("evaluate {dev} --seed 3", "seed changes nothing without --sample, got 3; leave it out"),
    ("evaluate {dev} --eval-results no/x.yaml", "x.yaml cannot be written: there is no folder no"),
    ("evaluate a --out b --eval-results ./b", "b would be written twice; name another file"),
    (f"report no.jsonl --out {'x' * 300}", "no.jsonl cannot be read"),
    ("evaluate {dev} --out .", ". cannot be written: it is a folder"),
    ("report {twice} --threshold -nan", "--threshold must be from -1000 to 1000, got nan"),
    ("answer --question q", "answer needs --question and --context (or --context-file), or --jso"),
    ("infill", "infill needs --text or --text-file"),
    ("evaluate {half} --fail-under f1=1", "half.jsonl is not readable as JSON"),
    ("picture spans --state {half}", "half.jsonl is not JSON"),
    ("picture spams", "chapter: must be 'answer', 'scores'"),
    ("page --example no-such", "the example must be one of oresund, "),
]
"""Command lines and what is said of them before any reader is loaded."""
AFTER = [
    ("evaluate {twice} --out o.jsonl", "twice.json: questions 1 and 3 share the id 'q2'"),
    ("evaluate {dev} --null-score-diff-threshold 2", "every question has an answer, so the rules"),
    ("answer {texts} --max-seq-length 384", "max_seq_length must be at most 64"),
    ("evaluate {dev} --out o.jsonl --max-seq-length 384", "evaluate: max_seq_length must be at"),
    ("evaluate {dev} --out {null}", "null.jsonl must be a plain file: to go on, it is read again"),
    ("answer --jsonl {asked} --doc-stride 300", "doc_stride must be at least 1 and"),
    ("answer {texts} --max-query-length 2", "max_query_length allows 2"),
    ("loss {texts} --max-answer-length 3", "--max-answer-length 3; python -m qa_demo loss --help"),
    ("tag {texts} --calibration x.json", "unrecognized arguments"),
]
"""The reader comes behind the command."""
EVERY = [*BEFORE, *((line.replace(" ", " {reader} ", 1), reason) for line, reason in AFTER)]


@pytest.fixture
def names(folder, tmp_path, tmp_path_factory, monkeypatch) -> dict[str, str]:
    """What stands for the files in the tables; commands run in an empty folder beside them."""
    files = tmp_path_factory.mktemp("files")
    (files / "half.jsonl").write_text("[" * 100_000)
    lines(files / "bare.jsonl", [{"question": "q"}])
    lines(files / "asked.jsonl", [{"question": "q", "context": "c"}])
    squad(files / "dev.json")
    squad(files / "twice.json", id="q2")
    (files / "null.jsonl").symlink_to(os.devnull)
    monkeypatch.chdir(tmp_path)
    found = {path.stem: str(path) for path in files.iterdir()}
    reader = shlex.join(["--reader", str(folder), *SMALL])
    return found | {"reader": reader, "texts": shlex.join(TEXTS)}


@pytest.mark.parametrize(("line", "reason"), EVERY)
def test_what_cannot_be_done_is_refused(line, reason, terminal, names, monkeypatch):
    if "reader" not in line:
        loaded = "qa_demo.model.loading.load_reader"
        monkeypatch.setattr(loaded, lambda *_, **__: pytest.fail("a reader was loaded"))
    terminal.refuses(reason, *shlex.split(line.format_map(names)))
    assert not [*Path().iterdir(), *Path(names["dev"]).parent.glob("*.run.json")]


OVER = [
    "page --question q --context-file {a} --out {a}",
    "page --question q --context-file {a} --out {link}",
    "page --example gold --reader model --out model/config.json",
    "evaluate {run} --out {lines}",
    "evaluate {a} --out new --not-worse-than {lines} --eval-results {lines}",
    "evaluate {a} --calibration {run} --out new --eval-results {run}",
    "report {a} --out {hard}",
    "calibrate {lines} --out {run}",
    "report {a} --against {lines} --out {run}",
]
"""Command lines whose result would go over an input; no reader is loaded for them."""
if os.path.exists("/dev/stdin"):
    OVER += ["evaluate - --eval-results {a}", "page --question q --context-file - --out {link}"]
    OVER += ["report {lines} --out /dev/stdout", "evaluate {run} --eval-results {out}"]


@pytest.mark.parametrize("line", OVER)
def test_no_output_goes_over_an_input(line, tmp_path, monkeypatch, terminal):
    monkeypatch.chdir(tmp_path)
    names = {"a": "a.txt", "lines": "p.jsonl", "run": "p.run.json", "against": "p.against.jsonl"}
    Path("model").mkdir()
    for name in (*names.values(), "model/config.json"):
        Path(name).write_text(name)
    Path("link").symlink_to("a.txt")
    os.link("a.txt", "hard")
    words = line.format(**names, link="link", hard="hard", out="out").split()
    kept = [os.dup(stream) for stream in (0, 1)]
    for stream, name in enumerate(("a.txt", "out")):  # as < a.txt > out
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), stream)
    reason = "be written twice" if "out" in words[-1] else "which is read"
    terminal.refuses(f"{reason}; name another file", *words)
    for stream in (0, 1):
        os.dup2(kept[stream], stream)
    for name in (*names.values(), "model/config.json"):
        assert Path(name).read_text() == name
