"""python -m qa_demo page: one file of the texts given, or one sentence why there is none."""

import json
import re
from pathlib import Path

import pytest

from qa_demo.cli.main import main
from tests.model import kit

pytestmark = pytest.mark.slow

SMALL = ["--max-seq-length", "40", "--doc-stride", "7"]
ASKED = ["--question", kit.QUESTION, "--context", kit.CONTEXT]


def test_the_file_holds_the_reading_and_the_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kit.save(tmp_path / "tiny", "bert", bio=True, threshold=100.0)
    out = tmp_path / "reading.html"
    how = ["--reader", str(folder), "--page", "https://class.example/", "--out", str(out)]
    assert main(["page", *ASKED, *how, *SMALL]) == 0
    text = out.read_text(encoding="utf-8")
    said = capsys.readouterr().out
    assert said == f"{out}: {len(text.encode()):,} bytes\n"
    block = re.search(r'<script type="application/json" id="saved">(.*?)</script>', text)
    assert block is not None
    data = json.loads(block[1])
    assert data["home"] == "https://class.example/"
    assert data["tape"]["reading"]["context"] == kit.CONTEXT
    assert len(data["tape"]["reading"]["windows"]) > 1
    assert len(data["tape"]["pictures"]) == 9


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "page needs --question and --context"),
        (["--question", "Who?"], "page needs --question and --context"),
        (["--example", "x", *ASKED], "leave out --question and --context"),
        (["--example", "nothing"], "there is no example 'nothing'; there are oresund, "),
        ([*ASKED, "--page", "file:///x"], "--page must be an address such as"),
        ([*ASKED, "--scale", "logit", "--null", "min_product"], "min_product"),
    ],
)
def test_what_cannot_be_saved_is_refused_in_one_sentence(
    flags: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["page", *flags, "--out", str(tmp_path / "x.html")]) == 2
    streams = capsys.readouterr()
    assert words in streams.err and streams.err.count("\n") == 1 and streams.out == ""
    assert not list(tmp_path.iterdir())
