"""The blocks of docs/training.md that train, in order, with a model of two layers."""

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qa_demo.core.store import ASSETS
from tests.documents import PAGES, block
from tests.training import toy

pytestmark = pytest.mark.model

ROOT = Path(__file__).resolve().parents[2]
FILLED = ("README.md", "docs/how-sure.md")
"""Documents that hold figures of the reader."""
OWN = {"reader", "readings", "attributions.npz", "replay", "spanbert", "examples.json"}
"""Assets that the commands write, and the examples: a few short ones are enough."""
SMALL = {
    r"--steps \d+": "--steps 2",
    r"sentence-transformers/[\w-]+": "ENCODER",
    r"text/\*\.txt\.gz": "text/some.txt.gz",
    r"(qa_demo\.training\.infill score) ": r"\1 --limit 1 ",
}
CHECKS = ("promises", "score")
"""Whether the model is good is their exit code: 0 or 1, and 2 for what cannot be used."""
WORKSHOP = """
import contextlib, gzip, io, json, runpy, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import qa_demo
from qa_demo.model.loading import load_reader
from tests.training.test_score import squad
assert Path(qa_demo.__file__).is_relative_to(sys.argv[1])
def questions():
    reader = load_reader("assets/reader")
    many = {"unanswerable": True}
    kinds = {"squad-dev": {}, "squad-dev-v2": many, "multispanqa": {"lists": True}}
    for name, kind in kinds.items():
        made = squad(Path(f"{name}.json"), reader, **kind)
        Path(f"{name}.json.gz").write_bytes(gzip.compress(made.read_bytes()))
for name, *flags in json.loads(sys.argv[3]):
    sys.argv[:] = [name, *flags]
    if "--dev" in flags and name.endswith(".score"):
        questions()
    code = 0
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as left:
        code = left.code or 0
    print(name.rpartition(".")[2], code, flush=True)
"""
"""Runs the commands in one process; what a step needs from outside the block is made before it."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A copy of the package, with an encoder, data and text of its own."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "qa_demo", tmp_path / "qa_demo", ignore=ignored)
    (tmp_path / "assets").mkdir()
    for path in ASSETS.iterdir():
        if path.name not in OWN:
            (tmp_path / "assets" / path.name).symlink_to(path)
    for name in ("reader", "spanbert"):
        (tmp_path / "assets" / name).mkdir()
        shutil.copy(ASSETS / name / "README.md", tmp_path / "assets" / name)
    (tmp_path / "docs").mkdir()
    for name in FILLED:
        shutil.copy(ROOT / name, tmp_path / name)
    examples = json.loads((ASSETS / "examples.json").read_text(encoding="utf-8"))
    short = json.dumps(sorted(examples, key=lambda one: len(one["context"]))[:4])
    (tmp_path / "assets" / "examples.json").write_text(short, encoding="utf-8")
    toy.encoder(tmp_path / "ENCODER")
    made = gzip.compress(toy.squad(tmp_path / "squad.json").read_bytes())
    for name in ("squad-train", "qamr", "squad-dev"):
        (tmp_path / f"{name}.json.gz").write_bytes(made)
    (tmp_path / "text").mkdir()
    paragraphs = toy.text(tmp_path / "text.txt").read_bytes()
    (tmp_path / "text" / "some.txt.gz").write_bytes(gzip.compress(paragraphs))
    return tmp_path


def small(line: str) -> list[str]:
    """The module and the flags of a command, two steps instead of thousands."""
    for large, little in SMALL.items():
        line = re.sub(large, little, line)
    return shlex.split(line)[2:]


def ran(home: Path, *words: str) -> list[tuple[str, int]]:
    """Run the blocks that hold these words; name and exit code of each command."""
    lines = [small(line) for word in words for line in block(word)]
    done = subprocess.run(
        [sys.executable, "-c", WORKSHOP, str(home), str(ROOT), json.dumps(lines)],
        cwd=home,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = [tuple(line.split()) for line in done.stdout.splitlines()]
    assert [name for name, _ in said] == [line[0].rpartition(".")[2] for line in lines]
    codes = [(name, int(code)) for name, code in said]
    assert [x for x in codes if x[1] and not (x[0] in CHECKS and x[1] == 1)] == [], done.stderr
    return codes


def test_a_training_from_the_first_command_to_the_last(home: Path) -> None:
    assert len(ran(home, "training.finetune", "training.score")) == 11
    card = (home / "assets" / "reader" / "README.md").read_text(encoding="utf-8")
    assert "--train squad-train.json.gz:1.5" in card
    for name in FILLED:
        assert (home / name).read_text(encoding="utf-8") != PAGES[name], name
    assert json.loads((home / "assets" / "replay" / "replay.json").read_text())["steps"]


def test_a_pre_training_from_the_first_command_to_the_last(home: Path) -> None:
    assert len(ran(home, "training.pretrain")) == 6
    metrics = json.loads((home / "assets" / "spanbert" / "metrics.json").read_text())
    assert metrics
