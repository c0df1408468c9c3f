"""The static edition: every link has its file, and a lesson says what the running page says."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from qa_demo.core.course.lessons import Step
from qa_demo.core.types import Span
from qa_demo.figures.lessons.finding import Finding
from qa_demo.views.lessons import find
from qa_demo.views.saved import site as written
from qa_demo.views.saved.listed import place_of, words
from qa_demo.views.saved.pages import LIST_POLICY, POLICY
from qa_demo.views.saved.site import MARK, fitting, only
from qa_demo.views.saved.steps import guesses, marks, step_data
from qa_demo.views.saved.tape import canonical
from tests.views.saved.editions import LESSON, PASSAGE, data, edition, examples

pytestmark = pytest.mark.slow


def test_every_link_of_the_first_page_has_its_file(edition_folder: Path) -> None:
    text = (edition_folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="read\.html#(\w+)=([^"&]+)[^"]*"', text)
    assert {id_ for kind, id_ in links if kind == "example"} == set(examples())
    assert {id_ for kind, id_ in links if kind == "lesson"} == {LESSON.id}
    assert {id_ for kind, id_ in links if kind == "passage"} == {PASSAGE.id}
    wrong = next(one for one in examples().values() if one.view)
    assert f'#example={wrong.id}&amp;chapter={wrong.view}"' in text
    names = {"example": "{}", "lesson": "lesson-{}", "passage": "passage-{}"}
    for kind, id_ in links:
        assert (edition_folder / "data" / f"{names[kind].format(id_)}.js").is_file()
    site = data(edition_folder, "site")
    assert list(site["titles"]) == list(examples()) and site["passages"] == [PASSAGE.id]
    files = {p.relative_to(edition_folder).as_posix() for p in edition_folder.rglob("*")}
    assert {"page.js", "page.css", ".nojekyll", "README.md", MARK} <= files


def test_each_page_names_only_files_beside_it(edition_folder: Path) -> None:
    for name, policy in (("index.html", LIST_POLICY), ("read.html", POLICY)):
        text = (edition_folder / name).read_text(encoding="utf-8")
        assert f'Content-Security-Policy" content="{policy}"' in text
        assert policy.startswith("default-src 'none'")
        for address in re.findall(r'(?:href|src)="([^"]*)"', text):
            assert address == "data:," or (edition_folder / address.partition("#")[0]).is_file()
    assert "<script" not in (edition_folder / "index.html").read_text(encoding="utf-8")
    style = (edition_folder / "page.css").read_text(encoding="utf-8")
    dark = re.search(r"body\.dark (\{[^}]*--sl-paper[^}]*\})", style)
    assert f"body.edition {dark[1]}" in style


def test_the_folder_is_a_static_space(edition_folder: Path) -> None:
    space = yaml.safe_load((edition_folder / "README.md").read_text().split("---\n")[1])
    assert space["sdk"] == "static" and space["license"] == "apache-2.0"
    assert (edition_folder / space["app_file"]).is_file()
    assert len(space["short_description"]) <= 60


def test_a_passage_has_its_own_chapter_and_texts_have_the_others(edition_folder: Path) -> None:
    for key in examples():
        tape = data(edition_folder, key)
        assert len(tape["pictures"]) == 8 and "spanbert" not in tape["pictures"]
        assert tape["reading"]["example"] == key
        assert tape["records"]["none"]["window"] is None
    for name in ("passage", f"passage-{PASSAGE.id}"):
        assert set(data(edition_folder, name)["pictures"]) == {"spanbert"}
    tape = data(edition_folder, f"passage-{PASSAGE.id}")
    lab = tape["pictures"]["spanbert"]["picture"]
    assert lab["mask"]["passage"] == PASSAGE.id and lab["step"] == "mask"
    blanks = [name for name in tape["answers"] if name.startswith("spanbert predict-blank")]
    assert len(blanks) >= len(PASSAGE.hidden[0].text.split()) > 1


def test_a_step_stands_on_its_tape_and_answers_each_guess_as_the_page_does(
    edition_folder: Path,
) -> None:
    made, screen = edition(), None
    saved = data(edition_folder, f"lesson-{LESSON.id}")
    assert len(saved["steps"]) == len(LESSON.steps) == len(saved["worksheet"]["steps"])
    for at, (step, sent) in enumerate(zip(LESSON.steps, saved["steps"], strict=True)):
        key = find.example_of(LESSON, step)
        start = screen if screen is not None and screen.example == key else made.screen(key)
        screen = find.set_up(start, step)
        assert (sent["tape"], sent["chapter"]) == (key, step.view)
        assert sent["place"] == place_of(screen.selection)
        assert sent["place"] in data(edition_folder, key)["records"]
        finding = find.find(find.case_of(screen, step), step)
        reply = find.reply(LESSON, at, screen, finding, False)
        assert sent["reply"] == reply
        assert ("told" in sent) == bool(step.predict)
        for guess in (None, *guesses(screen, step, finding, ())) if step.predict else ():
            said = find.told(LESSON, at, finding, find.feedback(screen, step, finding, guess))
            assert sent["base"] | sent["told"][canonical(guess)] == said
        if step.predict == "mark":
            right = [json.loads(mark) for mark, told in sent["told"].items() if told["right"]]
            read = screen.reading.encoding.text
            wanted = {screen.prediction.answer}
            if step.check == "answer_span":  # the annotators' words answer the question as well
                wanted |= {answer.text for answer in screen.gold}
            assert len(sent["told"]) > 1000
            assert {read(Span(*mark)).strip() for mark in right} == wanted


def test_marks_are_all_runs_of_words_short_ones_first() -> None:
    screen = edition().screen(LESSON.example)
    single = list(words(screen.reading))
    found = list(marks(screen.reading))
    assert found[: len(single)] == single
    assert len(found) == len(set(found)) == math.comb(len(single) + 1, 2)
    assert found[-1] == Span(single[0].start, single[-1].end)
    step = next(step for step in LESSON.steps if step.predict == "mark")
    listed = guesses(screen, step, Finding(""), ["none", "0 1 2", "3 1 2", "0 4 4"])
    assert listed[:2] == [[1, 2], [4, 4]]
    assert {(s.start, s.end) for s in found} <= {(a, b) for a, b in listed}


def test_a_number_is_judged_as_on_the_page() -> None:
    screen = edition().screen(LESSON.example)
    step = Step("", "", "answer", 1, predict="number")
    lesson = replace(LESSON, steps=(step,))
    finding = Finding("d", value=0.25, within=0.01, traps=((4.0, "That is the inverse."),))
    sent = step_data(lesson, 0, screen, finding, ())
    assert [[v, w] for v, w, _ in sent["numbers"]] == [[0.25, 0.01], [4.0, 0.01]]
    right, trap = (said for _, _, said in sent["numbers"])
    assert right == {"right": True, "yours": "Yes, it is 0.25."}
    assert trap == {"right": False, "yours": "That is the inverse."}
    other = find.feedback(screen, step, finding, 7)
    assert sent["otherwise"]["yours"].format(guess="7") == other.yours
    bare = step_data(lesson, 0, screen, Finding("d"), ())
    assert bare["numbers"] == [] and bare["otherwise"]["yours"] == ""


MANY = [f'why ask {{"head":{k},"what":"head"}}' for k in range(20)]


def test_a_file_has_room_for_what_is_listed_first(
    edition_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = data(edition_folder, LESSON.example)
    names = list(tape["records"])
    assert fitting(tape) is tape and len(names) > 40
    monkeypatch.setattr(written, "MOST_PACKED", 110_000)
    less = fitting(tape)
    heads = [[r for r in one["answers"] if written.HEAD.match(r)] for one in (tape, less)]
    assert heads[1] == heads[0][:12] and len(heads[0]) >= len(heads[1]) > 0
    kept = list(less["records"])
    assert kept == names[: len(kept)] and 12 <= len(kept) < len(names)
    assert 0 < len(less["shared"]) < len(tape["shared"])
    for name in kept:
        for key, parts in less["records"][name].get("details", {}).items():
            for part, one in parts.items():
                whole = tape["records"][name]["details"][key][part]
                if isinstance(one, dict) and one.keys() == {"shared"}:
                    assert less["shared"][one["shared"]] == tape["shared"][whole["shared"]]
                else:
                    assert one == whole
    for answer in less["answers"].values():
        assert less["pages"][answer["page"]] == tape["pages"][answer["page"]]
    many = {**tape, "answers": {name: {"page": k} for k, name in enumerate(MANY)}}
    many["pages"] = [{"notice": name} for name in MANY]
    bare = written.without_heads(many, 1)
    assert list(bare["answers"]) == MANY[:-1] and bare["pages"][-1] == {}
    assert list(written.without_heads(many, 10**9)["answers"]) == MANY[:12]
    assert only(tape, names)["records"].keys() == tape["records"].keys()
