"""Gradio's own page as it is sent: asked for at once what it would ask for one file behind another,
its many style sheets as one below the page's own.
"""

import re
from functools import cache
from pathlib import Path

import gradio
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qa_demo.bundle import FOLDER, UNSCRIPTED

FRONTEND = Path(gradio.__file__).parent / "templates" / "frontend" / "assets"
SHEET = b'<link rel="stylesheet" '
OFF = 'disabled media="not all" '
"""Switched off for the page, and by the medium for a browser that looks ahead for files."""
THEME = re.compile(rb'"theme_hash": ?"(\w+)"')
FIRST = b"<head><script>%s</script>" % (FOLDER / "early.js").read_bytes()


@cache
def gradio_files() -> tuple[str, ...]:
    """The scripts and sheets that gradio's page asks for, in its order; none where a version is
    installed whose files have other names. A browser's list of requests shows them, under assets/.
    """
    names = tuple((FOLDER.parent / "gradio.txt").read_text(encoding="utf-8").split())
    return names if all((FRONTEND / name).is_file() for name in names) else ()


def gradio_style() -> str:
    """These sheets in a layer below the page's own, so that no rule of theirs outranks one of ours;
    `!important` would, in a layer.
    """
    sheets = [name for name in gradio_files() if name.endswith(".css")]
    text = "\n".join((FRONTEND / name).read_text(encoding="utf-8") for name in sheets)
    return "@layer gradio {\n" + text.replace("!important", "") + "\n}\n"


@cache
def head() -> str:
    """What the page asks for at once; gradio adds its own `head` when it has started. Its loader
    takes a sheet that is switched off for loaded.
    """
    scripts = ["static/page/page.js", *(f"assets/{n}" for n in gradio_files() if n.endswith("js"))]
    fonts = [f"static/page/fonts/{name}.woff2" for name in ("sans", "serif")]
    links = [
        *(f'rel="modulepreload" href="{name}"' for name in scripts),
        *(f'rel="stylesheet" href="static/page/{name}.css"' for name in ("gradio", "page")),
        *(f'rel="preload" as="font" crossorigin href="{name}"' for name in fonts),
        *(f'rel="stylesheet" {OFF}href="assets/{n}"' for n in gradio_files() if n.endswith("css")),
    ]
    return "".join(f"<link {link}>\n" for link in links)


def with_head(page: bytes) -> bytes:
    """The page with what stands first and what is asked for at once. Its own sheet is in ours; the
    theme's has a hash.
    """
    page = page.replace(b"<head>", FIRST, 1)
    if gradio_files():
        page = page.replace(SHEET, SHEET + OFF.encode(), 1)
    theme = THEME.search(page)
    link = b'<link rel="preload" as="style" href="theme.css?v=%s">\n' % theme[1] if theme else b""
    page = page.replace(b"<gradio-app", UNSCRIPTED.encode() + b"<gradio-app", 1)
    return page.replace(b"</head>", head().encode() + link + b"</head>", 1)


def early(app: ASGIApp) -> ASGIApp:
    """Send every page of gradio's with its head."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        page = False

        async def changed(part: Message) -> None:
            nonlocal page
            if part["type"] == "http.response.start":
                headers = MutableHeaders(scope=part)
                page = headers.get("content-type", "").startswith("text/html")
                if page:
                    del headers["content-length"]
            elif page:
                part["body"] = with_head(part.get("body", b""))
            await send(part)

        await app(scope, receive, changed)

    return answer
