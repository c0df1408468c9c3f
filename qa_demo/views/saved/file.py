"""A saved reading as one file of HTML: script, styles and tape inside, and no request to anywhere.

The policy lets one script run, the one whose checksum it names; whatever a text of the reading
holds, it is data in a JSON block.
"""

import base64
import hashlib
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

from qa_demo import __version__
from qa_demo.core.files.embed import embedded
from qa_demo.views.bundle import script
from qa_demo.views.style import style

_script = cache(script)


def policy(code: str) -> str:
    """What the browser may load for a page that runs this script: nothing else."""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def saved(tape: Mapping[str, Any], tabs: list[dict[str, Any]], home: str) -> dict[str, Any]:
    """What the script of a saved page starts from. `home` is the address of the running page."""
    where = f"; it runs at {home} where Spanlight is started" if home else ""
    return {
        "tape": dict(tape),
        "chapters": tabs,
        "home": home,
        "tagline": f"a reading, saved on {date.today().isoformat()}",
        "foot": f"Spanlight {__version__}. Nothing leaves this file. What is disabled in it needs "
        f"the running page{where}.",
    }


def html(data: dict[str, Any]) -> str:
    """The whole file around what `saved` gives."""
    code = _script()
    body = (
        f'<body>\n{BODY}<script type="application/json" id="saved">{embedded(data)}</script>\n'
        f"<script>{code}</script>\n"
    )
    head = f"<style>{style()}</style>\n"
    return document("Spanlight: a saved reading", policy(code), head, body)


def document(title: str, policy: str, head: str, body: str) -> str:
    """A whole file of HTML; `body` begins with its tag, which stays open."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n{head}</head>\n{body}</body>\n</html>\n"
    )


BODY = (
    '<div class="gradio-container"><div class="main"><main class="contain">'
    '<div class="column" id="page"></div></main></div></div>\n'
    "<noscript>This page is drawn by a script that it holds; scripts are switched off here."
    "</noscript>\n"
)
