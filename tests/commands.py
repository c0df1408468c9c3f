"""The commands that README.md and the pages in docs/ show, one line each."""

import re

from tests.documents import TEXT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = "──"
PROMPT = "$ "
INLINE = re.compile(r"`(?:\.venv/bin/)?(python -m [^`\n]+|page --[^`\n]+)`")


def blocks() -> list[list[str]]:
    """The commands of every block; of one that shows its output, those behind the prompt."""
    found = []
    for kind, text in BLOCK.findall(TEXT):
        lines = re.sub(r"\\\n\s*", "", text).replace(".venv/bin/", "").splitlines()
        asked = [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]
        if not kind and PICTURE not in text:
            found.append(asked or lines)
    return found


def block(word: str) -> list[str]:
    """The commands of the one block that holds `word`."""
    (found,) = [lines for lines in blocks() if any(word in line for line in lines)]
    return found


def shown() -> list[str]:
    """All of them, also those within a sentence."""
    return [line for lines in blocks() for line in lines] + INLINE.findall(TEXT)


def python() -> list[str]:
    """The blocks of Python."""
    return [text for kind, text in BLOCK.findall(TEXT) if kind == "python"]
