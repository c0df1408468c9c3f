"""The plans in docs/teaching.md: python -m tests.teaching writes them from assets/course/."""

from qa_demo.figures.course.plans import OFTEN, sheets
from qa_demo.training.card import fill
from qa_demo.views.lessons.course import CHAPTERS, load
from qa_demo.views.lessons.teaching import teaching, texts
from tests.documents import ROOT

PAGE = ROOT / "docs" / "teaching.md"


def filled() -> str:
    """The document with the plans and aims as they are now."""
    parts = [OFTEN]
    for one in sheets(teaching(load()), CHAPTERS, texts()):
        parts += [f"### {one.title}", *one.lines, _lines(one.head, one.rows)]
    return fill(PAGE.read_text(encoding="utf-8"), "plans", "\n\n".join(parts))


def _lines(head: list[str], body: list[list[str]]) -> str:
    """A table of Markdown; a bar in a cell would end it."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


if __name__ == "__main__":
    PAGE.write_text(filled(), encoding="utf-8")
