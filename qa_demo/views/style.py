"""The page's style sheets and fonts as one text, for the running page, saved files and the edition.

Fonts stand in it as `data:` addresses: a saved file has no other place for them, and a picture
that is saved takes them from here (`assets/page/shared/picture_file.js`).
"""

import base64
import re
from functools import cache
from pathlib import Path

from qa_demo.core.files.assets import ASSETS

PAGE = ASSETS / "page"
FONTS = PAGE / "vendor" / "fonts"
_FILE = re.compile(r'url\("([\w-]+\.woff2)"\)')


@cache
def fonts() -> str:
    """The faces, with their files inside."""

    def inside(found: re.Match[str]) -> str:
        data = base64.b64encode((FONTS / found[1]).read_bytes()).decode("ascii")
        return f'url("data:font/woff2;base64,{data}")'

    return _FILE.sub(inside, (FONTS / "fonts.css").read_text(encoding="utf-8"))


def sheets() -> list[Path]:
    """The style sheets in their order: the page's own, the chapters', what saved files add."""
    files = (path for path in PAGE.rglob("*.css") if path.parent != FONTS)
    return sorted(files, key=lambda p: (p.parent.name == "saved", p.name != "page.css", str(p)))


@cache
def style() -> str:
    """All style sheets and the fonts; these last, so that the file reads well from above."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sheets())
    return f"{text}\n{fonts()}".replace("</", "<\\/")
