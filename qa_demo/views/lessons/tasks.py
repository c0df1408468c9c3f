"""Homework and quiz on the page: exercises are asked without their solutions, and answered one by
one, or the quiz as a whole.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from qa_demo.core.course.bench import Bench
from qa_demo.core.course.exercise_file import Kinds, parse_kinds
from qa_demo.core.course.lesson_folder import text_of
from qa_demo.core.course.room_quiz import FORMS, Sheet, following
from qa_demo.core.course.rooms import Rooms
from qa_demo.core.errors import BadInput
from qa_demo.core.files.assets import ASSETS
from qa_demo.figures.course import exercises
from qa_demo.figures.course.exercises import Exercise, checked_seed, exercise, facts, quiz
from qa_demo.figures.course.plans import OFTEN, sheets
from qa_demo.figures.course.task_sheets import QUIZ_MINUTES
from qa_demo.views import parse
from qa_demo.views.lessons.course import CHAPTERS, SAID, load
from qa_demo.views.lessons.seats import moment, seat
from qa_demo.views.lessons.teaching import teaching, texts
from qa_demo.views.state import Screen

FILE = ASSETS / "exercises" / "kinds.md"
MOST_TYPED = 40
MOST_MARK = 40
Handler = Callable[[Screen | None, Any], dict[str, Any] | None]


@cache
def kinds() -> Kinds:
    """All kinds of exercises; a kind with a fault is named in `faults`."""
    said = {step.title for lesson in load() if lesson.id == SAID for step in lesson.steps}
    return parse_kinds(text_of(FILE), FILE.name, facts(), said)


def homework(seed: str) -> tuple[Exercise, ...]:
    """The ten exercises of a seed, such as "spring/3" for copy 3 of spring; the same for the same
    seed. Errors: BadInput.
    """
    return exercises.homework(kinds(), checked_seed(seed))


def one(value: Any) -> Exercise:
    """The exercise that a page names. Errors: BadInput."""
    given = parse.record(value, "an exercise", "seed", "kind")
    known = {kind.name: kind for kind in kinds().kinds}
    name = parse.choice(given.get("kind"), "the kind of exercise", known)
    return exercise(known[name], seed_of(given))


def seed_of(given: Mapping[str, Any]) -> str:
    """Errors: BadInput."""
    return checked_seed(parse.text(given.get("seed"), "the seed"))


def bench_of(value: Any) -> Bench:
    """The numbers of an exercise for the bench. Errors: BadInput, also for one without logits."""
    found = one(value)
    if found.bench is None:
        raise BadInput(f"the exercise “{found.title}” has no numbers for the bench")
    return found.bench


def opened(screen: Screen | None, value: Any) -> dict[str, Any]:
    """The exercises of a homework or the items of a quiz, without a solution; a teacher's plans.
    Errors: BadInput.
    """
    given = parse.record(value, "exercises", "what", "seed")
    what = parse.choice(given.get("what"), "what to open", ("homework", "quiz", "plans"))
    if what == "plans":
        found = teaching(load())
        pages = [asdict(one) for one in sheets(found, CHAPTERS, texts())]
        return {"plans": {"sheets": pages, "faults": list(found.faults), "often": OFTEN}}
    if what == "quiz":
        form = form_of(given)
        items = [
            {
                "title": item.title,
                "text": item.text,
                "ask": item.choose,
                "options": [option.text for option in item.options],
            }
            for item in quiz(kinds(), form)
        ]
        return {"quiz": {"form": form, "items": items, "minutes": QUIZ_MINUTES}}
    seed = seed_of(given)
    tasks = [
        {
            "kind": found.name,
            "title": found.title,
            "text": found.text,
            "ask": found.ask,
            "bench": found.bench is not None,
        }
        for found in homework(seed)
    ]
    return {"homework": {"seed": seed, "items": tasks}}


def form_of(given: Mapping[str, Any]) -> str:
    """The form that is asked for by its name, or the one behind that of the last quiz. Errors:
    BadInput.
    """
    last = given.get("last")
    if last is not None:
        return following(parse.choice(last, "the last form", FORMS))
    return parse.choice(given.get("form", FORMS[0]), "the form", FORMS)


def checked(screen: Screen | None, value: Any) -> dict[str, Any]:
    """Whether a typed number is right; the solution where it is, or was asked for. Errors:
    BadInput.
    """
    found = one(value)
    guess = value.get("guess")
    right = None
    if guess is not None:
        right = found.right(parse.text(guess, "the answer", MOST_TYPED))
    solved = right is not False
    return {
        "checked": {
            "kind": found.name,
            "right": right,
            "answer": found.shown if solved else None,
            "solution": found.solution if solved else None,
        }
    }


def marked(form: str, answers: Any) -> tuple[tuple[bool, ...], list[dict[str, Any]]]:
    """Which items of a form are right, and what is told of each. Errors: BadInput."""
    items = quiz(kinds(), form)
    if not isinstance(answers, list) or len(answers) != len(items):
        raise BadInput(f"the quiz has {len(items)} answers, got {str(answers)[:40]}")
    rights = [
        next(k for k, option in enumerate(item.options) if option.key == "right") for item in items
    ]
    for item, answer in zip(items, answers, strict=True):
        if answer is not None:
            parse.whole(answer, "an answer", 0, len(item.options) - 1)
    told = [
        {"right": right, "yours": answer, "said": item.said, "solution": item.solution}
        for item, right, answer in zip(items, rights, answers, strict=True)
    ]
    return tuple(a == r for a, r in zip(answers, rights, strict=True)), told


def done(rooms: Rooms | None) -> Handler:
    """done(screen, value): a quiz that was handed in. Before the lessons the class is told that it
    was counted and nothing else; alone and after them, what was right.
    """

    def handed_in(screen: Screen | None, value: Any) -> dict[str, Any]:
        given = parse.record(value, "a quiz", "form", "answers")
        form = parse.choice(given.get("form"), "the form", FORMS)
        right, told = marked(form, given.get("answers"))
        if given.get("room") is not None and rooms is not None:
            at = moment(given.get("moment"))
            mark = given.get("mark") and parse.text(given["mark"], "the mark", MOST_MARK)
            counted = rooms.answer_quiz(seat(given["room"]), at, Sheet(right, mark or ""))
            if at == "before" or not counted:
                return {"marked": {"form": form, "counted": counted}}
        return {"marked": {"form": form, "points": sum(right), "items": told}}

    return handed_in


def handlers(rooms: Rooms | None) -> dict[str, Handler]:
    """By the name of the event."""
    return {"task_open": opened, "task_check": checked, "task_done": done(rooms)}
