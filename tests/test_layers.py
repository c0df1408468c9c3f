"""The direction of knowledge: what each package may have imported once all of its modules are loaded."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"torch", "transformers", "tokenizers", "safetensors", "captum", "accelerate"}
FORBIDDEN = {
    "qa_demo.core": HEAVY | {"gradio", "plotly", "pandas", "scipy", "qa_demo.figures", "qa_demo.views", "qa_demo.model",
                             "qa_demo.training"},
    "qa_demo.figures": HEAVY | {"gradio", "qa_demo.views", "qa_demo.model", "qa_demo.training"},
    "qa_demo.views": HEAVY | {"qa_demo.model", "qa_demo.training"},
    "qa_demo.model": {"gradio", "plotly", "qa_demo.figures", "qa_demo.views", "qa_demo.training"},
}
CODE = """
import importlib, sys
for name in sys.argv[1].split(","):
    importlib.import_module(name)
print(*sorted(sys.modules))
"""


def modules_of(package: str, root: Path = ROOT) -> list[str]:
    """The package and every module under it that exists on disk."""
    files = (root / package.replace(".", "/")).rglob("*.py")
    parts = [file.relative_to(root).with_suffix("").parts for file in files]
    return sorted(".".join(p[:-1] if p[-1] == "__init__" else p) for p in parts)


def loaded_by(names: list[str], root: Path = ROOT) -> set[str]:
    """Everything in sys.modules of a fresh interpreter that imported `names`."""
    done = subprocess.run([sys.executable, "-c", CODE, ",".join(names)], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def check_layer(package: str, forbidden: set[str], root: Path = ROOT) -> None:
    """Fail when the package, fully imported, brought a forbidden name with it."""
    names = modules_of(package, root)
    loaded = loaded_by(names, root)
    assert names and set(names) <= loaded
    assert not forbidden & loaded, f"{package} imports {', '.join(sorted(forbidden & loaded))}"


@pytest.mark.parametrize("package", ["qa_demo.core", "qa_demo.figures", "qa_demo.views"])
def test_a_package_keeps_to_its_layer(package):
    check_layer(package, FORBIDDEN[package])


@pytest.mark.model
def test_the_model_knows_no_page():
    check_layer("qa_demo.model", FORBIDDEN["qa_demo.model"])


@pytest.mark.parametrize("statement", ["import wave", "from wave import Error", "def f():\n    pass\nimport wave as w"])
def test_the_check_can_fail(tmp_path, statement):
    (tmp_path / "house" / "inner").mkdir(parents=True)
    (tmp_path / "house" / "__init__.py").write_text("")
    (tmp_path / "house" / "inner" / "__init__.py").write_text("")
    check_layer("house", {"wave"}, tmp_path)
    (tmp_path / "house" / "inner" / "deep.py").write_text(statement + "\n")
    with pytest.raises(AssertionError, match="house imports wave"):
        check_layer("house", {"wave"}, tmp_path)


def test_a_module_that_cannot_be_imported_fails_the_check(tmp_path):
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__init__.py").write_text("import no_such_module_anywhere")
    with pytest.raises(AssertionError, match="no_such_module_anywhere"):
        check_layer("house", set(), tmp_path)
