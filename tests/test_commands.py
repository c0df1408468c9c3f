"""The commands of the documents: every line is run by a test that is named here."""

import gzip
import importlib.util
import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from qa_demo import app
from qa_demo.api.routes import routes as calls
from qa_demo.cli.main import main
from qa_demo.examples import load_menu
from qa_demo.model.loading import load_reader
from qa_demo.page import build
from qa_demo.pictures import Pictures
from qa_demo.server.launch import launch
from qa_demo.shown import without_model
from tests.benchmarks.ten_lines import both
from tests.documents import COMMANDS, PAGES, PYTHON, README, block
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.model import kit
from tests.ports import free_port
from tests.training.test_score import squad

TESTS = Path(__file__).parent
RUN = {
    r"python -m qa_demo answer --question": "test_the_answer_is_the_one_that_is_shown",
    r"python -m qa_demo (evaluate|report|calibrate) ": "test_from_a_file_to_its_failures",
    r"python -m qa_demo lesson check \w+$": "test_lesson_check_tells_what_holds_and_what_does_not",
    r"(python -m qa_demo )?page( --out \S+)?$": "test_the_file_is_of_the_texts_that_are_given",
    r"hf (repos|upload) ": "test_the_space_commands_that_are_shown_are_read_by_the_pinned_client",
    r"python3 tests/run\.py$": "test_ci_runs_the_commands_of_the_readme",
    r"python3 -m pip --python python install \.$": "scripts",
    r"python -m pip wheel --no-deps \.$": "wheel",
    r"(SPANLIGHT\S+=.* )?python app\.py( --lan)?$": "test_the_page_takes_what_is_shown",
    r"python -m qa_demo\.training\.(pretrain|infill|promises passages)\b": (
        "test_a_pre_training_from_the_first_command_to_the_last"
    ),
    r"python -m qa_demo\.training\.\w+": "test_a_training_from_the_first_command_to_the_last",
}
"""What a command begins with, and the test or fixture that runs it."""
NOT_RUN = {
    r"python3 -m venv .* && .*requirements\.txt && python app\.py$": (
        "it installs from a package index; `tests/run.py` does the same on a machine without .venv"
    ),
    r"(python3\.11|py -3\.11) -m venv": "of macOS and Windows, said to be not tested",
    r"REPLICAS=3 docker compose": "said to be not tried",
    r"python -m tests\.benchmarks\.\w+$": "takes minutes, and tells what a machine can do",
}


@pytest.fixture(scope="module", autouse=True)
def loaded() -> Iterator[None]:
    """A reader is loaded once for all that is shown."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qa_demo.model.loading.load_reader", cache(load_reader))
        yield


def test_every_command_is_run_by_a_test():
    assert len(COMMANDS) > 30
    known = {**RUN, **NOT_RUN}
    assert [x for x in COMMANDS if not any(re.match(start, x) for start in known)] == []
    assert [start for start in known if not any(re.match(start, x) for x in COMMANDS)] == []
    tests = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py"))
    assert [name for name in RUN.values() if f"def {name}(" not in tests] == []
    own = [x.split()[2] for x in COMMANDS if x.startswith("python -m tests.")]
    assert own and all(importlib.util.find_spec(name) for name in own)


@pytest.mark.model
def test_the_answer_is_the_one_that_is_shown(capsys):
    (line,) = [x for x in COMMANDS if x.startswith("python -m qa_demo answer --question")]
    assert main(shlex.split(line)[3:]) == 0
    assert capsys.readouterr().out.strip() == README.partition(line)[2].partition("```")[0].strip()


@pytest.mark.model
def test_from_a_file_to_its_failures(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = kit.save(tmp_path / "foreign", bio=True, max_position_embeddings=512)
    for name in ("squad-dev", "squad-dev-v2"):
        made = squad(tmp_path / f"{name}.json", load_reader(str(folder)), name.endswith("v2"))
        made.with_name(f"{made.name}.gz").write_bytes(gzip.compress(made.read_bytes()))
    for line in block("qa_demo calibrate"):
        flags = shlex.split(line.replace("OWNER/reader", str(folder)))[3:]
        flags = [str(folder) if flag == "bundled" else flag for flag in flags]
        assert main(flags) == 0, line
        out = capsys.readouterr().out
        assert flags[0] != "evaluate" or "SQuAD 1.1" in out
    made = {"a.jsonl", "a.run.json", "b.jsonl", "report.html", "fit.json"}
    assert made <= {path.name for path in tmp_path.iterdir()}
    assert len((tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()) == 12


@pytest.mark.parametrize("line", [x for x in COMMANDS if re.match("(SPAN.+ )?python app", x)])
def test_the_page_takes_what_is_shown(line, monkeypatch):
    """All but the port, the weights and the visitors."""
    words, opened, drawn = shlex.split(line), list[tuple[Any, ...]](), list[str]()
    monkeypatch.setattr("qa_demo.app.show", drawn.append)
    if "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("qa_demo.app.network_address", lambda: "192.0.2.7")
    pictures = Pictures(load_menu(), without_model, without_model)
    monkeypatch.setattr("qa_demo.app.made", lambda *_: (pictures, lambda: None))
    monkeypatch.setattr("qa_demo.app.wait_for_the_end", lambda: None)
    monkeypatch.setattr("qa_demo.server.launch.launch", lambda *given, **_: opened.append(given))
    assert app.main(words[2:]) == 0
    ((_, host, _, names, _),), lan = opened, "--lan" in words
    assert (host, bool(names), len(drawn)) == (("127.0.0.1", "0.0.0.0")[lan], lan, lan)


@pytest.mark.model
def test_the_python_that_is_shown_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(TESTS.parent)
    three, _, called, plain, http, client, rows = PYTHON
    text = "Ada Kok met Grace in Oslo."
    found: dict[str, Any] = {"asked": [("Who met Grace?", text), ("Where did they meet?", text)]}
    exec(three, found)
    answer, total = capsys.readouterr().out.rsplit(maxsplit=1)
    assert answer == found["predict"](found["reading"]).answer and float(total)
    (ten, lines, _), (_, by_hand, _) = both(found["asked"], tmp_path.as_posix())
    said = f"these are {lines} lines; by hand with transformers and captum {by_hand}, with the same"
    assert said in PAGES["docs/api.md"]
    found |= ten
    exec(called, found)
    assert capsys.readouterr().out.startswith(str(found["reply"].total))
    assert (tmp_path / "0.html").stat().st_size > 1_000_000
    exec(rows.replace('"report.html"', f'r"{tmp_path / "report.html"}"'), found)
    assert (tmp_path / "report.html").is_file()
    assert capsys.readouterr().out.strip() == "right" and found["found"].scores["f1"] == 100
    exec(plain, found)
    assert str(found["model"].dtype) == "torch.float32"
    pictures = Pictures(load_menu(), lambda _: FakeReader(bio=True), FakeInfiller)
    with closing(build(pictures)) as page:
        port = free_port()
        launch(page, "127.0.0.1", port, None, calls(pictures), prevent_thread_lock=True)
        address = f"http://127.0.0.1:{port}/"
        for shown in (http, client):
            assert "http://127.0.0.1:7860/" in shown
            exec(shown.replace("http://127.0.0.1:7860/", address), found)
            assert capsys.readouterr().out.strip()
        assert len(found["reply"]["infill"]["pieces"]) > 0
        with urlopen(Request(address, headers={"accept-encoding": "gzip"})) as reply:
            assert reply.headers["content-encoding"] == "gzip"
