"""What a browser needs of assets/page, each as one text: the modules, the sheet, plotly."""

import base64
import hashlib
import html
import re
from functools import cache

from qa_demo.core.store import ASSETS

FOLDER = ASSETS / "page"
FONTS = FOLDER / "vendor" / "fonts"
PLOTLY = FOLDER / "vendor" / "plotly-cartesian.min.js"
UNSCRIPTED = "<noscript>This page needs JavaScript, which is off in this browser.</noscript>"
MODULES = (
    *("dom", "store", "controls", "table", "text", "figure", "render", "tools", "room"),
    *("lessons", "main"),
)


@cache
def script(saved: bool = False, modules: tuple[str, ...] = MODULES) -> str:
    """The page's modules as one: they share one scope, so no two may use a name for two things.
    A saved file has no server, and its script is no module.
    """
    whole = "".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in modules)
    whole = re.sub(r"^import [^;]*;\n|^export (\{[^}]*\};\n)?", "", whole, flags=re.M)
    if saved:
        return whole.replace("import.meta.url", "document.baseURI")
    return whole + "globalThis.spanlight = { mount, boxes, askTexts, choose, set };\n"


@cache
def style(saved: bool = False) -> str:
    """The sheet; a saved file has the fonts inside it, since there is no other place for them."""

    def place(found: re.Match[str]) -> str:
        if not saved:
            return f'url("fonts/{found[1]}")'
        data = base64.b64encode((FONTS / found[1]).read_bytes()).decode("ascii")
        return f'url("data:font/woff2;base64,{data}")'

    faces = re.sub(r'url\("([\w-]+\.woff2)"\)', place, (FONTS / "fonts.css").read_text("utf-8"))
    return (FOLDER / "page.css").read_text(encoding="utf-8") + faces


def one_file(title: str, name: str, data: str, run: str) -> str:
    """One HTML file that opens without a network: JSON in an inert element called `name`, plotly
    and the script `run`, which alone may run, and an element .spanlight for the renderer.
    """
    plotly = PLOTLY.read_text(encoding="utf-8")
    kept = [text.replace("</script", "<\\/script") for text in (plotly, run)]
    digests = (hashlib.sha256(text.encode()).digest() for text in kept)
    allowed = " ".join(f"'sha256-{base64.b64encode(x).decode()}'" for x in digests)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "font-src data:; img-src data: blob:"
    )
    inert = data.replace("<", "\\u003c")
    sheet = style(saved=True).replace("</", "<\\/")
    running = "\n".join(f"<script>{text}</script>" for text in kept)
    return f"""\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{html.escape(title)}</title>
<style>{sheet}</style></head>
<body class="saved">{UNSCRIPTED}<main><div class="spanlight"></div></main>
<script type="application/json" id="{name}">{inert}</script>
{running}
</body></html>"""
