"""The plans of a teacher as rows of words: for paper and for the documents."""

from collections.abc import Iterator, Mapping
from typing import Any

from qa_demo.core.course.plans import Plan, Row, Teaching
from qa_demo.figures.course.paper import document, heading, paragraph, sheet, table

HEAD = ("minutes", "what", "on screen", "ask aloud", "often answered", "then say")
AIMS = ("lesson", "aim", "typical wrong idea", "its check")
OFTEN = "“Often answered” is what to be ready for; it was not counted in classes."


def rows(hour: tuple[Row, ...], chapters: Mapping[str, str], texts: Mapping[str, str]) -> Any:
    """The rows of a meeting below `HEAD`: chapters and texts by the names on the page."""
    return [
        [
            f"{row.start}–{row.stop}",
            "\n".join(filter(None, [row.title, *_steps(row), _bring(row)])),
            "\n".join(_screen(row, chapters, texts)),
            row.ask,
            row.usual,
            row.say,
        ]
        for row in hour
    ]


def _steps(row: Row) -> list[str]:
    return [f"steps: {'; '.join(row.steps)}"] if row.steps else []


def _bring(row: Row) -> str:
    """What to have at hand."""
    return f"bring: {row.bring}" if row.bring else ""


def _screen(row: Row, chapters: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[str]:
    yield ", ".join(chapters.get(key, key) for key in row.screens)
    if row.texts:
        yield f"text: {', '.join(texts.get(key, key) for key in row.texts)}"


def meetings(plan: Plan) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """Each meeting of a plan with its title."""
    for number, hour in enumerate(plan.hours, 1):
        yield f"{plan.title}, meeting {number}" if len(plan.hours) > 1 else plan.title, hour


def aims(teaching: Teaching) -> list[list[str]]:
    """The lessons below `AIMS`."""
    return [[aim.title, aim.aim, aim.wrong, f"step “{aim.check}”"] for aim in teaching.aims]


def printed(plan: Plan, chapters: Mapping[str, str], texts: Mapping[str, str], paper: str) -> str:
    """A plan on paper, one sheet for each meeting."""
    sheets = [
        sheet(
            title,
            [
                paragraph(f"Needed before: {plan.needs}"),
                paragraph(f"Words for the blackboard: {', '.join(plan.board)}"),
                table(HEAD, rows(hour, chapters, texts)),
                paragraph(OFTEN, "quiet"),
            ],
        )
        for title, hour in meetings(plan)
    ]
    return document(plan.title, paper, sheets)


def printed_aims(teaching: Teaching, paper: str) -> str:
    """The aims of all lessons on one sheet."""
    parts = [heading("What each lesson is for"), table(AIMS, aims(teaching))]
    return document("The lessons", paper, [sheet("The lessons", parts)])


def markdown(teaching: Teaching, chapters: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """All plans and aims for docs/teaching.md."""
    parts = []
    for plan in teaching.plans:
        for title, hour in meetings(plan):
            parts += [f"### {title}", f"Needed before: {plan.needs}"]
            parts += [f"Words for the blackboard: {', '.join(plan.board)}."]
            parts += [_lines(HEAD, rows(hour, chapters, texts))]
    parts += ["### What each lesson is for", _lines(AIMS, aims(teaching))]
    return "\n\n".join([OFTEN, *parts])


def _lines(head: tuple[str, ...], body: list[list[str]]) -> str:
    """A table of Markdown; a bar in a cell would end it."""
    lines = [list(head), ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")
