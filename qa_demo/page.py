"""The page around the chapters: gradio's boxes, one script, one sheet, and `POST /picture`.

Every event runs in the browser (`fn=None, js=`), so that no page is tied to one process.
"""

import html
import json
from typing import Any

import gradio as gr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from qa_demo.api.calls import CALLS
from qa_demo.api.routes import by_position
from qa_demo.bundle import FONTS, PLOTLY, script, style
from qa_demo.pictures import CHAPTERS, Pictures
from qa_demo.saved import pictures_of, saved
from qa_demo.server.answers import at_last, attempt, json_of, replied, sent, served
from qa_demo.server.gradio_page import gradio_style
from qa_demo.state import State, load

CALL = "globalThis.spanlight?."


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The page's files, its picture, Save, and whether it is well."""

    async def keep(request: Request) -> Response:
        found = dict[str, Any]()

        def make(asked: Any) -> str:
            state = load(asked.get("state") if isinstance(asked, dict) else None)
            return saved(pictures_of(pictures, state, found), state)

        return sent(*await at_last(make, await json_of(request), request.is_disconnected))

    files: dict[str, tuple[Any, ...]] = {
        "page.js": (lambda: script().encode(), "text/javascript"),
        "plotly.js": (PLOTLY.read_bytes, "text/javascript"),
        "page.css": (lambda: style().encode(), "text/css"),
        "gradio.css": (lambda: gradio_style().encode(), "text/css"),
    }
    for font in FONTS.glob("*.woff2"):
        files[f"fonts/{font.name}"] = font.read_bytes, "font/woff2", "public, max-age=604800"
    return [
        Route("/health", lambda _: sent(*health(pictures))),
        Route("/picture", replied(pictures.asked), methods=["POST"]),
        Route("/saved", keep, methods=["POST"]),
        *(Route(f"/static/page/{name}", served(*about)) for name, about in files.items()),
    ]


def health(pictures: Pictures) -> tuple[int, dict[str, Any]]:
    """Status and body of /health: whether the page's own reader reads one short text."""
    well = State(question="Is the reader well?", context="The reader is well.")
    status, said = attempt(pictures.shown, well)
    if status == 202:
        return 503, {"status": "loading", "error": "the reader is being loaded"}
    return (200, {"status": "ok"}) if status == 200 else (503, {"status": "failing"} | said)


def build(pictures: Pictures) -> gr.Blocks:
    """gradio's page: boxes for the texts, example, reader, Ask, and an element for the chapters."""
    examples, readers = pictures.examples, pictures.readers
    first = next(iter(examples.values()))
    named = [("bundled model" if name == "bundled" else name, name) for name in readers]
    names = html.escape(json.dumps([[key, m.NAME] for key, m in CHAPTERS.items()]))
    load = (
        "import(new URL('static/page/page.js', document.baseURI))"
        ".then(() => globalThis.spanlight.mount(element.querySelector('.spanlight'), "
        "JSON.parse(element.querySelector('.spanlight').dataset.chapters)))"
    )
    titles = [(e.title, e.id) for e in examples.values()]
    with gr.Blocks(title="Spanlight", analytics_enabled=False, fill_width=True) as page:
        with gr.Row(elem_id="ask-row"):
            how: dict[str, Any] = {"label": "Question", "elem_id": "question", "scale": 7}
            question = gr.Textbox(first.question, lines=1, max_lines=1, **how)
            how = {"label": "Paragraph", "elem_id": "paragraph", "scale": 3}
            context = gr.Textbox(first.context, lines=1, max_lines=8, **how)
            ask = gr.Button("Ask", variant="primary", scale=0, elem_id="ask")
            how = {"label": "Example", "elem_id": "example", "scale": 2}
            example = gr.Dropdown(titles, value=first.id, **how)
            reader = gr.Dropdown(named, value="bundled", label="Reader", elem_id="reader", scale=2)
        fill = gr.Button("fill", elem_id="fill-boxes")
        gr.HTML(
            html_template=f"<div class='spanlight' data-chapters=\"{names}\"></div>",
            js_on_load=load,
            apply_default_css=False,
            elem_id="chapters",
        )
        gr.HTML('<a href="api/docs">Use via API</a>', apply_default_css=False, elem_id="api")
        asked = f"(q, c) => {{ {CALL}askTexts(q, c); }}"
        gr.on([ask.click, question.submit], None, [question, context], js=asked)
        example.input(None, example, js=f"(e) => {{ {CALL}choose('example', e); }}")
        example.select(None, example, js=f"(e) => {{ {CALL}choose('example', e, true); }}")
        reader.input(None, reader, js=f"(r) => {{ {CALL}choose('reader', r); }}")
        fill.click(None, None, [question, context, example, reader], js=f"() => {CALL}boxes()")
        for name in CALLS:  # for `gradio_client`
            gr.api(by_position(pictures, name), api_name=name, concurrency_limit=None)
    return page
