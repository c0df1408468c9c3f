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

from qa_demo.api.routes import public
from qa_demo.bundle import FONTS, plotly_file, script, style
from qa_demo.pictures import CHAPTERS, Pictures, told
from qa_demo.saved import pictures_of, saved
from qa_demo.server.gradio_page import gradio_style
from qa_demo.state import load

PACK_FROM = 800
"""Bytes from which an answer is worth compressing."""
A_WEEK = "public, max-age=604800"
CALL = "globalThis.spanlight?."


def served(
    text: Callable[[], bytes], kind: str, cached: str = "no-cache"
) -> Callable[[Request], Any]:
    """A file that the browser asks for again at each visit, for it must never mix two versions;
    `cached` says otherwise.
    """

    @cache
    def file() -> tuple[bytes, bytes, str]:
        plain = text()
        digest = hashlib.sha256(plain).hexdigest()[:32]
        return plain, gzip.compress(plain, 9, mtime=0), f'"{digest}"'

    async def answer(request: Request) -> Response:
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
        try:
            asked = orjson.loads(await request.body())
        except orjson.JSONDecodeError:
            asked = None
        status, body = await run_in_threadpool(told, make, asked)
        return sent(request, body, status)

    return route


def sent(request: Request, body: Any, status: int = 200) -> Response:
    """An answer that nobody keeps, packed where that is worth it."""
    headers = {"cache-control": "no-store"}
    if isinstance(body, str):  # not text/html: that would be given the running page's head
        return Response(body, status, headers, "application/octet-stream")
    made = orjson.dumps(body)
    if len(made) > PACK_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        made, headers["content-encoding"] = gzip.compress(made, 3, mtime=0), "gzip"
    return Response(made, status, headers, "application/json")


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The page's files and its one question to the server."""

    def whole(asked: Any) -> str:
        state = load(asked.get("state") if isinstance(asked, dict) else None)
        return saved(pictures_of(pictures, state, 0.0), state)

    def health(request: Request) -> Response:
        status, body = pictures.health()
        return sent(request, body, status)

    files: dict[str, tuple[Any, ...]] = {
        "page.js": (lambda: script().encode(), "text/javascript"),
        "plotly.js": (plotly_file, "text/javascript"),
        "page.css": (lambda: style().encode(), "text/css"),
        "gradio.css": (lambda: gradio_style().encode(), "text/css"),
    }
    for font in sorted(FONTS.glob("*.woff2")):
        files[f"fonts/{font.name}"] = font.read_bytes, "font/woff2", A_WEEK
    return [
        Route("/health", health),
        Route("/picture", replied(pictures.asked), methods=["POST"]),
        Route("/saved", replied(whole), methods=["POST"]),
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
