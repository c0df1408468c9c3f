"""The lessons of a page: the bundled ones, a teacher's own, and the recipe of CONTRIBUTING."""

import re
from pathlib import Path

from qa_demo.core.course.lesson_folder import Folder
from qa_demo.figures.lessons.proof import prove
from qa_demo.figures.spans.picture import STEPS as SPANS_STEPS
from qa_demo.views.lessons.course import STEPS, contents, load, load_course
from qa_demo.views.measured import measured
from tests.figures.lessons.test_checks import stored

ROOT = Path(__file__).resolve().parents[3]
RECIPE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## A lesson")[2]
HOSTILE = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) {{ value }} ${value}"


def recipe(folder: Path) -> Path:
    """Do what CONTRIBUTING says: the folder and the file that it names."""
    made = folder / re.findall(r"a folder, say `(\w+)`", RECIPE)[0]
    made.mkdir()
    name = re.findall(r"save this there as `([\w.-]+)`", RECIPE)[0]
    text = re.findall(r"```\n(---.*?)```", RECIPE, re.DOTALL)[0]
    (made / name).write_text(text, encoding="utf-8")
    return made


def test_the_recipe_makes_a_lesson_that_holds_and_stands_first(tmp_path: Path) -> None:
    folder, bundled = recipe(tmp_path), load()
    assert f"lesson check {folder.name}`" in RECIPE and f"--lessons {folder.name}`" in RECIPE

    (own,) = load(folder)
    assert [found.fault for found in prove(own, stored, None, measured("bundled"))] == [None]
    assert load_course(folder).lessons == (own, *bundled)
    assert load_course() == Folder(bundled)


def test_a_step_that_speaks_of_its_own_text_does_not_hold_on_a_teachers() -> None:
    reading, _ = stored("saxophone")
    for lesson in load():
        for found in prove(lesson, lambda key: (reading, ()), None, measured("bundled"), True):
            bound = found.fault == "the step speaks of its own text"
            assert bound != found.step.own, f"{lesson.id}: {found.step.title}: {found.fault}"


def test_a_lesson_with_a_bundled_id_takes_its_place(tmp_path: Path) -> None:
    folder, bundled = recipe(tmp_path), load()
    (path,) = folder.iterdir()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("id: saxophone", f"id: {bundled[2].id}"), encoding="utf-8")
    (own,) = load(folder)
    assert load_course(folder).lessons == (own, *bundled[:2], *bundled[3:])


def test_hostile_text_travels_as_text(tmp_path: Path) -> None:
    folder = recipe(tmp_path)
    (path,) = folder.iterdir()
    text = path.read_text(encoding="utf-8").replace("Who made it?", HOSTILE)
    path.write_text(text.replace("The model writes them.", HOSTILE), encoding="utf-8")
    sent = contents(load_course(folder))["lessons"][0]
    assert sent["title"] == HOSTILE and sent["steps"][0]["options"][0][1] == HOSTILE


def test_the_steps_that_a_lesson_may_name_are_those_of_the_pages_scripts() -> None:
    for chapter, keys in STEPS.items():
        folder = ROOT / "assets" / "page" / chapter
        words = " ".join(path.read_text(encoding="utf-8") for path in folder.glob("*.js"))
        if chapter == "spans":  # Python sends those
            assert keys == tuple(step["key"] for step in SPANS_STEPS)
        else:
            assert [key for key in keys if not re.search(rf"\b{key}\b", words)] == []
    used = {(s.view, s.step) for lesson in load() for s in lesson.steps if s.step}
    assert all(step in STEPS[view] for view, step in used)


def grade(text: str) -> float:
    """The school year of Flesch and Kincaid; syllables are runs of vowels, but for a mute e."""
    words = re.findall(r"[A-Za-z]+", text)
    sounds = [re.findall(r"[aeiouy]+", re.sub(r"(?<![l])e$", "", word.lower())) for word in words]
    sentences = max(1, len(re.findall(r"[.!?](?=\s|$)", text)))
    syllables = sum(max(1, len(found)) for found in sounds)
    return 0.39 * len(words) / sentences + 11.8 * syllables / len(words) - 15.59


def test_lessons_are_short_and_plain() -> None:
    assert grade("The cat sat on the mat.") < 1 < 14 < grade("Extraordinarily unintelligible.")
    for lesson in load():
        texts = [f"{step.text} {step.reveal}" for step in lesson.steps]
        assert grade(" ".join(texts)) <= 9, lesson.id
        assert max(len(re.findall(r"\*[^*]+\*", text)) for text in texts) <= 1, lesson.id
