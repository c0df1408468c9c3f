"""Data inside a page of HTML: any visitor's texts, in a script element that none can end."""

import base64
import gzip
import json
from typing import Any

from qa_demo.core.files.report import finite

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def embedded(data: dict[str, Any]) -> str:
    """JSON for a script element, or for a script that assigns it: `</script`, `<!--` and the line
    ends that only JavaScript knows (U+2028, U+2029) are written as escapes. Errors: BadCheckpoint
    for a number that JSON has not.
    """
    # in ASCII no line end of Unicode is left
    text = json.dumps(finite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter, escape in _ESCAPES.items():
        text = text.replace(letter, escape)
    return text


def packed(text: str, level: int = 9) -> str:
    """The text compressed, as letters; the same text always gives the same (`unzipped` of
    assets/report/shared/pack.js opens it).
    """
    return base64.b64encode(gzip.compress(text.encode(), level, mtime=0)).decode("ascii")
