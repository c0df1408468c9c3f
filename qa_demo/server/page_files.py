"""What the browser asks for beside gradio's own: two scripts and one style sheet, made of the 150
files of `assets/page` when the server starts, and compressed once.
"""

import gzip
import hashlib
from functools import cache

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qa_demo.views.bundle import page_scripts
from qa_demo.views.style import style

HEAD = """<script>{
  const frame = requestAnimationFrame.bind(window), clock = /performance\\.now\\(\\)[^;]*1e3/;
  window.requestAnimationFrame = (run) => clock.test(run) ? setTimeout(run, 1000) : frame(run);
}</script>
<link rel="modulepreload" href="static/page/page.js">
<link rel="preload" as="style" href="static/page/page.css">
"""
"""What is asked for beside gradio's scripts, not after them; and what must run before them: the
clock of gradio's first loader outlives it, 60 times a second for as long as the page is open, which
is a twentieth of a core.
"""


class Early:
    """Put `HEAD` into the page as it is sent: gradio adds its own `head` when it has started."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        html = False

        async def with_head(part: Message) -> None:
            nonlocal html
            if part["type"] == "http.response.start":
                headers = MutableHeaders(scope=part)
                html = headers.get("content-type", "").startswith("text/html")
                if html:
                    del headers["content-length"]
            elif html:
                body = part.get("body", b"")
                part["body"] = body.replace(b"</head>", f"{HEAD}</head>".encode(), 1)
            await send(part)

        await self.app(scope, receive, with_head)


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
    }
