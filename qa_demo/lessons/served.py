"""`POST /lesson`: what a page asks of its lessons, and what it is told."""

from dataclasses import dataclass
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.lessons import checks, deeper
from qa_demo.lessons.files import Lesson, Step
from qa_demo.lessons.judge import Asked, Check, Facts, asked, judge, plain
from qa_demo.pictures import CHAPTERS, Pictures, opened
from qa_demo.printed import quote
from qa_demo.state import dump

CHECKS: dict[str, Check] = {
    name: check
    for name, check in {**vars(checks), **vars(deeper)}.items()
    if getattr(check, "__annotations__", {}).get("return") == Facts and name[0] != "_"
}


@dataclass(frozen=True)
class Lessons:
    """The lessons of a server."""

    pictures: Pictures
    lessons: tuple[Lesson, ...]

    def list(self) -> list[dict[str, Any]]:
        """What the menu shows."""
        return [
            {**one.model_dump(include={"id", "title", "minutes"}), "steps": len(one.steps)}
            for one in self.lessons
        ]

    def place(self, name: str, number: int) -> tuple[Lesson, Step]:
        """The step that is asked for, counted from 1. Errors: BadInput."""
        lesson = next((one for one in self.lessons if one.id == name), None)
        if lesson is None:
            raise BadInput(f"there is no lesson {name[:40]!r}")
        if not 1 <= number <= len(lesson.steps):
            raise BadInput(f"step must be 1 to {len(lesson.steps)} in this lesson, got {number}")
        return lesson, lesson.steps[number - 1]

    def asked(self, step: Step) -> Asked:
        """The step on its text. Raises Pending while a model works. Errors: BadInput where the
        text does not show the point.
        """
        state = step.state
        shown = self.pictures.shown(opened(state, CHAPTERS[state.chapter], self.pictures.examples))
        if step.check and step.check not in CHECKS:
            names = ", ".join(sorted(CHECKS))
            raise BadInput(f"there is no check {step.check!r}; allowed: {names}")
        c = shown.best  # what every step may name
        facts: Facts = {"best": quote(c.text), "sum": checks.sum_of(c), "score": c.score}
        facts |= {"start": c.start_logit, "end": c.end_logit}
        facts |= CHECKS[step.check](shown) if step.check else {}
        return asked(step, shown, facts)

    def card(self, lesson: Lesson, step: Step) -> dict[str, Any]:
        """What a page shows of a step before a guess."""
        now, at = self.asked(step), self.lessons.index(lesson) + 1
        return {
            "lesson": lesson.id,
            "title": lesson.title,
            "step": lesson.steps.index(step) + 1,
            "of": len(lesson.steps),
            "after": self.lessons[at].id if at < len(self.lessons) else None,
            "heading": step.title,
            "state": dump(step.state),
            "ask": step.ask,
            "question": now.question,
            "options": list(now.options.items()),
        }

    def verdict(self, step: Step, guess: object) -> dict[str, Any]:
        """What is said of a guess. Errors: BadInput."""
        return vars(judge(self.asked(step), guess))

    def told(self, step: Step) -> dict[str, Any]:
        """The reveal: its words, the right guess, and the state in which the picture shows it."""
        now = self.asked(step)
        key = now.right if now.options else None
        return {"state": dump(step.then), "label": now.label, "key": key, "reveal": now.reveal}

    def proof(self, step: Step) -> dict[str, Any]:
        """Every sentence of a step with the numbers of its text. Errors: BadInput, which tells
        what does not hold.
        """
        now = self.asked(step)
        self.pictures.blocks(step.then)
        wrong = {key: plain(why) for key, why in now.whys.items() if key != now.right}
        right = {"right": now.label} if step.ask != "none" else {}
        said = {"question": plain(now.question), "reveal": plain(now.reveal)}
        return {**said, **right, "wrong": wrong}
