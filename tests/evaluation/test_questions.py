"""The same questions in every layout, and what is wrong with a file in one sentence."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from qa_demo.core.base import BadInput
from qa_demo.core.types import Answer, Example
from qa_demo.evaluation.questions import from_rows, read_questions, read_squad

CONTEXT = 'Ada wrote "notes", then\nBob wrote notes.'
WANTED = [
    Example("a", "Who wrote first?", CONTEXT, (Answer("Ada", 0),), False, "T"),
    Example("b", "What?", CONTEXT, (Answer("notes", 11), Answer("notes", 34)), False, "T"),
    Example("c", "Why?", CONTEXT, (), True, "T"),
]


def rows() -> list[dict]:
    found = []
    for e in WANTED:
        texts, starts = [a.text for a in e.answers], [a.char_start for a in e.answers]
        about = {"id": e.id, "title": e.title, "context": e.context, "question": e.question}
        found.append(about | {"answers": {"text": texts, "answer_start": starts}})
    return found


def squad() -> dict:
    qas = []
    for e in WANTED:
        answers = [{"text": a.text, "answer_start": a.char_start} for a in e.answers]
        about = {"id": e.id, "question": e.question, "is_impossible": e.is_impossible}
        qas.append(about | {"answers": answers})
    return {"data": [{"title": "T", "paragraphs": [{"context": CONTEXT, "qas": qas}]}]}


HEAD = "question,context,answer\n"
TEXTS = {
    "squad.json": json.dumps(squad()),
    "list.json": json.dumps(rows()),
    "data.json": json.dumps({"version": "x", "data": rows()}),
    "lines.jsonl": "\n".join(map(json.dumps, rows())) + "\n\n",
    "lines.json": "\n".join(map(json.dumps, rows())),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("zipped", [False, True])
def test_the_same_questions_in_every_layout(
    name: str, mark: bytes, zipped: bool, tmp_path: Path
) -> None:
    raw = mark + TEXTS[name].encode()
    path = tmp_path / (f"{name}.gz".upper() if zipped else name)
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    assert read_questions(path).examples == WANTED


def test_a_json_file_may_hold_one_row_or_none(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(rows()[0]))
    assert read_questions(tmp_path / "one.json").examples == WANTED[:1]
    (tmp_path / "none.json").write_text("[]")
    assert read_questions(tmp_path / "none.json").examples == []


def test_a_table_of_question_context_and_answer(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    quoted = CONTEXT.replace('"', '""')
    path.write_bytes(
        f'\ufeffquestion,answer,context\r\nWho wrote first?,Ada,"{quoted}"\r\n'
        f'What?,notes,"{quoted}"\r\nWhy?,,"{quoted}"\r\n'.encode()
    )
    first, second, third = read_questions(path).examples
    assert first == Example("1", "Who wrote first?", CONTEXT, (Answer("Ada", 0),))
    assert second.answers == (Answer("notes", -1),), "the text stands twice: its place is unknown"
    assert (third.answers, third.is_impossible, third.id) == ((), True, "3")
    for start, place in (("34", 34), ("34.0", 34), ("", -1)):
        row = f'What?,notes,{start},"{quoted}"'
        path.write_text(f"question,answer,answer_start,context\n{row}\n")
        assert read_questions(path).examples[0].answers == (Answer("notes", place),)


def test_a_table_between_tabs(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text('id\tquestion\tcontext\tanswer\n0\t"Who, then?\tAda, it was.\tAda\n1\tq\tc\t\n')
    first, second = read_questions(path).examples
    assert first == Example("0", '"Who, then?', "Ada, it was.", (Answer("Ada", 0),))
    assert (second.id, second.answers) == ("1", ()), "a quotation mark swallows no row"


def test_0_is_an_id_and_two_rows_never_share_one() -> None:
    three = [row | {"id": k} for k, row in enumerate(rows())]
    assert [e.id for e in from_rows(three, "x").examples] == ["0", "1", "2"]
    unnamed = [{k: v for k, v in row.items() if k != "id"} for row in rows()]
    assert [e.id for e in from_rows(unnamed, "x").examples] == ["1", "2", "3"]
    with pytest.raises(BadInput, match="x: questions 1 and 3 share the id 'a'"):
        from_rows([rows()[0], rows()[1], rows()[0]], "x")
    with pytest.raises(BadInput, match=r"x: questions 1 and 2 share the id '2'.* its number"):
        from_rows([rows()[0] | {"id": "2"}, rows()[1] | {"id": None}], "x")
    with pytest.raises(BadInput, match="row 1: 'id' must be a text or a number, got list"):
        from_rows([rows()[0] | {"id": [1]}], "x")


def test_answers_in_other_layouts() -> None:
    placed = {"text": "Ada", "answer_start": 0}
    for answers in (["Ada"], [placed], [{"text": "Ada"}], placed):
        (found,) = from_rows([rows()[0] | {"answers": answers}], "x").examples
        assert found == WANTED[0]


def test_rows_of_arrays_are_the_same_rows() -> None:
    """`datasets` with the format numpy, and pandas, which reads lists of Parquet as arrays."""
    arrays = rows()
    for k, row in enumerate(arrays):
        held = {name: np.array(values) for name, values in row["answers"].items()}
        row |= {"answers": held, "level": np.int64(k)}
    found = from_rows(arrays, "rows").examples
    assert [replace(one, columns=()) for one in found] == WANTED
    assert [one.columns for one in found] == [(("level", str(k)),) for k in range(3)]
    (numbered,) = from_rows([arrays[0] | {"id": np.int64(0)}], "rows").examples
    assert numbered.id == "0" and numbered.answers == WANTED[0].answers


def test_a_place_may_be_any_whole_number_and_is_never_guessed() -> None:
    """Of `datasets` with the format torch, and of a table with gaps; notes stands twice."""
    for start in (34, np.array(34), torch.tensor(34), 34.0):
        for held in (start, [start]):
            row = rows()[0] | {"answers": {"text": "notes", "answer_start": held}}
            assert from_rows([row], "x").examples[0].answers == (Answer("notes", 34),)
    for missing in (None, float("nan")):
        row = rows()[0] | {"answers": {"text": ["notes"], "answer_start": [missing]}}
        assert from_rows([row], "x").examples[0].answers == (Answer("notes", -1),)
    for wrong in ("34", 3.5, float("inf")):
        row = rows()[0] | {"answers": {"text": ["notes"], "answer_start": [wrong]}}
        with pytest.raises(BadInput, match="x, row 1: 'answer_start' must be a whole number"):
            from_rows([row], "x")


def test_rows_that_hold_nothing_are_left_out_and_numbered(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,context,answer\n,,\nWho?,Ada did.,Ada\n , ,\nWho?,Bob did.,Bob\n")
    found = read_questions(path)
    assert [e.id for e in found.examples] == ["2", "4"]
    assert found.remarks == ("2 rows are empty and left out (first: row 1)",)
    nothing = {"question": "", "context": None, "answers": {"text": [], "answer_start": []}}
    assert "1 row is empty" in from_rows([nothing, rows()[0]], "x").remarks[0]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.jsonl", '{"question": "q", "answers": []}', "a.jsonl, row 1: 'context' must be text"),
        ("a.jsonl", json.dumps(rows()[0]) + "\n{", "a.jsonl, line 2 is not JSON"),
        ("a.parquet.gz", "PAR1", "a.parquet.gz is Parquet; save it as JSON lines"),
        ("a.jsonl", "7", "row 1 must be an object, got int"),
        ("a.csv", "question,context\nq,c\n", "no column 'answer' to score .*answer --jsonl"),
        ("a.tsv", "question\tanswer\nq\tc\n", "the column 'context' is missing"),
        ("a.csv", "question;context;answer\nq;c;a\n", "cells are parted by semicolons"),
        ("a.jsonl", '{"header": {"dataset": "X"}}\n', "row 1 is the header of an MRQA file; leave"),
        ("a.jsonl", '{"context": "c", "qas": []}', "row 1 is a paragraph with several questions"),
        (
            "a.jsonl",
            '{"question": "q", "context": "c", "detected_answers": []}',
            "row 1 has MRQA's 'detected_answers'; give 'answers'",
        ),
        ("a.json", '[{"context": "c", "qas": []}]', "a bare list of paragraphs; SQuAD's layout"),
        ("a.csv", f'{HEAD}"q\nr', "the row from line 2 cannot be read:"),
        ("a.csv", f'{HEAD}q,"c\nd",a\n\nq,c\n', "line 5: the row has 2 cells, the header 3"),
        ("a.csv", "answer_start," + HEAD + "zero,q,c,a\n", "must be a whole number, got 'zero'"),
        (
            "a.csv",
            f"{HEAD}q,c,1,064\n",
            "line 2: the row has 4 cells, the header 3; cells are parted by commas",
        ),
        ("a.json", "{", "a.json is not readable as JSON: .* named .jsonl, .csv or .tsv"),
        ("a.json", '[{"query": "q"}]', "a.json, row 1: 'question' must be text, got NoneType"),
        ("a.json", '[{"question": "q", "context": "c"}]', "no 'answers' .*; .*answer --jsonl FILE"),
        ("a.json", '[{"question": "q", "context": "c", "answers": 3}]', "must be an object"),
    ],
)
def test_a_fault_is_one_sentence(name: str, text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=words):
        read_questions(tmp_path / name)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no\.json cannot be read"):
        read_questions(tmp_path / "no.json")
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(b"{}")[:10])
    with pytest.raises(BadInput, match=r"cut\.json\.gz cannot be read"):
        read_questions(tmp_path / "cut.json.gz")
    (tmp_path / "latin.csv").write_bytes("Malmö".encode("latin-1"))
    with pytest.raises(BadInput, match="not UTF-8: byte 4"):
        read_questions(tmp_path / "latin.csv")


def test_lists_that_do_not_fit() -> None:
    row = rows()[0] | {"answers": {"text": ["a", "b"], "answer_start": [1]}}
    with pytest.raises(BadInput, match="2 answer texts have 1 answer_start"):
        from_rows([row], "x")
    row = rows()[0] | {"answers": {"text": [3], "answer_start": [1]}}
    with pytest.raises(BadInput, match="must be text, got int"):
        from_rows([row], "x")


def squad_file(tmp_path: Path, content: object = None, **change: object) -> Path:
    """SQuAD's layout with one question, `change` in it; other content as it is."""
    qa: dict = {"id": "q1", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]}
    article = {"title": "T", "paragraphs": [{"context": "Ada wrote notes.", "qas": [qa | change]}]}
    path = tmp_path / "dev.json"
    if not isinstance(content, bytes):
        content = json.dumps({"data": [article]} if content is None else content).encode()
    path.write_bytes(content)
    return path


def test_training_reads_squad_with_lists_in_text_order(tmp_path: Path) -> None:
    path = squad_file(tmp_path, spans=[[[10, 15], [0, 3]], [[0, 9]]])
    wanted = Example("q1", "Who?", "Ada wrote notes.", (Answer("Ada", 0),), False, "T")
    assert read_squad(path) == [replace(wanted, spans=(((0, 3), (10, 15)), ((0, 9),)))]
    assert read_squad(squad_file(tmp_path, answers=[]))[0].is_impossible
    assert read_squad(squad_file(tmp_path, id=262))[0].id == "262", "whole numbers are ids"


def placed(text: str, start: object) -> list:
    return [{"text": text, "answer_start": start}]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": [7]}, ": 'id' must be a text or a number, got list"),
        ({"id": True}, ": 'id' must be a text or a number, got bool"),
        ({"question": None}, "question q1: 'question' must be text, got NoneType"),
        ({"answers": "Ada"}, "question q1: 'answers' must be an object"),
        ({"answers": placed("Ada", 1)}, "q1: answer_start does not point to the answer"),
        ({"answers": placed("Eve", 0)}, "q1: answer_start does not point to the answer"),
        *(
            ({"spans": wrong}, "'spans' must hold for each annotator a list of [start, end] with 0")
            for wrong in (3, [[[0, 3]], []], [[[3, 3]]], [[[0, 17]]], [[[0, True]]], [[[0, 1, 2]]])
        ),
        ({"content": {"data": [{"title": "x"}]}}, ", article 0: 'paragraphs' must be a list"),
        ({"content": {"data": [{"paragraphs": [{"qas": []}]}]}}, "paragraph 0: 'context' must be"),
        ({"content": {"x": 1}}, ": 'data' must be a list, got NoneType"),
        ({"content": b'{"data": ' + b"9" * 5000 + b"}"}, " is not readable as JSON"),
    ],
)
def test_a_fault_of_a_squad_file_is_named(tmp_path: Path, change: dict, fault: str) -> None:
    with pytest.raises(BadInput) as error:
        read_squad(squad_file(tmp_path, **change))
    assert str(error.value).startswith("dev.json") and fault in str(error.value)


@pytest.mark.parametrize(
    ("text", "start", "place", "said"),
    [
        ("Delft", 78, 75, "answer_start is wrong; the nearest place of the text is taken"),
        ("Ada Kok", 3, 43, "answer_start is wrong"),
        ("Kok’s", 0, -1, "it differs in typographic signs"),
        ("Kok&#32;is", 0, -1, "it differs in HTML entities"),
        ("ADA KOK", 0, -1, "it differs in capital letters"),
        ("Gouda", 0, -1, "so no span may be right"),
    ],
)
def test_a_place_known_to_be_wrong_is_mended_or_none(
    text: str, start: int, place: int, said: str
) -> None:
    """Finding 6: what is said to be wrong is never drawn or trained on."""
    context = (
        "🚜🚜🚜 The red barn is old. The barn of Ada Kok is red. The barn was built in Delft, "
    )
    context += "not in Delft Nord. Kok's."
    row = {"question": "Where?", "context": context, "answers": placed(text, start)}
    found = from_rows([row], "x")
    at = found.examples[0].answers[0].char_start
    assert at == (context.index(text) if place >= 0 else -1)
    assert any(said in one for one in found.remarks)


FINE = {"question": "Who?", "context": "Ada wrote notes, then Bob wrote notes."}
ODD = {
    "is_impossible is true though": {"answers": placed("Ada", 0), "is_impossible": True},
    "F1 is exact match": {"context": "東京は日本の首都です。", "answers": ["東京"]},
}


@pytest.mark.parametrize("words", ODD)
def test_each_oddity_is_counted_and_its_first_question_named(words: str) -> None:
    fine = FINE | {"answers": placed("Ada", 0), "id": "fine"}
    odd = [FINE | ODD[words] | {"id": name} for name in ("odd", "twin")]
    assert from_rows([fine], "x").remarks == ()
    (said,) = from_rows([fine, *odd], "x").remarks
    assert said.startswith("2 questions (first: 'odd'): ") and words in said
