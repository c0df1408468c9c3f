"""The wheel: what pip installs from this checkout works from any folder, without the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import qa_demo
from qa_demo.bundle import script
from qa_demo.core.store import ASSETS, find_assets
from tests.documents import ROOT

pytestmark = pytest.mark.slow

SOURCES = ("qa_demo", "assets", "pyproject.toml", "setup.py", "README.md", "LICENSE")
BUILD = """import sys; from setuptools import build_meta
build_meta.build_wheel(sys.argv[1], {"--build-option": "--compression=stored"})
"""
OURS = ("PYTHONPATH", "MPLBACKEND")
ELSEWHERE = {name: value for name, value in os.environ.items() if name not in OURS}
"""The environment without what would lead Python to the checkout, or what the page sets itself."""
ODD = dict.fromkeys(("GRADIO_DEFAULT_CONCURRENCY_LIMIT", "GRADIO_NUM_WORKERS"), "many")
HEARD = """import runpy, sys
def hear(name, given):
    if name == 'open' and str(given[0]).endswith('.pyi'): print(given[0], flush=True)
sys.addaudithook(hear)
import qa_demo.server.launch
from gradio.utils import MatplotlibBackendMananger
with MatplotlibBackendMananger(): pass
print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules, flush=True)
runpy.run_path(sys.argv.pop(1), run_name='__main__')
"""
"""Starts a command; tells each file for editors that it opens, and what a gradio event imports."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel as pip builds it, but from links to the checkout and uncompressed."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        (tree / name).symlink_to(ROOT / name)
    run(sys.executable, "-c", BUILD, str(out), folder=tree)
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def scripts(wheel, tmp_path_factory) -> Iterator[Path]:
    """The commands of an environment that holds the wheel and sees the packages of this one."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False)
    paths = sysconfig.get_paths("venv", {"base": str(home), "platbase": str(home)})
    shared = sysconfig.get_paths()["purelib"]
    (Path(paths["purelib"]) / "shared.pth").write_text(shared + "\n")
    python = Path(paths["scripts"]) / Path(sys.executable).name
    pip = [getattr(sys, "_base_executable", sys.executable), "-m", "pip", "--python", str(python)]
    offline = ["--quiet", "--no-deps", "--no-index", "--no-compile"]
    run(*pip, "install", *offline, str(wheel), folder=home)
    yield Path(paths["scripts"])
    wheel.unlink()


def run(*command: str, folder: Path) -> str:
    """What a command writes to stdout."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=ELSEWHERE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_every_asset_and_no_test(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {info.filename: info.file_size for info in archive.infolist()}
    files = [path for path in ASSETS.rglob("*") if path.is_file()]
    held = {f"qa_demo/assets/{p.relative_to(ASSETS).as_posix()}": p.stat().st_size for p in files}
    assert len(held) > 100 and held.items() <= names.items()
    modules = (ROOT / "qa_demo").rglob("*.py")
    assert {path.relative_to(ROOT).as_posix() for path in modules} <= names.keys()
    about = f"spanlight-{qa_demo.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"qa_demo", about}


@pytest.mark.model
def test_the_installed_commands_work_from_any_folder(scripts, tmp_path):
    """The page starts without most of gradio's interface files, and its events without pyplot."""
    python, spanlight = str(scripts / Path(sys.executable).name), str(scripts / "spanlight")
    assert run(spanlight, "--version", folder=tmp_path) == f"spanlight {qa_demo.__version__}\n"
    where = run(python, "-c", "import qa_demo; print(qa_demo.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(scripts.parent)
    how = {"cwd": tmp_path, "env": ELSEWHERE | ODD, "stderr": subprocess.PIPE, "text": True}
    how["stdout"] = subprocess.PIPE
    with subprocess.Popen([python, "-c", HEARD, spanlight, "--port", "0"], **how) as server:
        try:
            opened = server.stderr.readline()
            assert opened.startswith("Spanlight is open at "), "the one address that is printed"
            reply = urllib.request.urlopen(f"{opened.split()[-1]}static/page/page.js")
            assert reply.read().decode() == script()
        finally:
            server.kill()
        heard = server.stdout.read().splitlines()
        assert "True False" in heard
        assert sum("gradio" in line for line in {*heard}) == 2, "of some sixty"


def load_dataset(name: str, split: str) -> Mock:
    """Stands in for that of the package `datasets`, which needs a network."""
    assert (name, split) == ("rajpurkar/squad_v2", "validation")
    said = "The Danube rises in the Black Forest and flows into the Black Sea."
    asked = {"Where does the Danube end?": ["the Black Sea"], "How long is the Danube?": []}
    asked |= {"Where does the Danube rise?": ["Danube"]}
    rows = [
        {"id": question, "title": "Danube", "context": said, "question": question}
        | {"answers": {"text": answers, "answer_start": [said.index(x) for x in answers]}}
        for question, answers in asked.items()
    ]
    return Mock(**{"shuffle.return_value.select.return_value": rows})


@pytest.mark.model
def test_the_notebook_runs_without_the_hub(tmp_path, monkeypatch, capsys):
    """All of its cells in order, in another folder; the install line is a notebook's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    cells = json.loads((ROOT / "docs" / "spanlight.ipynb").read_text(encoding="utf-8"))["cells"]
    sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    assert not [c for c in cells if c.get("outputs")]
    install, *sources = sources
    assert install == "%pip install --quiet spanlight-*.whl datasets" and "reading" in sources
    exec("\n".join(sources), cell := {"display": (figures := []).append})
    assert len(figures) == 6 and all(figure.layout for figure in figures)
    assert abs(cell["p"].sum() - 1) < 1e-6
    assert "<title>" in Path("report.html").read_text(encoding="utf-8")
    assert [row["kind"] for row in cell["result"].rows[:2]] == ["right", "right"]
    said = capsys.readouterr().out
    assert said.startswith("Vincent van Gogh\n") and "the probabilities add up to 1.000000" in said
    assert "Where does the Danube rise? | " in said
    assert "exact 66.7\n" in said and "Where does the Danube end?" not in said


def test_assets_inside_an_installed_package_come_first(tmp_path):
    package = tmp_path / "qa_demo"
    package.mkdir()
    assert find_assets(package) == tmp_path / "assets"
    (tmp_path / "assets").mkdir()  # another distribution's folder in site-packages
    (package / "assets").mkdir()
    assert find_assets(package) == package / "assets"
