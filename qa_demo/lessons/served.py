"""`POST /lesson`: what a page asks of its lessons, and what it is told."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.lessons.checks import of_best
from qa_demo.lessons.deeper import CHECKS
from qa_demo.lessons.files import Lesson, Step, computed
from qa_demo.lessons.found import Found, Lacking, filled, judge, options_of, plain, right_label
from qa_demo.pictures import CHAPTERS, Pictures, opened
from qa_demo.printed import parts
from qa_demo.shown import Shown
from qa_demo.state import State, dump


def shown_of(pictures: Pictures, state: State) -> Shown:
    """What a step's state shows. Raises Pending while a model works."""
    return pictures.shown(opened(state, CHAPTERS[state.chapter], pictures.examples))


def found_of(pictures: Pictures, step: Step) -> tuple[Shown, Found]:
    """What a step's check finds. Errors: Lacking where the text does not show the point."""
    shown, found = shown_of(pictures, step.state), Found()
    if step.check and step.check not in CHECKS:
        raise BadInput(f"there is no check {step.check!r}; allowed: {', '.join(sorted(CHECKS))}")
    if step.check:
        found = CHECKS[step.check](shown)
    if step.right and step.ask == "number":
        value, keys = computed(step.right), {o.key for o in step.options} - {"other"}
        found = replace(
            found,
            value=value,
            within=max(0.006, 0.006 * abs(value)),
            digits=0 if value == round(value) else 2,
            traps={key: computed(key) for key in keys},
        )
    elif step.right:
        found = replace(found, right=step.right)
    return shown, replace(found, facts={**of_best(shown), **found.facts})


@dataclass(frozen=True)
class Lessons:
    """The lessons of a server."""

    pictures: Pictures
    lessons: tuple[Lesson, ...]

    def list(self) -> list[dict[str, Any]]:
        """What the menu shows."""
        return [
            {
                "id": lesson.id,
                "title": lesson.title,
                "minutes": lesson.minutes,
                "steps": len(lesson.steps),
            }
            for lesson in self.lessons
        ]

    def place(self, asked: Mapping[str, Any]) -> tuple[Lesson, Step]:
        """The step that is asked for, counted from 1. Errors: BadInput."""
        name, number = asked.get("lesson"), asked.get("step")
        lesson = next((one for one in self.lessons if one.id == name), None)
        if lesson is None:
            raise BadInput(f"there is no lesson {str(name)[:40]!r}")
        if isinstance(number, bool) or not isinstance(number, int):
            raise BadInput(f"step must be a whole number, got {str(number)[:40]!r}")
        if not 1 <= number <= len(lesson.steps):
            raise BadInput(f"step must be 1 to {len(lesson.steps)} in this lesson, got {number}")
        return lesson, lesson.steps[number - 1]

    def after(self, lesson: Lesson) -> str | None:
        """The next lesson's id."""
        k = self.lessons.index(lesson) + 1
        return self.lessons[k].id if k < len(self.lessons) else None

    def card(self, lesson: Lesson, step: Step) -> dict[str, Any]:
        """What a page shows of a step before a guess."""
        made = {
            "lesson": lesson.id,
            "title": lesson.title,
            "step": lesson.steps.index(step) + 1,
            "of": len(lesson.steps),
            "after": self.after(lesson),
            "heading": step.title,
            "state": dump(step.state),
        }
        try:
            _, found = found_of(self.pictures, step)
            question, options = filled(step.question, found.facts), options_of(step, found)
        except Lacking as fault:
            said = parts(["This reader does not show it on this text: ", str(fault), "."])
            return {**made, "ask": "none", "question": said, "options": []}
        return {**made, "ask": step.ask, "question": question, "options": options}

    def verdict(self, step: Step, guess: object) -> dict[str, Any]:
        """What is said of a guess. Errors: BadInput."""
        shown, found = found_of(self.pictures, step)
        made = judge(shown, step, found, guess)
        return {"right": made.right, "said": made.said, "label": made.label}

    def told(self, step: Step) -> dict[str, Any]:
        """The reveal: its words, the right guess, and the state in which the picture shows it."""
        made: dict[str, Any] = {"state": dump(step.told), "label": None, "key": None}
        try:
            shown, found = found_of(self.pictures, step)
            made["reveal"] = filled(step.reveal, found.facts)
        except Lacking:
            return {**made, "reveal": []}
        if step.ask != "none":
            made |= {"label": right_label(shown, step, found), "key": found.right or None}
        return made

    def proof(self, lesson: Lesson, step: Step) -> dict[str, Any]:
        """Every sentence of a step with the numbers of its text. Errors: BadInput, which tells
        what does not hold.
        """
        shown, found = found_of(self.pictures, step)
        self.pictures.blocks(step.told)
        options = options_of(step, found)
        made: dict[str, Any] = {"question": plain(filled(step.question, found.facts))}
        if step.ask in ("choice", "pick"):
            if found.right not in dict(options):
                raise BadInput(f"the right guess is {found.right!r}, which is no option")
            wrong = [key for key, _ in options if key != found.right]
        else:
            wrong = ["other", *found.traps] if step.ask in ("number", "mark") else []
        whys = {}
        for key in wrong:
            own = next((o.why for o in step.options if o.key == key), "")
            if not own and key not in found.whys:
                raise BadInput(f"option {key} has no sentence why it is wrong")
            whys[key] = found.whys.get(key) or plain(filled(own, found.facts))
        known = {key for key, _ in options} | {"other", *found.traps}
        if stray := [o.key for o in step.options if o.key not in known]:
            raise BadInput(f"option {stray[0]} is none that check {step.check} knows")
        if step.ask != "none":
            made["right"] = right_label(shown, step, found)
        return {**made, "wrong": whys, "reveal": plain(filled(step.reveal, found.facts))}
