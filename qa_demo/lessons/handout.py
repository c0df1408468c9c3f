"""Two pages for teachers, to read and to print: one hour, and what textbooks get wrong."""

import base64
from html import escape

import orjson

from qa_demo.lessons.files import TEACHERS, read_lesson
from qa_demo.pictures import CHAPTERS
from qa_demo.state import State, dump

STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; color: #1b1b1a; background: #fbfaf7; margin: 0 auto;
  max-width: 1180px; padding: 20px 24px 40px; }
h1 { font: 600 26px/1.2 Georgia, serif; margin: 0 0 6px; }
table { border-collapse: collapse; width: 100%; margin: 14px 0; }
td, th { border-bottom: 1px solid #cbc4b3; padding: 6px 10px 6px 0; text-align: left;
  vertical-align: top; }
th { color: #5f5d57; font-weight: 400; }
small { color: #5f5d57; }
a { color: inherit; }
@media print { body { background: none; font-size: 12px; padding: 0; } nav { display: none; } }
"""
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
    "hour": "Open a room under Lessons and let the class join; press Present. Each row: let the "
    "class guess in the lesson's step, reveal, then the picture. Behind a lesson stand its steps.",
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
    return (
        f'<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head>'
        f'<meta charset="utf-8"/><title>{lesson.title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f'<style>{STYLE}</style></head><body><nav><p><a href="./">Spanlight</a> · '
        '<a href="./teaching">For teachers</a> · <a href="./wrong">What textbooks get wrong</a></p>'
        f"</nav><h1>{lesson.title}</h1><p>{LEAD[name]}</p><table><tr>{head}</tr>{''.join(rows)}"
        "</table></body></html>"
    ).encode()
