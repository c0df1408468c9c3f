"""The plans of this page's lessons, with the names that its chapters and examples have."""

from collections.abc import Sequence

from qa_demo.core.course.lessons import Lesson
from qa_demo.core.course.plan_file import load_teaching
from qa_demo.core.course.plans import Teaching
from qa_demo.core.files.assets import ASSETS
from qa_demo.views.examples import load_examples

FOLDER = ASSETS / "course"


def teaching(lessons: Sequence[Lesson]) -> Teaching:
    """The plans beside the lessons; a file with a fault is named in `faults`."""
    return load_teaching(FOLDER, lessons)


def texts() -> dict[str, str]:
    """The titles of the examples by their ids."""
    return {example.id: example.title for example in load_examples().values()}
