"""Commands run in this process, and what they print."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from qa_demo.cli.main import main
from qa_demo.core.types import WindowOptions
from tests.model import kit

SMALL = ["--max-seq-length", "40", "--doc-stride", "7"]
OPTIONS = WindowOptions(max_seq_length=40, doc_stride=7)
ASKED = {"Who designed the bridge?": "George Rotne", "When was it opened?": "1998"}
ASKED |= {"What was painted?": "the tower"}
"""Questions on the kit's paragraph, and their answers."""
TEXTS = ["--question", kit.QUESTION, "--context", kit.CONTEXT]
PROGRESS = re.compile(r"question |part |scored by |.*: \d+ questions? \(first: ")


class Terminal:
    """Runs commands with one reader; `out` and `err` hold what the last one wrote."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.out = self.err = ""

    def run(self, *words: object, code: int = 0) -> str:
        """A command as it stands: what it printed."""
        try:
            left = main([str(word) for word in words])
        except SystemExit as leaving:
            left = int(leaving.code or 0)
        self.out, self.err = self._capsys.readouterr()
        assert left == code, self.err
        return self.out

    def read(self, command: str, *words: object, code: int = 0) -> str:
        """A command, with flags behind it, and the reader in small windows: what it printed."""
        name, *flags = command.split()
        return self.run(name, "--reader", self.folder, *SMALL, *flags, *words, code=code)

    def data(self, command: str, *words: object) -> dict[str, Any]:
        """The same with --json."""
        return json.loads(self.read(command, *words, "--json"))

    def ask(self, command: str, *words: object) -> str:
        """A command with the reader about the kit's question."""
        return self.read(command, *TEXTS, *words)

    def asked(self, command: str, *words: object) -> dict[str, Any]:
        """The same with --json."""
        return self.data(command, *TEXTS, *words)

    def refuses(self, reason: str, *words: object) -> None:
        """The command ends with code 2 and one sentence, which holds the reason."""
        assert self.run(*words, code=2) == "" and reason in self.err
        said = [line for line in self.err.splitlines() if not PROGRESS.match(line)]
        assert len(said) == 1 and "Traceback" not in self.err


def squad(path: Path, *, unanswerable: bool = False, **change: Any) -> Path:
    """A file of SQuAD's with `ASKED`; `change` goes into the first question."""
    qas = [kit.asked(f"q{k}", q, kit.CONTEXT, text) for k, (q, text) in enumerate(ASKED.items())]
    if unanswerable:
        qas.append(kit.asked("q9", "Who was the king?", kit.CONTEXT, is_impossible=True))
    qas[0] |= change
    return kit.written(path, [(kit.CONTEXT, qas)])


def lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """A file with a row of JSON on each line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
