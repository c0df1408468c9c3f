"""The pages of the static edition: the list of everything, and the one that shows a reading."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence

from qa_demo.core.course.lessons import Lesson
from qa_demo.core.errors import BadInput
from qa_demo.core.files.examples import Passage, PoolExample
from qa_demo.views.lessons.course import SAID
from qa_demo.views.saved.file import BODY, document

POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)
"""Scripts of this folder alone; `file:` is what a browser calls it where no server is."""
LIST_POLICY = (
    "default-src 'none'; style-src 'self' file:; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
HEAD = '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="page.css">\n'
DARK = re.compile(r"body\.dark (\{[^}]*--sl-paper[^}]*\})")
LEAD = (
    "A small BERT reads a paragraph and points at the words that answer a question. Each text "
    "opens with nine chapters that show how: which numbers it computes, and which of them decide. "
    "New here? Begin with the first lesson."
)
Entry = tuple[str, str, str]
"""Address behind #, title, and what it is there for."""


def edition_style(style: str) -> str:
    """The page's style sheets; dark colours follow the browser. Errors: BadInput without them."""
    dark = DARK.search(style)
    if dark is None:
        raise BadInput("the style sheets have no dark colours")
    media = "@media screen and (prefers-color-scheme: dark)"
    return f"{style}\n{media} {{ body.edition {dark[1]} body.edition {{ color-scheme: dark; }} }}\n"


def reading_page() -> str:
    """The page that shows every text; what they need is asked for at once."""
    body = f'<body>\n{BODY}<script src="page.js"></script>\n'
    early = '<link rel="preload" as="script" href="data/site.js">\n'
    return document("Spanlight", POLICY, HEAD + early, body)


def index_page(
    examples: Mapping[str, PoolExample], lessons: Iterable[Lesson], passages: Iterable[Passage]
) -> str:
    """The first page: a list of everything, which needs no script."""
    course = [(f"lesson={o.id}", o.title, f"{o.minutes} min") for o in lessons if o.id != SAID]
    right = [one for one in examples.values() if one.view is None]
    wrong = [one for one in examples.values() if one.view is not None]
    hidden = [(f"passage={one.id}", one.title, one.reason) for one in passages]
    parts = [
        _group("Lessons", "A few minutes each; you guess before you are told.", course, True),
        _group("Texts", "Read by this reader, each for a reason.", _texts(right)),
        _group("What it gets wrong", "Each opens at the chapter that shows how.", _texts(wrong)),
        _group("Hidden words", "Texts of chapter 8: a model fills the blanks.", hidden),
    ]
    body = (
        '<body class="saved ready edition">\n<div class="gradio-container"><div class="main">'
        '<main class="contain">\n<header class="masthead"><h1>Spanlight</h1>'
        '<p class="tagline">how a reader finds the answer</p></header>\n'
        f'<p class="lead">{LEAD}</p>\n{"".join(parts)}</main></div></div>\n'
    )
    return document("Spanlight", LIST_POLICY, HEAD, body)


def _texts(examples: Iterable[PoolExample]) -> list[Entry]:
    return [(f"example={e.id}{_chapter(e)}", e.title, e.reason) for e in examples]


def _chapter(example: PoolExample) -> str:
    """What the reader gets wrong opens at the chapter that shows how."""
    return f"&chapter={example.view}" if example.view else ""


def _group(name: str, about: str, entries: Sequence[Entry], numbered: bool = False) -> str:
    if not entries:
        return ""
    items = "".join(
        f'<li><a href="read.html#{html.escape(at)}">{html.escape(title)}</a> '
        f"<span>{html.escape(why)}</span></li>\n"
        for at, title, why in entries
    )
    kind = "ol" if numbered else "ul"
    return (
        f"<section><h2>{html.escape(name)}</h2>\n<p>{html.escape(about)}</p>\n"
        f"<{kind}>\n{items}</{kind}></section>\n"
    )


README = """---
title: Spanlight
emoji: 🔎
colorFrom: gray
colorTo: blue
sdk: static
app_file: index.html
pinned: false
license: apache-2.0
short_description: See how a BERT reader finds an answer
---

# Spanlight, static edition

Open `index.html` in a browser, or publish this folder as it is, under any path: the lines above
are what a Static Space of Hugging Face wants; for GitHub Pages push the folder to the branch that
Pages publishes. No server and no Python is needed, and nothing is sent anywhere.
"""
