"""Two pages for teachers, to read and to print: one hour as a table, and what texts get wrong."""

import base64
from html import escape

import orjson

from qa_demo.lessons.files import OWN, WRONG, read_lesson
from qa_demo.pictures import CHAPTERS
from qa_demo.state import State, dump

HOUR = (
    ("0 to 5", "answer", 1, "1 A span: 1 and 3", "A span has a score; the highest is returned."),
    ("5 to 9", "scores", 1, "5 One vector: 1", "One S for every question and text; h differs."),
    ("9 to 14", "start_end", 1, "2 Start and end: 2", "Two softmaxes, over all positions."),
    ("14 to 20", "spans", 1, "3 The best pair: 1 and 2", "Pairs are searched, not peaks."),
    (
        "20 to 24",
        "loss",
        1,
        "6 What training lowers: 1",
        "Training raises log P of the right ends.",
    ),
    ("24 to 28", "loss", 2, "6 What training lowers: 5", "Loss and best span: one quantity."),
    (
        "28 to 31",
        "loss",
        3,
        "6 What training lowers: 4",
        "Up at the right position, down elsewhere.",
    ),
    ("31 to 36", "windows", 1, "7 A long text: 1 and 2", "Split with an overlap; all is read."),
    ("36 to 40", "spanbert", 3, "9 SpanBERT: 4", "The encoder stays, its two heads go."),
    ("40 to 45", "why", 1, "10 Why this span: 1", "Shares of the lead, and what they do not say."),
    (
        "if time",
        "bio",
        1,
        "8 Tags and annotators: 1 and 3",
        "B, I, O for every token; soft labels.",
    ),
)
"""One hour of 45 minutes: minutes, chapter, its step, lesson and steps, what stays."""
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


def href(state: State) -> str:
    """The address of a state on this page."""
    made = base64.urlsafe_b64encode(orjson.dumps(dump(state))).decode().rstrip("=")
    return f"./#{made}"


def link(chapter: str, step: int, state: State) -> str:
    """A chapter's name as a link to its picture."""
    name = f"{CHAPTERS[chapter].NAME}, step {step}" if step > 1 else CHAPTERS[chapter].NAME
    return f'<a href="{href(state)}">{escape(name)}</a>'


def document(title: str, lead: str, heads: str, rows: list[str]) -> bytes:
    """A page with one table; all parts are ours and already escaped."""
    cells = "".join(f"<th>{head}</th>" for head in heads.split(", "))
    return (
        f'<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head>'
        f'<meta charset="utf-8"/><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f'<style>{STYLE}</style></head><body><nav><p><a href="./">Spanlight</a> · '
        '<a href="./teaching">For teachers</a> · <a href="./wrong">What textbooks get wrong</a></p>'
        f"</nav><h1>{title}</h1><p>{lead}</p><table><tr>{cells}</tr>{''.join(rows)}</table>"
        "</body></html>"
    ).encode()


def hour() -> bytes:
    """One hour of 45 minutes as a table."""
    rows = list[str]()
    for minutes, chapter, step, lesson, stays in HOUR:
        state = State.model_validate({"chapter": chapter, "step": step})
        cells = minutes, link(chapter, step, state), escape(lesson), escape(stays)
        rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    lead = (
        "Open a room under Lessons and let the class join; press Present. Each row: let the class "
        "guess in the lesson's step, reveal, then the picture. Behind a lesson stand its steps."
    )
    return document(
        "One hour of 45 minutes", lead, "minutes, picture, lesson: step, what stays", rows
    )


def wrong() -> bytes:
    """What textbooks get wrong, each with a link to the picture that shows it."""
    rows = list[str]()
    for step in read_lesson(OWN / f"{WRONG}.md").steps:
        chapter = step.state.chapter
        picture = link(chapter, step.state.step, step.state)
        so = f"{escape(step.reveal)} <small>{escape(step.source)}</small>"
        cells = f"“{escape(step.title)}”", so, picture
        at = "" if f'id="{chapter}"' in "".join(rows) else f' id="{chapter}"'
        rows.append(f"<tr{at}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    lead = "Sentences met in texts and answers about this subject, and what holds."
    return document("What textbooks get wrong", lead, "said, so, picture", rows)
