"""The steps of the lessons whose checks ask the bundled reader."""

import pytest

from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.lessons.proof import prove
from qa_demo.model.loading import load_reader
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import load
from qa_demo.views.measured import measured

pytestmark = pytest.mark.model


def test_every_step_holds_with_the_bundled_reader() -> None:
    reader, examples = load_reader("bundled"), load_examples()

    def read(key: str):
        return examples[key].stored(reader.checksum), examples[key].answers

    asked = [
        found
        for lesson in load()
        if any(s.check and CHECKS[s.check].needs_reader for s in lesson.steps)
        for found in prove(lesson, read, reader, measured("bundled"))
    ]
    assert asked and not any(found.unknown for found in asked)
    assert [f"{p.lesson.id}, line {p.step.line}: {p.fault}" for p in asked if p.fault] == []
