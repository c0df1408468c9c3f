"""python -m qa_demo page: one file of the texts given."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.model import kit

pytestmark = pytest.mark.slow


def test_the_file_holds_the_reading_and_the_address(tmp_path: Path, terminal: Terminal) -> None:
    out = tmp_path / "reading.html"
    said = terminal.asked("page", "--page", "https://class.example/", "--out", out)
    text = out.read_text(encoding="utf-8")
    assert said == {"file": str(out), "bytes": len(text.encode())}
    block = re.search(r'<script type="application/json" id="saved">(.*?)</script>', text)
    assert block is not None
    data = json.loads(block[1])
    assert data["home"] == "https://class.example/"
    assert data["tape"]["reading"]["context"] == kit.CONTEXT
    assert len(data["tape"]["reading"]["windows"]) > 1
    assert len(data["tape"]["pictures"]) == 9
