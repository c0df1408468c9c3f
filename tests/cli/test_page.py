"""python -m qa_demo page: one file of the texts given, or of an example."""

import io
import json

import pytest

from tests.fake_infiller import FakeInfiller
from tests.model import kit
from tests.printed import inert

pytestmark = pytest.mark.slow


def test_the_file_is_of_the_texts_that_are_given(tmp_path, terminal, monkeypatch):
    monkeypatch.setattr("qa_demo.model.spanbert.load_spanbert", lambda *_, **__: FakeInfiller())
    out = tmp_path / "reading.html"
    said = terminal.asked("page", "--out", out)
    assert said == {"file": str(out), "bytes": out.stat().st_size}
    data = json.loads(inert(out.read_text(encoding="utf-8"), "saved"))
    assert len(data["pictures"]) > 20
    asked = [data["state"][name] for name in ("question", "max_seq_length", "reader")]
    assert asked == [kit.QUESTION, 40, str(terminal.folder)]
    assert data["pictures"]["answer/1"]["context"] == kit.CONTEXT


def test_picture_prints_the_blocks_of_a_state(tmp_path, monkeypatch, terminal):
    state = {"question": kit.QUESTION, "context": kit.CONTEXT, "max_seq_length": 40}
    state |= {"doc_stride": 7, "chapter": "answer", "selection": [0, 1]}
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state), encoding="utf-8-sig")
    asked = ["picture", "spans", "--reader", terminal.folder, "--state"]
    made = json.loads(terminal.run(*asked, path))
    assert (made["chapter"], made["step"], made["selection"]) == ("spans", 1, [0, 1])
    assert made["reader"] == str(terminal.folder)
    kinds = {block["key"]: block["kind"] for block in made["blocks"]}
    assert kinds["idea"] == kinds["finding"] == "sentence"
    piped = io.TextIOWrapper(io.BytesIO(path.read_bytes()), encoding="cp1252")
    monkeypatch.setattr("sys.stdin", piped)
    assert json.loads(terminal.run(*asked, "-")) == made
    asked[1] = "windows"
    path.write_text(json.dumps(state | {"step": 2}), encoding="utf-8")
    assert json.loads(terminal.run(*asked, path))["step"] == 2
