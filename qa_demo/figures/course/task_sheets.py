"""Exercises on paper: homework with other numbers for each copy, exams with points, the quiz; the
solutions stand in a file of their own.
"""

from collections.abc import Sequence

from qa_demo.core.course.exercise_file import Kinds, Points
from qa_demo.figures.course.exercises import Exercise, exam, homework, points, quiz
from qa_demo.figures.course.paper import document, numbered, paragraph, sheet

MOST_COPIES = 200
QUIZ_MINUTES = 6
CHECK = (
    "Where an exercise gives logits you can type them on the page's bench and see whether you are "
    "right; [CLS] stands in its first row."
)


def homework_sheets(kinds: Kinds, seed: str, copies: int, paper: str) -> tuple[str, str]:
    """The exercises and their solutions, a sheet for each copy; copy k of a seed is always the
    same.
    """
    numbers = range(1, copies + 1)
    drawn = {f"Homework {seed}, copy {k}": homework(kinds, f"{seed}/{k}") for k in numbers}
    asked = [sheet(title, [_about(found), _tasks(found)]) for title, found in drawn.items()]
    solved = [sheet(f"{title}: solutions", [_solutions(found)]) for title, found in drawn.items()]
    return document("Homework", paper, asked), document("Homework: solutions", paper, solved)


def exam_sheets(kinds: Kinds, seed: str, paper: str) -> tuple[str, str]:
    """Two questions of each kind with their points, and the rubric."""
    found = exam(kinds, seed)
    title = f"Exam questions {seed}"
    intro = paragraph(f"Two of each kind, {points(found)} points in all. Write down each step.")
    asked = sheet(title, [intro, _tasks(found, marked=True)])
    solved = sheet(f"{title}: rubric", [_solutions(found, marked=True)])
    return document(title, paper, [asked]), document(f"{title}: rubric", paper, [solved])


def quiz_sheets(kinds: Kinds, form: str, paper: str) -> tuple[str, str]:
    """A form of the quiz, and its key."""
    found = quiz(kinds, form)
    title = f"Quiz, form {form}"
    intro = paragraph(f"{len(found)} questions, {QUIZ_MINUTES} minutes. One option of each holds.")
    boxes = [[f"☐ {option.text}" for option in one.options] for one in found]
    texts = [f"{one.text} {one.choose}" for one in found]
    asked = numbered(zip(texts, boxes, strict=True))
    keys = numbered([(_right(one), [f"Tests: {one.said}", one.solution]) for one in found])
    return (
        document(title, paper, [sheet(title, [intro, asked])]),
        document(f"{title}: key", paper, [sheet(f"{title}: key", [keys])]),
    )


def _about(found: Sequence[Exercise]) -> str:
    return paragraph(f"{len(found)} exercises. {CHECK}", "quiet")


def _tasks(found: Sequence[Exercise], marked: bool = False) -> str:
    """Each exercise with a line for its answer."""
    line = "Answer: ____________"
    return numbered(
        [
            (f"{one.text} {one.ask}", [f"{line} ({points([one])} points)" if marked else line])
            for one in found
        ]
    )


def _solutions(found: Sequence[Exercise], marked: bool = False) -> str:
    return numbered(
        [
            (
                f"{one.title}: {one.shown}",
                [one.solution, *([_given(p) for p in one.points] if marked else [])],
            )
            for one in found
        ]
    )


def _given(p: Points) -> str:
    return f"{p.number} point{'' if p.number == 1 else 's'}: {p.what}"


def _right(one: Exercise) -> str:
    return next(option.text for option in one.options if option.key == "right")
