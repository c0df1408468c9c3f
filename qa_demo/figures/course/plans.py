"""The plans of a teacher as rows of words: for the page, for paper and for docs/teaching.md."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qa_demo.core.course.plans import Row, Teaching
from qa_demo.figures.course.paper import document, paragraph, sheet, table

HEAD = ["minutes", "what", "on screen", "ask aloud", "often answered", "then say"]
AIMS = ["lesson", "aim", "typical wrong idea", "its check"]
AIMS_ID = "aims"
OFTEN = "“Often answered” is what to be ready for; it was not counted in classes."


def rows(
    hour: tuple[Row, ...], chapters: Mapping[str, str], texts: Mapping[str, str]
) -> list[list[str]]:
    """The rows of a meeting below `HEAD`: chapters and texts by the names on the page."""
    return [
        [
            f"{row.start}–{row.stop}",
            "\n".join(_what(row)),
            "\n".join(_screen(row, chapters, texts)),
            row.ask,
            row.usual,
            row.say,
        ]
        for row in hour
    ]


def _what(row: Row) -> Iterator[str]:
    yield row.title
    if row.steps:
        yield f"steps: {'; '.join(row.steps)}"
    if row.bring:
        yield f"bring: {row.bring}"


def _screen(row: Row, chapters: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[str]:
    yield ", ".join(chapters.get(key, key) for key in row.screens)
    if row.texts:
        yield f"text: {', '.join(texts.get(key, key) for key in row.texts)}"


@dataclass(frozen=True)
class Sheet:
    """One page of a teacher's: a meeting of a plan, or the aims of all lessons."""

    plan: str
    title: str
    lines: list[str]
    head: list[str]
    rows: list[list[str]]


def sheets(
    teaching: Teaching, chapters: Mapping[str, str], texts: Mapping[str, str]
) -> Iterator[Sheet]:
    """Each meeting of each plan, then the aims: for page, paper and document."""
    for plan in teaching.plans:
        lines = [
            f"Needed before: {plan.needs}",
            f"Words for the blackboard: {', '.join(plan.board)}.",
        ]
        for number, hour in enumerate(plan.hours, 1):
            title = f"{plan.title}, meeting {number}" if len(plan.hours) > 1 else plan.title
            yield Sheet(plan.id, title, lines, HEAD, rows(hour, chapters, texts))
    if teaching.aims:
        aims = [[aim.title, aim.aim, aim.wrong, f"step “{aim.check}”"] for aim in teaching.aims]
        yield Sheet(AIMS_ID, "What each lesson is for", [], AIMS, aims)


def printed(found: Sequence[Sheet], paper: str) -> str:
    """A plan on paper, one page for each of its sheets."""
    pages = [
        sheet(
            one.title,
            [
                *map(paragraph, one.lines),
                table(one.head, one.rows),
                *([paragraph(OFTEN, "quiet")] if one.head == HEAD else []),
            ],
        )
        for one in found
    ]
    return document(found[0].title, paper, pages)
