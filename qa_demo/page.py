"""The page around the chapters: gradio's boxes, one script, one sheet, and `POST /picture`.

Every event runs in the browser (`fn=None, js=`), so that no page is tied to one process.
"""

import gzip
import hashlib
import html
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import gradio as gr
import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from qa_demo.api.routes import json_of, public, whole
from qa_demo.bundle import FONTS, plotly_file, script, style
from qa_demo.pictures import CHAPTERS, Pictures, told
from qa_demo.saved import pictures_of, saved
from qa_demo.server.gradio_page import gradio_style
from qa_demo.state import load

CALL = "globalThis.spanlight?."


def served(text: Callable[[], bytes], kind: str, cached: str = "no-cache") -> Callable[..., Any]:
    """A file, packed once, that the browser asks for again at each visit, for it must never mix two
    versions; `cached` says otherwise.
    """

    @cache
    def file() -> tuple[bytes, bytes, str]:
        plain = text()
        return plain, gzip.compress(plain, 9), f'"{hashlib.sha256(plain).hexdigest()[:32]}"'

    def answer(request: Request) -> Response:
        plain, packed, tag = file()
        headers = {"cache-control": cached, "etag": tag, "vary": "accept-encoding"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", "") and len(packed) < len(plain):
            plain, headers["content-encoding"] = packed, "gzip"
        return Response(plain, headers=headers, media_type=kind)

    return answer


def replied(make: Callable[[Any], Any]) -> Callable[[Request], Any]:
    """A route that is asked in JSON and answers what `told` says; a text is a file."""

    async def route(request: Request) -> Response:
        status, body = await run_in_threadpool(told, make, await json_of(request))
        return sent(body, status)

    return route


def sent(body: Any, status: int = 200) -> Response:
    """An answer that nobody keeps."""
    # not text/html: that would be given the running page's head
    kind = "application/octet-stream" if isinstance(body, str) else "application/json"
    made = body if isinstance(body, str) else orjson.dumps(body)
    return Response(made, status, {"cache-control": "no-store"}, kind)


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The page's files and its one question to the server."""

    async def keep(request: Request) -> Response:
        found = dict[str, Any]()

        def make(asked: Any) -> str:
            state = load(asked.get("state") if isinstance(asked, dict) else None)
            return saved(pictures_of(pictures, state, found), state)

        status, body = await whole(make, await json_of(request), request.is_disconnected)
        return sent(body, status)

    files: dict[str, tuple[Any, ...]] = {
        "page.js": (lambda: script().encode(), "text/javascript"),
        "plotly.js": (plotly_file, "text/javascript"),
        "page.css": (lambda: style().encode(), "text/css"),
        "gradio.css": (lambda: gradio_style().encode(), "text/css"),
    }
    for font in FONTS.glob("*.woff2"):
        files[f"fonts/{font.name}"] = font.read_bytes, "font/woff2", "public, max-age=604800"
    return [
        Route("/health", lambda _: sent(*pictures.health())),
        Route("/picture", replied(pictures.asked), methods=["POST"]),
        Route("/saved", keep, methods=["POST"]),
        *(Route(f"/static/page/{name}", served(*about)) for name, about in files.items()),
    ]


def build(pictures: Pictures) -> gr.Blocks:
    """gradio's page: boxes for the texts, example, reader, Ask, and an element for the chapters."""
    examples, readers = pictures.examples, pictures.readers
    first = next(iter(examples.values()))
    named = [("bundled model" if name == "bundled" else name, name) for name in readers]
    names = html.escape(json.dumps([[key, m.NAME] for key, m in CHAPTERS.items()]), quote=True)
    load = (
        "import(new URL('static/page/page.js', document.baseURI))"
        ".then(() => globalThis.spanlight.mount(element.querySelector('.spanlight'), "
        "JSON.parse(element.querySelector('.spanlight').dataset.chapters)))"
    )
    titles = [(e.title, e.id) for e in examples.values()]
    page: gr.Blocks
    with gr.Blocks(title="Spanlight", analytics_enabled=False, fill_width=True) as page:
        with gr.Row(elem_id="ask-row"):
            how: dict[str, Any] = {"label": "Question", "elem_id": "question", "scale": 7}
            question = gr.Textbox(first.question, lines=1, max_lines=1, **how)
            how = {"label": "Paragraph", "elem_id": "paragraph", "scale": 3}
            context = gr.Textbox(first.context, lines=1, max_lines=8, **how)
            ask = gr.Button("Ask", variant="primary", scale=0, elem_id="ask")
            how = {"label": "Example", "elem_id": "example", "scale": 2}
            example = gr.Dropdown(titles, value=first.id, **how)
            how = {"label": "Reader", "elem_id": "reader", "scale": 2}
            reader = gr.Dropdown(named, value="bundled", **how)
        fill = gr.Button("fill", elem_id="fill-boxes")
        gr.HTML(
            html_template=f"<div class='spanlight' data-chapters=\"{names}\"></div>",
            js_on_load=load,
            apply_default_css=False,
            elem_id="chapters",
        )
        gr.HTML('<a href="api/docs">Use via API</a>', apply_default_css=False, elem_id="api")
        boxes = [question, context, example, reader]
        asked = f"(q, c) => {{ {CALL}askTexts(q, c); }}"
        gr.on([ask.click, question.submit], None, [question, context], js=asked)
        example.input(None, example, js=f"(e) => {{ {CALL}choose(e); }}")
        reader.input(None, reader, js=f"(r) => {{ {CALL}set({{ reader: r }}); }}")
        fill.click(None, None, boxes, js=f"() => {CALL}boxes()")
        public(pictures)
    return page
