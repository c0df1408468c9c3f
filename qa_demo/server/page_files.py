"""What the browser asks for beside gradio's scripts: two scripts and a style sheet, made of the 150
files of `assets/page` when the server starts, and one of gradio's own; compressed once.
"""

import gzip
import hashlib
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from qa_demo.server.gradio_page import gradio_style
from qa_demo.views.bundle import page_scripts
from qa_demo.views.style import style


class PageFile:
    """One of them, asked for again at each visit: a browser must never mix two versions."""

    def __init__(self, text: str, kind: str) -> None:
        self.plain, self.kind = text.encode(), kind
        self.packed = gzip.compress(self.plain, 9, mtime=0)
        self.tag = f'"{hashlib.sha256(self.plain).hexdigest()[:32]}"'

    async def answer(self, request: Request) -> Response:
        """The file, or 304 where the browser's copy is still the same one."""
        headers = {"cache-control": "no-cache", "etag": self.tag, "vary": "accept-encoding"}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return Response(self.packed, headers=headers, media_type=self.kind)
        return Response(self.plain, headers=headers, media_type=self.kind)


@cache
def page_files() -> dict[str, PageFile]:
    """The files by name."""
    first, rest = page_scripts()
    script = "text/javascript"
    return {
        "page.js": PageFile(first, script),
        "rest.js": PageFile(rest, script),
        "page.css": PageFile(style(), "text/css"),
        "gradio.css": PageFile(gradio_style(), "text/css"),
    }
