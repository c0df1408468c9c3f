"""The commands of docs/training.md in order, as `python -m` runs them, on two layers."""

import gzip
import io
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qa_demo.cli.main import main
from qa_demo.core import store
from qa_demo.core.base import BadInput
from qa_demo.core.losses import load_replay
from qa_demo.examples import PoolExample, load_texts
from qa_demo.model import spanbert
from qa_demo.model.loading import load_reader
from qa_demo.training import assets
from tests.cli import terminal
from tests.documents import PAGES, ROOT, block
from tests.training import toy
from tests.training.test_score import squad

pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore:.*found in sys.modules")]

ASSETS = store.ASSETS
FILLED = ("README.md", "docs/how-sure.md")
"""Documents that hold figures of the reader."""
FEW = {"examples.json": 2} | {f"first_questions{n}.json": 1 for n in ("", "_second", "_third")}
"""Assets of which so many entries are enough."""
SMALL = {
    r"--steps \d+": "--steps 2",
    r"sentence-transformers/[\w-]+": "ENCODER",
    r"text/\*\.txt\.gz": "text/some.txt.gz",
    r"(qa_demo\.training\.infill score) ": r"\1 --limit 1 ",
}
CHECKS = ("promises", "score")
"""Whether the model is good is their exit code: 0 or 1, and 2 for what cannot be used."""


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """The folder in which all commands run, with an encoder, data, text and assets of its own."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "assets"
    for name in ("reader", "spanbert"):
        (own / name).mkdir(parents=True)
        shutil.copy(ASSETS / name / "README.md", own / name)
    for name in ("card.md", "passages.json"):
        shutil.copy(ASSETS / name, own)
    for name, count in FEW.items():
        found = json.loads((ASSETS / name).read_text(encoding="utf-8"))
        if isinstance(found, list):
            found = sorted(found, key=lambda one: len(one["context"]))[:count]
        else:
            found["data"] = found["data"][:count]
        (own / name).write_text(json.dumps(found), encoding="utf-8")
    (tmp_path / "docs").mkdir()
    for name in FILLED:
        shutil.copy(ROOT / name, tmp_path / name)
    toy.encoder(tmp_path / "ENCODER")
    for name in ("squad-train", "qamr", "squad-dev"):
        terminal.squad(tmp_path / f"{name}.json.gz", unanswerable=True)
    (tmp_path / "text").mkdir()
    paragraphs = toy.text(tmp_path / "text.txt").read_bytes()
    (tmp_path / "text" / "some.txt.gz").write_bytes(gzip.compress(paragraphs))
    monkeypatch.setattr(store, "ASSETS", own)
    monkeypatch.setitem(store.READERS, "bundled", own / "reader")
    monkeypatch.setitem(spanbert.OWN, "bundled", own / "spanbert")
    monkeypatch.setattr(subprocess, "run", in_this_process)
    return tmp_path


def in_this_process(asked: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
    """`python -m qa_demo ...` without another interpreter."""
    assert asked[1:3] == ["-m", "qa_demo"]
    with redirect_stdout(io.StringIO()) as said:
        code = main(asked[3:])
    return subprocess.CompletedProcess(asked, code, said.getvalue(), "")


def run(monkeypatch: pytest.MonkeyPatch, *asked: str) -> None:
    """One command, its module and its flags."""
    monkeypatch.setattr(sys, "argv", [*asked])
    with pytest.raises(SystemExit) as left:
        runpy.run_module(asked[0], run_name="__main__", alter_sys=True)
    assert left.value.code in ((0, 1) if asked[0].endswith(CHECKS) else (0,)), asked


def ran(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the blocks that hold these words; how many commands there were."""
    lines = [line for word in words for line in block(word)]
    for line in lines:
        for large, little in SMALL.items():
            line = re.sub(large, little, line)
        asked = shlex.split(line)[2:]
        if asked[0].endswith(".score") and "--dev" in asked:  # on what the trained reader says
            reader = load_reader("assets/reader")
            squad(Path("squad-dev.json.gz"), reader)
            squad(Path("squad-dev-v2.json.gz"), reader, unanswerable=True)
            for name in asked[asked.index("--lists") + 1 :]:
                squad(Path(name), reader, lists=True)
        run(monkeypatch, *asked)
    return len(lines)


def test_a_training_from_the_first_command_to_the_last(home, monkeypatch):
    assert ran(monkeypatch, "training.finetune", "training.score") == 11
    card = (home / "assets" / "reader" / "README.md").read_text(encoding="utf-8")
    assert "--train squad-train.json.gz:1.5" in card
    filled = {name: (home / name).read_text(encoding="utf-8") for name in FILLED}
    assert not [name for name, text in filled.items() if text == PAGES[name]]
    own = shutil.copytree(home / "assets" / "reader", home / "own")
    metrics = (own / "metrics.json").read_text().replace('"date": "2', '"date": "3')
    (own / "metrics.json").write_text(metrics)
    run(monkeypatch, "qa_demo.training.card", "--reader", "own")
    assert (own / "README.md").read_text(encoding="utf-8") != card
    assert filled == {name: (home / name).read_text(encoding="utf-8") for name in FILLED}
    (weights, replay), stored = load_replay(home / "assets/replay"), home / "assets/readings"
    pool = load_texts(PoolExample, home / "assets" / "examples.json")
    for e in pool:
        reading, rows = store.load_reading(stored / f"{e.id}.npz"), replay[e.id]
        assert rows.steps == (0, 1, 2), "the snapshots before the end, in order, and the end"
        assert not (assets.FINE * rows.start[:-1] % 1).any(), "rounded"
        ends = [rows.start[-1], rows.end[-1]]
        np.testing.assert_allclose(ends, reading.logits(rows.window), atol=0.01)
        assert (reading.checksum, weights) == store.bundled()
    for encoder, said in ((f"{home}/gone", "gone cannot"), ("", r"no snapshots/.* in student")):
        with pytest.raises(BadInput, match=said):
            assets.record(Path("runs/student"), encoder, pool, stored, home / "none")
        shutil.rmtree("runs/student/snapshots", ignore_errors=True)


def test_a_pre_training_from_the_first_command_to_the_last(home, monkeypatch):
    assert ran(monkeypatch, "training.pretrain") == 6
    assert json.loads((home / "assets" / "spanbert" / "metrics.json").read_text())
    assert json.loads((home / "assets" / "schemes.json").read_text())
