"""The steps of the lessons whose checks ask the bundled reader."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from qa_demo.core.learning.steps import Plan
from qa_demo.figures.labels import make_labels
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.lessons.finding import Case
from qa_demo.figures.lessons.proof import prove
from qa_demo.figures.loss.learned import learned_data
from qa_demo.figures.prose import quoted
from qa_demo.model.loading import load_reader
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import load
from qa_demo.views.measured import measured

pytestmark = pytest.mark.model


def remembered(work: Callable[..., Any]) -> Callable[..., Any]:
    """The same, which does nothing twice."""
    known: dict[bytes, Any] = {}

    def answer(*given: Any) -> Any:
        key = pickle.dumps(given)
        if key not in known:
            known[key] = work(*given)
        return known[key]

    return answer


def test_every_step_holds_with_the_bundled_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, examples = load_reader("bundled"), load_examples()
    for name in ("attribute", "masked"):  # several steps ask for the same explanation
        monkeypatch.setattr(reader, name, remembered(getattr(reader, name)))

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


def test_the_step_of_lesson_6_is_the_one_that_chapter_5_takes() -> None:
    reader, example = load_reader("bundled"), load_examples()["insulin"]
    reading = example.stored(reader.checksum)
    assert reading is not None
    labels = make_labels(reading, example.answers, 0, example.answers, None).golds
    case = Case(reading, labels=labels, reader=reader)
    found = CHECKS["step_through_head"].find(case)
    learner = reader.learner(reading, labels, "head")
    learned = learner.step(Plan(1, 0.1))
    learner.close()
    data = learned_data(learned, case.decode, case.merge)
    banting = f" of {quoted('Banting')}"
    for side, label, of in (("start", "Frederick", ""), ("end", "ting", banting)):
        row = next(row for row in data[side] if row["text"] == label)
        before, after = row["says"].split(" → ")
        assert f"the {side} at {quoted(label)}{of} from {before} to {after}" in found.decides
    assert found.decides.startswith("Both probabilities rise: that of the start")
    at = reading.tokens(0).index("to")
    assert learned.after.end_logits[0][at] > reading.end_logits[0][at]
    assert "The end logit of “\u2068to" in found.decides
