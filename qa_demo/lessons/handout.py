"""Two pages for teachers, to read and to print: one hour, and what textbooks get wrong."""

import base64
from html import escape
from string import Template

import orjson

from qa_demo.lessons.files import TEACHERS, read_lesson
from qa_demo.pictures import CHAPTERS
from qa_demo.state import State, dump

COLUMNS = {
    "hour": {
        "minutes": "{title}",
        "picture": "{picture}",
        "lesson: step": "{source}",
        "what stays": "{reveal}",
    },
    "wrong": {
        "said": "“{title}”",
        "so": "{reveal} <small>{source}</small>",
        "picture": "{picture}",
    },
}
"""Heads of a table, and what stands below them of each step of its file."""
LEAD = {
    "hour": "Open a room under Lessons, let the class join, press Present. In each row the class "
    "guesses in the steps that stand behind the lesson, you reveal, then show the picture.",
    "wrong": "Sentences met in texts and answers about this subject, and what holds.",
}


def link(state: State) -> str:
    """A chapter's name as a link to its picture."""
    name = CHAPTERS[state.chapter].NAME + (f", step {state.step}" if state.step > 1 else "")
    made = base64.urlsafe_b64encode(orjson.dumps(dump(state))).decode().rstrip("=")
    return f'<a href="./#{made}">{escape(name)}</a>'


def handout(name: str) -> bytes:
    """A page with one table, "hour" or "wrong": a row for each step of its file."""
    lesson, rows, seen = read_lesson(TEACHERS / f"{name}.md"), list[str](), set[str]()
    for step in lesson.steps:
        chapter = step.state.chapter
        at = "" if chapter in seen else f' id="{chapter}"'
        seen.add(chapter)
        said = {part: escape(getattr(step, part)) for part in ("title", "source", "reveal")}
        cells = (cell.format(picture=link(step.state), **said) for cell in COLUMNS[name].values())
        rows.append(f"<tr{at}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{head}</th>" for head in COLUMNS[name])
    page = Template((TEACHERS / "page.html").read_text(encoding="utf-8"))
    made = {"title": lesson.title, "lead": LEAD[name], "head": head, "rows": "\n".join(rows)}
    return page.substitute(made).encode()
