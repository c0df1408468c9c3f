"""The loader of examples and passages: what it keeps, and what it refuses with the text's id."""

import json
from pathlib import Path
from typing import Any

import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.types import Answer, WindowOptions
from qa_demo.examples import load_examples, load_passages

ABOUT = {"title": "T", "kind": "plain", "reason": "R."}
EXAMPLE: dict[str, Any] = ABOUT | {
    "id": "a",
    "question": "Who?",
    "context": "Ann met Bo.",
    "answers": [{"text": "Ann", "char_start": 0}],
    "promise": ["right"],
}
HIDDEN = [{"text": "met", "char_start": 4}]
PASSAGE: dict[str, Any] = ABOUT | {"id": "b", "text": "Ann met Bo.", "hidden": HIDDEN}
PASSAGE |= {"promise": ["words == 1"]}


def written(path: Path, *entries: dict[str, Any]) -> Path:
    file = path / "texts.json"
    file.write_text(json.dumps(entries), encoding="utf-8")
    return file


def test_an_example_comes_back_with_its_own_windows_or_the_usual_ones(tmp_path: Path) -> None:
    small = {**EXAMPLE, "id": "small", "options": {"max_seq_length": 40}}
    usual, other = load_examples(written(tmp_path, EXAMPLE, small))
    assert (usual.question, usual.answers) == ("Who?", (Answer("Ann", 0),))
    assert usual.promise == ("right",)
    assert (usual.windows, usual.options) == (None, WindowOptions())
    assert other.windows == other.options == WindowOptions(max_seq_length=40)


def test_a_fault_names_the_text(tmp_path: Path) -> None:
    for text in ("Bo", ""):
        wrong = EXAMPLE | {"answers": [{"text": text, "char_start": 0}]}
        with pytest.raises(BadInput, match=f"example 'a': no '{text}' at character 0"):
            load_examples(written(tmp_path, wrong))
    for hidden, said in (
        ([{"text": "Met", "char_start": 4}], "passage 'b': no 'Met' at character 4"),
        ([], "passage 'b' hides nothing"),
    ):
        with pytest.raises(BadInput, match=said):
            load_passages(written(tmp_path, PASSAGE | {"hidden": hidden}))


@pytest.mark.parametrize(("load", "entry"), [(load_examples, EXAMPLE), (load_passages, PASSAGE)])
def test_an_id_stands_once(tmp_path: Path, load: Any, entry: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"two \w+s have the id"):
        load(written(tmp_path, entry, entry))
