"""python -m tests.size prints the tables of CONTRIBUTING.md: lines, and a page load."""

import subprocess
from collections import Counter
from pathlib import Path

from qa_demo.server.page_files import page_files
from qa_demo.views.page import CHAPTERS

ROOT = Path(__file__).resolve().parents[1]
KINDS = (".py", ".js", ".css")


def lines() -> dict[Path, int]:
    """Lines of every file of code that git knows, without what others wrote."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    paths = [Path(name) for name in listed if name.endswith(KINDS) and "vendor" not in name]
    return {path: (ROOT / path).read_text(encoding="utf-8").count("\n") for path in paths}


def layer(path: Path) -> str:
    """qa_demo/core and its like; assets and tests as a whole, by language."""
    first = path.parts[0]
    if first == "qa_demo":
        return "/".join(path.parts[:2]) if len(path.parts) > 2 else "qa_demo"
    return f"{first}, {path.suffix[1:]}"


def tables() -> str:
    """Three tables in Markdown."""
    found, layers, chapters = lines(), Counter[str](), Counter[str]()
    keys = [module.CHAPTER.key for module in CHAPTERS]
    for path, count in found.items():
        layers[layer(path)] += count
        for key in keys:
            if key in path.parts and path.parts[0] != "tests":
                chapters[key] += count
    said = ["| layer | lines |", "|---|---|"]
    said += [f"| {name} | {count:,} |" for name, count in sorted(layers.items())]
    said += ["", "| chapter, all layers | lines |", "|---|---|"]
    said += [f"| {key} | {chapters[key]:,} |" for key in keys]
    said += ["", "| request of a page load | bytes, packed |", "|---|---|"]
    said += [f"| {name} | {len(file.packed):,} |" for name, file in page_files().items()]
    return "\n".join(said)


if __name__ == "__main__":
    print(tables())  # noqa: T201 - what the command is for
