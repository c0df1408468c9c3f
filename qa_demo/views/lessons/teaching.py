"""The plans of this page's lessons, with the names that its chapters and examples have."""

from collections.abc import Mapping, Sequence

from qa_demo.core.course.lessons import Lesson
from qa_demo.core.course.plan_file import load_teaching
from qa_demo.core.course.plans import Teaching
from qa_demo.core.files.assets import ASSETS
from qa_demo.views.examples import load_examples
from qa_demo.views.lessons.course import VIEWS

FOLDER = ASSETS / "course"
CHAPTERS: Mapping[str, str] = dict(
    zip(
        VIEWS,
        (
            "1 Answer",
            "2 Scores",
            "3 Start & end",
            "4 Spans",
            "5 Loss",
            "6 Long text",
            "7 Tags",
            "8 SpanBERT",
            "9 Why",
        ),
        strict=True,
    )
)
"""The chapters as the page's tabs name them; the command line needs them without the page."""


def teaching(lessons: Sequence[Lesson]) -> Teaching:
    """The plans beside the lessons; a file with a fault is named in `faults`."""
    return load_teaching(FOLDER, lessons)


def texts() -> dict[str, str]:
    """The titles of the examples by their ids."""
    return {example.id: example.title for example in load_examples().values()}
