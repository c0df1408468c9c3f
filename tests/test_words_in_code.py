"""Docstrings and comments name files, modules and names that exist, in Python and in JavaScript."""

import ast
import io
import re
import subprocess
import tokenize
from functools import cache
from pathlib import Path

import pytest

from tests.documents import ROOT

ROOMS = ("", "qa_demo", "assets", "assets/page")
"""Where a path in a comment may begin, beside the folder of its own file."""
FOREIGN = {
    "run_squad.py": "BERT's and transformers' script",
    "src/eval_script.py": "the script of MultiSpanQA",
    "plotly.js": "the library",
    "NAME.md": "stands for any lesson",
    "data/site.js": "written into an edition",
    "compute_loss": "of BERT's run_squad.py",
    "write_predictions": "of BERT's run_squad.py",
    "convert_examples_to_features": "of BERT's run_squad.py",
    "_check_is_max_context": "of BERT's run_squad.py",
}
"""Names of other people's code, of what a command writes, and of what stands for any name."""
FILE = re.compile(r"(?<![\w/.*{}<>-])((?:[\w-]+/)*[\w-]+\.(?:py|js|css|md))\b")
MODULE = re.compile(
    r"\b(?:qa_demo\.)?((?:core|figures|views|training|cli|server)(?:\.[a-z_]\w*)+)\b"
)
NAME = re.compile(r"`([A-Za-z_]\w*)`")


@cache
def sources() -> tuple[Path, ...]:
    """The Python and JavaScript of the checkout, vendored libraries left out."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = map(Path, names.splitlines())
    return tuple(
        path
        for path in paths
        if path.suffix in (".py", ".js")
        and "vendor" not in path.parts
        and path.name != Path(__file__).name  # what it makes up would be there
        and (ROOT / path).is_file()
    )


@cache
def files() -> tuple[str, ...]:
    """Every file that a comment may mean, with / before its path."""
    return tuple(
        "/" + path.relative_to(ROOT).as_posix()
        for room in ("qa_demo", "assets", "tests", "deploy", "docs")
        for path in (ROOT / room).rglob("*.*")
    )


@cache
def halves(path: Path, text: str) -> tuple[str, str]:
    """What a source says, comments and docstrings (those of attributes too), and the rest of it."""
    if path.suffix == ".js":
        comment = re.compile(r"(?:^|\s)//.*|^\s*/?\*.*", re.MULTILINE)
        return "\n".join(comment.findall(text)), comment.sub("", text)
    told = {
        (node.lineno, node.col_offset): node.value.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    rest = [t.string for t in tokens if t.type != tokenize.COMMENT and t.start not in told]
    return "\n".join([*comments, *told.values()]), "\n".join(rest)


@cache
def words() -> frozenset[str]:
    """Every word of the code, what is only said about it left out, and the names of its files."""
    found: set[str] = set()
    for path in sources():
        rest = halves(path, (ROOT / path).read_text(encoding="utf-8"))[1]
        found |= {*re.findall(r"\w+", rest), *path.parts, path.stem}
    return frozenset(found)


def is_file(name: str, beside: Path) -> bool:
    """Whether a path, or a bare name that only one file bears, leads to a file."""
    places = [ROOT / room / name for room in ROOMS] + [ROOT / beside.parent / name]
    ends = [path for path in files() if path.endswith(f"/{name}")]
    return any(place.is_file() for place in places) or len(ends) == 1


def is_module(dotted: str) -> bool:
    """Whether the first parts are a package or a module; what a module holds is not looked up."""
    parts = dotted.split(".")
    module = any(
        (ROOT / "qa_demo" / "/".join(parts[:cut])).with_suffix(".py").is_file()
        for cut in range(2, len(parts) + 1)
    )
    return module or (ROOT / "qa_demo" / "/".join(parts)).is_dir()


def lost(path: Path, text: str) -> list[str]:
    """What comments and docstrings name and nobody has."""
    told = halves(path, text)[0]
    missing = [name for name in FILE.findall(told) if not is_file(name, path)]
    missing += [
        name for name in MODULE.findall(told) if not FILE.search(name) and not is_module(name)
    ]
    missing += [name for name in NAME.findall(told) if name not in words()]
    return [name for name in missing if name not in FOREIGN]


def test_comments_and_docstrings_name_what_is_there() -> None:
    assert len(sources()) > 500
    found = {
        path.as_posix(): lost(path, (ROOT / path).read_text(encoding="utf-8")) for path in sources()
    }
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("name", "text", "missing"),
    [
        ("qa_demo/app.py", '"""Drawn by gone.js."""\n', ["gone.js"]),
        (
            "qa_demo/app.py",
            "x = 1  # see views/gone.py and core.gone.f\n",
            ["views/gone.py", "core.gone.f"],
        ),
        ("qa_demo/app.py", 'x = 1\n"""Of `gone_and_lost`."""\n', ["gone_and_lost"]),
        (
            "assets/page/main.js",
            "// by picture/gone.js\nlet x; // `lost_too`\n",
            ["picture/gone.js", "lost_too"],
        ),
        ("assets/page/main.js", "const told = 'gone.js';\n", []),
        ("qa_demo/app.py", '"""Of run_squad.py; core.reading.spans.band."""\n', []),
    ],
)
def test_what_is_gone_is_found(name: str, text: str, missing: list[str]) -> None:
    assert lost(Path(name), text) == missing
