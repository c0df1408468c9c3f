"""SQuAD files: what is read, and a fault named by file, article, paragraph and question."""

import gzip
import json

import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.squad import examples_of, read_squad
from qa_demo.core.types import Answer, Example

CONTEXT = "Ada wrote notes."


def document(**changes):
    answers = [{"text": "Ada", "answer_start": 0}, {"text": "notes", "answer_start": 10}]
    qa = {"id": "q1", "question": "Who?", "answers": answers, **changes}
    article = {"title": "Ada", "paragraphs": [{"context": CONTEXT, "qas": [qa]}]}
    return {"version": "1.1", "data": [article]}


def write(tmp_path, content, name="dev.json"):
    """Bytes as they are; anything else as JSON, packed where the name says so."""
    path = tmp_path / name
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
        content = gzip.compress(content) if name.endswith(".gz") else content
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["dev.json", "dev.json.gz"])
def test_a_question_is_read(tmp_path, name):
    assert read_squad(write(tmp_path, document(), name)) == [
        Example("q1", "Who?", CONTEXT, (Answer("Ada", 0), Answer("notes", 10)), False, "Ada")
    ]


def test_a_list_of_answers_keeps_its_places_in_text_order_for_each_annotator(tmp_path):
    held = document(spans=[[[10, 15], [0, 3]], [[0, 9]]])
    for found in (read_squad(write(tmp_path, held)), examples_of(held, "dev.json", False)):
        assert found[0].spans == (((0, 3), (10, 15)), ((0, 9),))


def test_unanswerable_questions(tmp_path):
    assert read_squad(write(tmp_path, document(answers=[], is_impossible=True)))[0].is_impossible
    assert read_squad(write(tmp_path, document(answers=[])))[0].is_impossible


def one_answer(text, start):
    return {"answers": [{"text": text, "answer_start": start}]}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"id": 7}, ": 'id' must be a str, got int"),
        ({"question": None}, ", question q1: 'question' must be a str, got NoneType"),
        ({"answers": "Ada"}, ", question q1: 'answers' must be a list, got str"),
        ({"answers": [{"text": "Ada"}]}, "q1: 'answer_start' must be a int, got NoneType"),
        ({"answers": ["Ada"]}, "q1: 'text' must be a str, got NoneType"),
        (one_answer("Ada", 1), "q1: answer_start 1 does not point to the answer 'Ada' in the con"),
        (one_answer("es", -3), "q1: answer_start -3 does not point to the answer 'es' in the con"),
        ({"spans": 3}, "question q1: 'spans' must be a list, got int"),
        (
            {"spans": [[[0, 3]], []]},
            "'spans' of annotator 1 must be a list of [start, end], got []",
        ),
        ({"spans": [[[3, 3]]]}, "'spans' of annotator 0 must hold [start, end] with 0 <= start <"),
        ({"spans": [[[0, 17]]]}, "0 <= start < end <= 16, got [0, 17]"),
        ({"spans": [[[0, True]]]}, "0 <= start < end <= 16, got [0, True]"),
        ({"spans": [[[-1, 2]]]}, "0 <= start < end <= 16, got [-1, 2]"),
    ],
)
def test_a_fault_in_a_question_is_named(tmp_path, changes, fault):
    with pytest.raises(BadInput) as error:
        read_squad(write(tmp_path, document(**changes)))
    said = str(error.value)
    assert said.startswith("dev.json, article 0, paragraph 0") and fault in said


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([], ": 'data' must be a list, got NoneType"),
        ({"data": [{"title": "x"}]}, ", article 0: 'paragraphs' must be a list, got NoneType"),
        ({"data": [{"paragraphs": [{"qas": []}]}]}, "paragraph 0: 'context' must be a str, got No"),
        ({"data": [{"paragraphs": [{"context": "x"}]}]}, "paragraph 0: 'qas' must be a list, got"),
        (b"{", " is not a readable SQuAD file"),
        (b'{"data": ' + b"9" * 5000 + b"}", " is not a readable SQuAD file"),
        (b"\xff\xfe", " is UTF-16"),
    ],
)
def test_a_fault_in_the_file_is_named(tmp_path, content, fault):
    with pytest.raises(BadInput) as error:
        read_squad(write(tmp_path, content))
    assert str(error.value).startswith("dev.json") and fault in str(error.value)


def test_broken_archives_and_missing_files(tmp_path):
    whole = gzip.compress(json.dumps(document()).encode())
    broken = whole[:15] + b"\x07\x07\x07" + whole[18:]
    for name, raw in (("short.json.gz", whole[:-12]), ("bits.json.gz", broken)):
        with pytest.raises(
            BadInput, match=f"{name} (cannot be read|is not a readable SQuAD file): "
        ):
            read_squad(write(tmp_path, raw, name))
    with pytest.raises(BadInput, match=r"gone\.json cannot be read: No such file"):
        read_squad(tmp_path / "gone.json")


@pytest.mark.parametrize("start", [1, "x", None])
def test_scoring_needs_the_texts_only(start):
    held = document(answers=[{"text": "Ada", "answer_start": start}])
    assert [a.text for a in examples_of(held, "dev.json", False)[0].answers] == ["Ada"]
