"""What a browser needs of assets/page, each as one text: the modules, the sheet, plotly."""

import base64
import re
from functools import cache

from qa_demo.core.store import ASSETS

FOLDER = ASSETS / "page"
FONTS = FOLDER / "vendor" / "fonts"
_FILE = re.compile(r'url\("([\w-]+\.woff2)"\)')
MODULES = (
    "dom",
    "store",
    "controls",
    "table",
    "text",
    "figure",
    "render",
    "tools",
    "room",
    "lessons",
    "main",
)
_IMPORT = re.compile(r"^import [^;]*;\n", re.M)
_LIST = re.compile(r"^export \{[^}]*\};\n", re.M)


@cache
def script(saved: bool = False, modules: tuple[str, ...] = MODULES) -> str:
    """The page's modules as one: they share one scope, so no two may use a name for two things.
    A saved file has no server, and its script is no module.
    """
    whole = "".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in modules)
    whole = re.sub(r"^export (?=\w)", "", _LIST.sub("", _IMPORT.sub("", whole)), flags=re.M)
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

    faces = _FILE.sub(place, (FONTS / "fonts.css").read_text(encoding="utf-8"))
    return (FOLDER / "page.css").read_text(encoding="utf-8") + faces


def plotly_file() -> bytes:
    """plotly's bundle of cartesian charts, as vendored."""
    return (FOLDER / "vendor" / "plotly-cartesian.min.js").read_bytes()
