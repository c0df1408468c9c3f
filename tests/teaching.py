"""The plans in docs/teaching.md: python -m tests.teaching writes them from assets/course/."""

from qa_demo.figures.course.plans import markdown
from qa_demo.training.card import fill
from qa_demo.views.lessons.course import CHAPTERS, load
from qa_demo.views.lessons.teaching import teaching, texts
from tests.documents import ROOT

PAGE = ROOT / "docs" / "teaching.md"


def filled() -> str:
    """The document with the plans as they are now."""
    made = markdown(teaching(load()), CHAPTERS, texts())
    return fill(PAGE.read_text(encoding="utf-8"), "plans", made)


if __name__ == "__main__":
    PAGE.write_text(filled(), encoding="utf-8")
