"""Links that the page itself does not write: version 0.2's, and those written by hand.

    #2.7VZ...                             version 0.2: deflate of JSON lines [name, value]
    #chapter=spans&example=gold           by hand, and a report's: a state's fields, 0.2's names

Reads for one version; 0.2's settings that no longer exist are left out.
"""

import base64
import binascii
import json
import zlib
from typing import Any
from urllib.parse import parse_qsl

from qa_demo.core.base import BadInput
from qa_demo.state import CHAPTERS, State

MOST = 400_000
PARTS = {
    "windows": ("max_seq_length", "doc_stride"),
    "decode": ("max_answer_length", "n_best_size", "threshold"),
}
"""What both kinds of links hold in one: the state's fields in their order."""
NUMBERS = {"step", "temperature", *PARTS["windows"], *PARTS["decode"]}
FOREIGN = ("fbclid", "gclid", "utm_", "mc_")
"""What mail programs and social networks hang on behind a link."""


def from_link(text: str) -> dict[str, Any]:
    """The fields of a state. Errors: BadInput, one sentence."""
    body = text.removeprefix("#")
    if body.startswith("2."):
        return of_version_02(_unpacked(body[2:]))
    found: dict[str, Any] = {}
    for name, value in parse_qsl(body, keep_blank_values=True):
        if name in ("q", "p"):
            found["question" if name == "q" else "context"] = value
        elif name in PARTS:
            found |= dict(zip(PARTS[name], map(_number, value.split("_")), strict=False))
        elif name == "span":
            found["selection"] = [_number(n) for n in value.split("_")[-2:]]
        elif name == "merge":
            found["rule"] = "product" if "context_product" in value else "logits"
        elif name == "gold":
            pairs = (part.split("-") for part in value.split("_") if part != "none")
            found["gold"] = [[_number(end) for end in pair] for pair in pairs]
        elif name in State.model_fields:
            found[name] = _number(value) if name in NUMBERS else value
        elif name != "v" and not name.startswith(FOREIGN):
            raise BadInput(
                f"this link names {name[:40]!r}, which no state has; write & within a text as %26"
            )
    return found


def of_version_02(old: dict[str, Any]) -> dict[str, Any]:
    """A state's fields from those of a link of version 0.2."""
    found: dict[str, Any] = {}
    for name, fields in {"example": ("example",), "reader": ("reader",), **PARTS}.items():
        if isinstance(old.get(name), list):
            found |= dict(zip(fields, old[name], strict=False))
    if "example" not in found and "question" in old and "paragraph" in old:
        found |= {"question": old["question"], "context": old["paragraph"]}
    if old.get("chapter") in CHAPTERS:
        found["chapter"] = old["chapter"]
    if isinstance(old.get("span"), list) and len(old["span"]) == 3:
        found["selection"] = old["span"][1:]
    if isinstance(old.get("logits"), list):
        edits: dict[str, dict[str, Any]] = {}
        for side, window, pos, value in (one for one in old["logits"] if len(one) == 4):
            edits.setdefault(str(side), {})[f"{window}:{pos}"] = value
        found["edits"] = edits
    if "temperature" in old:
        found["temperature"] = old["temperature"]
    if old.get("page.veil") is True:
        found["veil"] = True
    return found


def _number(text: str) -> Any:
    """A short text of digits as a number; any other stays a text, which its field refuses."""
    plain = text.replace(".", "", 1).removeprefix("-")
    if not (plain.isdigit() and plain.isascii() and len(plain) < 20):
        return text
    return float(text) if "." in text else int(text)


def _unpacked(letters: str) -> dict[str, Any]:
    kept = "".join(c for c in letters.replace("%5F", "_") if c.isalnum() or c in "-_")
    try:
        body = base64.urlsafe_b64decode(kept + "=" * (-len(kept) % 4))
        text = zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, MOST).decode("utf-8")
        lines = [json.loads(line) for line in text.split("\n") if line.startswith("[")]
        return {str(name): value for name, value in lines}
    except (binascii.Error, zlib.error, ValueError, TypeError, RecursionError) as fault:
        raise BadInput("this link of version 0.2 is damaged: its end is missing") from fault
