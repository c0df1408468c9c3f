"""The same questions in every layout, and what is wrong with a file in one sentence."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.base import BadInput
from qa_demo.core.types import Answer, Example
from qa_demo.evaluation.questions import from_rows, read_questions, read_squad

CONTEXT = 'Ada wrote "notes", then\nBob wrote notes.'
WANTED = [
    Example("a", "Who wrote first?", CONTEXT, (Answer("Ada", 0),), "T"),
    Example("b", "What?", CONTEXT, (Answer("notes", 11), Answer("notes", 34)), "T"),
    Example("c", "Why?", CONTEXT, (), "T"),
]


def squad(*qas: dict) -> str:
    article = {"title": "T", "paragraphs": [{"context": CONTEXT, "qas": qas}]}
    return json.dumps({"data": [article]}, indent=1)


def placed(*answers: tuple[object, object]) -> list[dict]:
    return [{"text": text, "answer_start": start} for text, start in answers]


QAS = [
    {"id": "a", "question": "Who wrote first?", "answers": placed(("Ada", 0))},
    {"id": "b", "question": "What?", "answers": placed(("notes", 11), ("notes", 34))},
    {"id": "c", "question": "Why?", "answers": [], "is_impossible": True},
]
FLAT = [
    {"title": "T", "context": CONTEXT, **qa}
    | {"answers": {name: [a[name] for a in qa["answers"]] for name in ("text", "answer_start")}}
    for qa in QAS
]
HEAD = "question,context,answer\n"
TEXTS = {
    "squad.json": squad(*QAS),
    "lines.jsonl": "\n".join(map(json.dumps, FLAT)) + "\n\n",
    "lines.json": "\n".join(map(json.dumps, FLAT)),
    "list.json": json.dumps(FLAT),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("zipped", [False, True])
def test_the_same_questions_in_every_layout(name, mark, zipped):
    raw = mark + TEXTS[name].encode()
    raw, name = (gzip.compress(raw), f"{name}.gz".upper()) if zipped else (raw, name)
    assert read_questions(raw, name).examples == WANTED


def test_a_table_of_question_context_and_answer():
    quoted = CONTEXT.replace('"', '""')
    text = (
        f'\ufeffsep=,\r\n\r\nquestion, answer,context \r\nWho wrote first?,Ada,"{quoted}"\r\n'
        f'What?,notes,"{quoted}"\r\n,,\r\nWhy?,,"{quoted}"\r\n'
    )
    first, second, third = read_questions(text.encode(), "table.csv").examples
    assert first == Example("1", "Who wrote first?", CONTEXT, (Answer("Ada", 0),))
    assert second.answers == (Answer("notes", -1),), "the text stands twice: its place is unknown"
    assert (third.answers, third.id) == ((), "3"), "blanks are no row"
    for start, place in (("34", 34), ("34.0", 34), ("", -1)):
        text = f'question,answer,answer_start,context\nWhat?,notes,{start},"{quoted}"\n'
        (one,) = read_questions(text.encode(), "table.csv").examples
        assert one.answers == (Answer("notes", place),)


@pytest.mark.parametrize("mark", ['"', '"a', 'a "b" c', "''", "a,b"])
def test_between_tabs_a_quotation_mark_swallows_no_row(mark):
    text = f"id\tquestion\tcontext\tanswer\n0\t{mark}\tAda, it was.\tAda\n1\tq\tc\t\n"
    first, second = read_questions(text.encode(), "table.tsv").examples
    assert first == Example("0", mark, "Ada, it was.", (Answer("Ada", 0),))
    assert (second.id, second.answers) == ("1", ())


@pytest.mark.parametrize("text", ["", " \n\n", "[]", '{"data": []}'])
def test_an_empty_file_holds_no_question_and_one_object_is_a_row(text):
    assert read_questions(text.encode(), "a.json").examples == []
    assert read_questions(b"\n" * len(text), "a.csv").examples == []
    assert read_questions(json.dumps(FLAT[0], indent=2).encode(), "a.json").examples == WANTED[:1]


def test_0_is_an_id_and_two_rows_never_share_one():
    three = [row | {"id": k} for k, row in zip((0, np.int64(1), "2"), FLAT, strict=True)]
    assert [e.id for e in from_rows(three, "x").examples] == ["0", "1", "2"]
    unnamed = [{k: v for k, v in row.items() if k != "id"} for row in FLAT]
    assert [e.id for e in from_rows(unnamed, "x").examples] == ["1", "2", "3"]
    with pytest.raises(BadInput, match="questions 1 and 3 share the id 'a'"):
        from_rows([FLAT[0], FLAT[1], FLAT[0]], "x")
    with pytest.raises(BadInput, match=r"questions 1 and 2 share the id '2'.* its number"):
        from_rows([FLAT[0] | {"id": "2"}, FLAT[1] | {"id": None}], "x")


def test_answers_in_other_layouts_and_columns_of_its_own():
    placed = {"text": "Ada", "answer_start": 0}
    arrays = {"text": np.array(["Ada"], object), "answer_start": np.array([0])}  # as pandas has
    listed = [{"text": ["Ada"], "answer_start": None}, np.array(["Ada"], object), arrays]
    for answers in (["Ada"], [placed], [{"text": "Ada"}], {"text": ["Ada"]}, *listed):
        row = FLAT[0] | {"answers": answers, "level": 3, "notes": "x" * 61, "list": [1]}
        (found,) = from_rows([row], "x").examples
        assert found == replace(WANTED[0], columns=(("level", "3"),))


@pytest.mark.parametrize(("start", "place"), [("34", 34), (34.0, 34), (None, -1), (-1, -1)])
def test_a_place_may_be_any_whole_number_and_is_never_guessed(start, place):
    row = FLAT[0] | {"answers": {"text": ["notes"], "answer_start": [start]}}  # stands twice
    assert from_rows([row], "x").examples[0].answers == (Answer("notes", place),)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.jsonl", '{"question": "q", "answers": []}', r"line 1: paragraph \(context\) is missi"),
        ("a.jsonl", json.dumps(FLAT[0]) + "\n{", "a.jsonl, line 2 is not JSON"),
        ("a.json", '"Ada"', "a.json, line 1: must be an object, got 'Ada'"),
        ("a.json", '{"Question": "q",\n"Answer": {}}', "question is missing, got the fields 'Que"),
        ("a.jsonl", '{"question": "q", "answer": "a"}', "has 'answer', as tables have; give 'a"),
        ("a.jsonl", '{"question": "q", "gold": [], "answer": ""}', "is a line that evaluate --out"),
        ("a.csv", f"answer,{HEAD}a,q,c,b\n", "a.csv: two columns are called 'answer'"),
        ("a.tsv", f"{HEAD}q,c,a\n", "a.tsv: cells are parted by commas; save it parted by tabs"),
        ("a.json", f"{HEAD}q,c,a\n", "not readable as JSON: .*; the name of a table ends in .csv"),
        ("a.csv", "question,answer\nq,a\n", "context and answer .*'question', 'answer';.*--jsonl"),
        ("a.csv", "question;context;answer\nq;c;a\n", "parted by semicolons; save it .* commas"),
        ("a.jsonl", '{"header": {"dataset": "X"}}\n', "line 1 is the header of an MRQA file; leav"),
        ("a.jsonl", '{"context": "c", "detected_answers": []}', "line 1 has MRQA's 'detected_a"),
        ("a.json", '[{"context": "c", "qas": []}]', "row 1 is a paragraph with .* SQuAD's layout"),
        ("a.csv", f'{HEAD}"q\nr', "the row after line 1: unexpected end of data; a cell"),
        ("a.csv", f'{HEAD}q,"c\nd",a\n\nq,c\n', "line 5: the row needs 3 cells, as the header has"),
        ("a.csv", f"{HEAD}q,c,1,064\n", "line 2: the row needs 3 cells"),
        ("a.csv", f"answer_start,{HEAD}zero,q,c,a\n", "2: answer_start must be a .*, got 'zero'"),
        ("a.csv", f"answers,{HEAD}b,q,c,a\n", "a.csv has a column 'answer' and one 'answers'; lea"),
        ("a.json", '{"question": "q", "context": "c"}', "no 'answers' .*; .*answer --jsonl FILE"),
        ("a.jsonl", json.dumps(FLAT[0] | {"hue": "\ud83d"}), "line 1 holds half of a surrogate"),
    ],
)
def test_a_fault_is_one_sentence(name, text, words):
    with pytest.raises(BadInput, match=words) as error:
        read_questions(text.encode(), name)
    assert "\n" not in str(error.value)


def trained_on(tmp_path: Path, content: str) -> list[Example]:
    (tmp_path / "dev.json").write_text(content)
    return read_squad(tmp_path / "dev.json")


def test_training_reads_squad_with_lists_in_text_order(tmp_path):
    marked = QAS[0] | {"spans": [[[11, 16], [0, 3]], [[0, 9]]]}
    found = trained_on(tmp_path, squad(marked, *QAS[1:], QAS[2] | {"id": 262}))
    wanted = replace(WANTED[0], spans=(((0, 3), (11, 16)), ((0, 9),)))
    assert found == [wanted, *WANTED[1:], replace(WANTED[2], id="262")], "whole numbers are ids"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": [7]}, "id: must be a valid string, got [7]"),
        ({"id": True}, "id: must be a valid string, got True"),
        ({"question": None}, "question a: question: must be a valid string, got None"),
        ({"answers": "Ada"}, "question a: answers: must be a list of answers or an obj"),
        ({"answers": {"text": "1998"}}, "answers: must be a list of answers or an object of two"),
        ({"answers": {"text": ["a"], "answer_start": [1, 2]}}, "answers.1.text: must be"),
        ({"answers": placed(("Ada", 3.5))}, "answers.0.answer_start: must be a valid int"),
        ({"answers": placed(("Ada", 1))}, "a: answer_start does not point to the answer"),
        *(
            ({"spans": wrong}, "question a: spans")
            for wrong in (3, [[[0, 3]], []], [[[3, 3]]], [[[0, 41]]], [[[0, True]]], [[[0, 1, 2]]])
        ),
        ('{"data": [{"title": "x"}]}', ", article 0 needs a list 'paragraphs', as SQuAD"),
        ('{"data": {"a": 1}}', "dev.json needs a list 'data', as SQuAD's layout has, got the"),
        ('{"data": [{"paragraphs": [7]}]}', "needs a list 'qas', as SQuAD's layout has, got 7"),
        ('{"data": [{"paragraphs": [{"qas": [{}]}]}]}', "question 0: question is missing"),
        (f'{{"data": {"9" * 5000}}}', " is not readable as JSON"),
    ],
)
def test_a_fault_of_a_squad_file_is_named(tmp_path, change, fault):
    with pytest.raises(BadInput) as error:
        trained_on(tmp_path, change if isinstance(change, str) else squad(QAS[0] | change))
    assert str(error.value).startswith("dev.json") and fault in str(error.value)


@pytest.mark.parametrize(
    ("text", "start", "place", "said"),
    [
        ("Delft", 78, 75, "answer_start is wrong; the nearest place of the text is taken"),
        ("Ada Kok", 3, 37, "answer_start is wrong"),
        ("Kok’s", 0, -1, "it differs in typographic signs"),
        ("Kok&#32;is", 0, -1, "it differs in HTML entities"),
        ("Kok&rsquo;s", 0, -1, "it differs in typographic signs"),
        ("ADA KOK", 0, -1, "it differs in capital letters"),
        ("Ko\u0308k", 0, -1, "it differs in accents written as one sign or two"),
        ("Gouda", 0, -1, "so no span may be right"),
    ],
)
def test_a_place_known_to_be_wrong_is_mended_or_none(text, start, place, said):
    """Finding 6: what is said to be wrong is never drawn or trained on."""
    context = "🚜🚜🚜 The red barn is old. The barn of Ada Kok is red. The barn was built in "
    row = {"question": "Where?", "context": context + "Delft, not in Delft Nord. Kok's. Kök."}
    found = from_rows([row | {"answers": placed((text, start))}], "x")
    assert found.examples[0].answers == (Answer(text, place),)
    assert any(said in one for one in found.remarks)


def test_each_oddity_is_counted_and_its_first_question_named():
    fine = QAS[0] | {"context": CONTEXT}
    odd = fine | {"context": "東京は日本の首都です。", "answers": ["東京"]}
    assert from_rows([fine], "x").remarks == ()
    none, denied = {"answers": [], "is_impossible": False}, {"is_impossible": True}
    for row in (fine | denied, fine | none):
        (said,) = from_rows([row], "x").remarks
        assert said.endswith(": is_impossible says otherwise than the answers; the answers count")
    assert from_rows([fine | none | denied], "x").remarks == ()
    for blank in ([""], [" ", "Ada"], {"text": ["\n"], "answer_start": [23]}):
        assert "an answer is blank" in from_rows([fine | {"answers": blank}], "x").remarks[0]
    alike = ({"id": x, "context": x, "answers": [x]} for x in ("กรุงเทพ", "ཡིག", "ﾊﾝｶｸ", "𠀀𠀁"))
    (said,) = from_rows([fine, *(odd | x for x in ({"id": 7}, {"id": 8}, *alike))], "x").remarks
    assert said.startswith("6 questions (first: '7'): ") and "F1 is exact match" in said
