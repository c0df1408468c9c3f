"""Which pages of other origins may show this one in a frame."""

import os
import re

from qa_demo.core.base import BadInput

VARIABLE = "SPANLIGHT_FRAME_ANCESTORS"
ALWAYS = ("https://huggingface.co", "https://*.hf.space")
"""Where a Space is shown."""
MOST = 50
_ORIGIN = re.compile(
    r"https?://(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?",
    re.ASCII | re.IGNORECASE,
)


def frame_ancestors() -> tuple[str, ...]:
    """The origins of `SPANLIGHT_FRAME_ANCESTORS`, apart by blanks. Errors: BadInput for others."""
    found = tuple(os.environ.get(VARIABLE, "").split())
    if len(found) > MOST:
        raise BadInput(f"{VARIABLE} names {len(found)} origins, at most {MOST} are allowed")
    for origin in found:
        if not _ORIGIN.fullmatch(origin):
            raise BadInput(
                f"{VARIABLE} names the origins that may embed the page, apart by blanks, such as "
                f"https://course.example.org or https://*.example.org:8443; got {origin[:80]!r}"
            )
    return found
