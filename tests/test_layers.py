"""What each package may have imported, which rooms know each other, and no circles."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"torch", "transformers", "tokenizers", "safetensors", "captum", "accelerate"}
ROOMS = {"qa_demo.figures", "qa_demo.views", "qa_demo.model", "qa_demo.training"}
FORBIDDEN = {
    "qa_demo.core": HEAVY | ROOMS | {"gradio", "plotly", "pandas", "scipy"},
    "qa_demo.figures": HEAVY | ROOMS - {"qa_demo.figures"} | {"gradio", "plotly"},
    "qa_demo.views": HEAVY | {"qa_demo.model", "qa_demo.training"},
    "qa_demo.model": ROOMS - {"qa_demo.model"} | {"gradio", "plotly"},
}
ALLOWED = {
    "qa_demo.core": {"qa_demo.core"},
    "qa_demo.figures": {"qa_demo.core", "qa_demo.figures"},
    "qa_demo.model": {"qa_demo.core", "qa_demo.model"},
    "qa_demo.training": {"qa_demo.core", "qa_demo.model", "qa_demo.training"},
}
"""What a package may name of the house in any import: at the top, inside, under TYPE_CHECKING."""
LAYERS = ("qa_demo/figures", "qa_demo/views", "assets/page")
SCREENFUL = 40
"""Lines of the longest function: more are usually two ideas."""
MACHINERY = {"session", "api", "shared", "vendor", "lessons", "course", "bench", "link"}
MACHINERY |= {"cases", "saved", "worksheet"}
"""Folders beside the chapters' own."""
COLLECTS = {"qa_demo.views.page"}
"""What puts the chapters together, and so may name them."""
SCRIPT_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*(["'`])(.+?)\1""")
CODE = """
import importlib, sys
for floor in sys.argv[1:]:
    for name in floor.split(","):
        importlib.import_module(name)
    print(*sorted(sys.modules))
"""


def modules_of(package: str, root: Path = ROOT) -> list[str]:
    """The package and every module under it that exists on disk."""
    files = (root / package.replace(".", "/")).rglob("*.py")
    parts = [file.relative_to(root).with_suffix("").parts for file in files]
    return sorted(".".join(p[:-1] if p[-1] == "__init__" else p) for p in parts)


def check_layers(forbidden: dict[str, set[str]], root: Path = ROOT) -> None:
    """Fail when a package, imported whole by a fresh interpreter after those before it, brought one
    of its forbidden names with it.
    """
    floors = {package: modules_of(package, root) for package in forbidden}
    command = [sys.executable, "-c", CODE, *map(",".join, floors.values())]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for (package, names), said in zip(floors.items(), done.stdout.splitlines(), strict=True):
        loaded = set(said.split())
        assert names and set(names) <= loaded
        strange = forbidden[package] & loaded
        assert not strange, f"{package} imports {', '.join(sorted(strange))}"


def imports_of(module: str, known: set[str], root: Path = ROOT) -> set[str]:
    """The modules of `known` that a file imports anywhere, in functions too."""
    path = root / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    named: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, (
                f"{file} has a relative import, which this check does not follow"
            )
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= {name if name in known else node.module for name in inner}
    return (named & known) - {module}


def find_circle(arrows: dict[str, set[str]]) -> list[str] | None:
    """Modules that import each other in a circle, the first again at the end; or None."""
    left = {name: set(targets) for name, targets in arrows.items()}
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    if not left:
        return None
    path = [min(left)]
    # every module left imports another one that is left, so the walk returns to where it was
    while path.count(path[-1]) == 1:
        path.append(min(left[path[-1]] & left.keys()))
    return path[path.index(path[-1]) :]


def arrows_of(package: str, root: Path = ROOT) -> dict[str, set[str]]:
    """For each module of a package the modules of the same package that it imports."""
    names = set(modules_of(package, root))
    return {name: imports_of(name, names, root) for name in names}


def test_no_modules_import_each_other_in_a_circle():
    circle = find_circle(arrows_of("qa_demo"))
    assert circle is None, " -> ".join(circle or [])


def chapters_in(folder: Path) -> set[str]:
    """The folders of a layer that are chapters."""
    return {f.name for f in folder.iterdir() if f.is_dir() and f.name[0].isalpha()} - MACHINERY


def scripts(folder: Path) -> dict[str, set[str]]:
    """For each script under a folder the scripts that it imports, as paths from that folder."""
    found = {}
    for file in sorted(folder.rglob("*.js")):
        at = file.relative_to(folder).as_posix()
        named = [name for _, name in SCRIPT_IMPORT.findall(file.read_text(encoding="utf-8"))]
        found[at] = {os.path.normpath(os.path.join(os.path.dirname(at), name)) for name in named}
    return found


def crossings(arrows: dict[str, set[str]], chapter: Callable[[str], str | None]) -> list[str]:
    """Every arrow that leads into a chapter from outside of it."""
    return [
        f"{name} imports {target}"
        for name, targets in sorted(arrows.items())
        for target in sorted(targets)
        if chapter(target) not in (None, chapter(name))
    ]


def test_chapters_have_the_same_names_in_every_layer():
    names = [chapters_in(ROOT / layer) for layer in LAYERS]
    assert names[0] == names[1] == names[2] and len(names[0]) == 9


def test_no_chapter_is_imported_from_outside_of_it():
    names = chapters_in(ROOT / "qa_demo/views")

    def chapter(module: str) -> str | None:
        parts = module.split(".")
        inside = parts[1:2] in (["figures"], ["views"]) and parts[2:3] and parts[2] in names
        return parts[2] if inside else None

    known = set(modules_of("qa_demo"))
    arrows = {name: imports_of(name, known) for name in known - COLLECTS}
    found = crossings(arrows, chapter)
    assert not found, "; ".join(found)
    arrows["qa_demo.figures.prose"] = {"qa_demo.figures.loss.terms", "qa_demo.core.reading.spans"}
    arrows["qa_demo.views.bio.bench"] = {"qa_demo.figures.loss.terms", "qa_demo.figures.bio.spans"}
    assert crossings(arrows, chapter) == [
        "qa_demo.figures.prose imports qa_demo.figures.loss.terms",
        "qa_demo.views.bio.bench imports qa_demo.figures.loss.terms",
    ], "this check can fail"


def test_no_script_of_a_chapter_is_imported_from_outside_of_it():
    folder = ROOT / "assets/page"
    names, arrows = chapters_in(folder), scripts(folder)

    def chapter(script: str) -> str | None:
        first = script.split("/")[0]
        return first if first in names else None

    found = crossings(arrows, chapter)
    assert not found, "; ".join(found)
    computed = {name for name, targets in arrows.items() if any("$" in t for t in targets)}
    assert computed == {"shared/chapter.js"}, "one place loads a chapter by its name"
    known = {name: targets & arrows.keys() for name, targets in arrows.items()}
    assert sum(map(len, known.values())) > len(known), "the imports are found"
    circle = find_circle(known)
    assert circle is None, " -> ".join(circle or [])


def test_imports_of_scripts_are_found_however_they_are_written(tmp_path):
    (tmp_path / "loss").mkdir()
    (tmp_path / "loss" / "a.js").write_text(
        'import "./one.js";\nimport { x,\n y } from "../shared/two.js";\n'
        "export * from './three.js';\nconst f = () => import(`../${four}/five.js`);\n"
    )
    wanted = {"loss/one.js", "shared/two.js", "loss/three.js", "${four}/five.js"}
    assert scripts(tmp_path)["loss/a.js"] == wanted


def long_functions(file: Path) -> list[str]:
    """The functions of a file that fill more than one screen."""
    return [
        f"{file.name}: {node.name}, {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > SCREENFUL
    ]


@pytest.mark.parametrize("package", ["core", "figures", "views", "cli", "model", "training"])
def test_every_function_fits_one_screen(package):
    files = sorted((ROOT / "qa_demo" / package).rglob("*.py"))
    assert files
    assert [name for file in files for name in long_functions(file)] == []


def test_a_long_function_is_found_wherever_it_stands(tmp_path):
    body = "        x = 1\n" * SCREENFUL
    (tmp_path / "a.py").write_text(f"class A:\n    def f(self):\n{body}\n    def g(self): ...\n")
    assert long_functions(tmp_path / "a.py") == [f"a.py: f, {SCREENFUL + 1} lines"]


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_names_no_other_room_of_the_house(package):
    house = set(modules_of("qa_demo"))
    for module in modules_of(package):
        strange = {
            name
            for name in imports_of(module, house)
            if not any(f"{name}.".startswith(f"{a}.") for a in ALLOWED[package])
        }
        assert not strange, f"{module} imports {', '.join(sorted(strange))}"


@pytest.mark.parametrize(
    "statement",
    [
        "import house.a",
        "from house import a",
        "from house.a import thing",
        "def f():\n    from house.a import thing",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.a import thing",
    ],
)
def test_a_circle_is_found_wherever_the_import_stands(tmp_path, statement):
    (tmp_path / "house").mkdir()
    for name, imported in (("__init__", ""), ("a", "b"), ("b", "c"), ("c", ""), ("d", "a")):
        text = f"from house import {imported}" if imported else ""
        (tmp_path / "house" / f"{name}.py").write_text(text)
    assert find_circle(arrows_of("house", tmp_path)) is None
    (tmp_path / "house" / "c.py").write_text(statement)
    assert find_circle(arrows_of("house", tmp_path)) == ["house.a", "house.b", "house.c", "house.a"]


def test_each_floor_keeps_to_its_layer():
    floors = ("qa_demo.core", "qa_demo.figures", "qa_demo.views")
    check_layers({floor: FORBIDDEN[floor] for floor in floors})


@pytest.mark.model
def test_the_model_knows_no_page():
    check_layers({"qa_demo.model": FORBIDDEN["qa_demo.model"]})


@pytest.mark.parametrize(
    "statement", ["import wave", "from wave import Error", "def f():\n    pass\nimport wave as w"]
)
def test_the_check_can_fail(tmp_path, statement):
    (tmp_path / "house" / "inner").mkdir(parents=True)
    (tmp_path / "house" / "__init__.py").write_text("")
    (tmp_path / "house" / "inner" / "__init__.py").write_text("")
    check_layers({"house": {"wave"}}, tmp_path)
    (tmp_path / "house" / "inner" / "deep.py").write_text(statement + "\n")
    with pytest.raises(AssertionError, match="house imports wave"):
        check_layers({"house": {"wave"}}, tmp_path)
