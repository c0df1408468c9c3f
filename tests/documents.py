"""What a reader of this project is given to read, and the commands that it shows."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
"""Each page by its path in the checkout."""
README = PAGES["README.md"]
TEXT = "\n".join(PAGES.values())
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
START, TEST = re.findall(r"^```\n(python3 .*)\n```$", README, re.MULTILINE)
"""README's two commands."""
PYTHON = [text for kind, text in SHOWN if kind == "python"]
PICTURE, PROMPT = "──", "$ "


def commands(text: str) -> list[str]:
    """The commands of a block, one line each; of one that shows its output, those behind $."""
    lines = re.sub(r"\\\n\s*", "", text).replace(".venv/bin/", "").splitlines()
    return [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)] or lines


BLOCKS = [commands(text) for kind, text in SHOWN if not kind and PICTURE not in text]
COMMANDS = [line for lines in BLOCKS for line in lines]
COMMANDS += re.findall(r"`(?:\.venv/bin/)?(python -m [^`\n]+|page --[^`\n]+)`", TEXT)
"""All of them, also those within a sentence."""


def block(word: str) -> list[str]:
    """The commands of the one block that holds `word`."""
    (found,) = [lines for lines in BLOCKS if any(word in line for line in lines)]
    return found
