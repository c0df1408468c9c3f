"""The two abbreviations of chapter 8, in full where a reader meets them first."""

import re

FULL = {"MLM": "masked language model", "SBO": "span boundary objective"}
_SHORT = re.compile(r"(?:the )?\b(MLM|SBO)\b('s)?")


def spelled(text: str) -> str:
    """The text with the first use of each abbreviation after its full name: "MLM's guess" becomes
    "the masked language model's (MLM's) guess".
    """
    met: set[str] = set()

    def full(found: re.Match[str]) -> str:
        short, owns = found[1], found[2] or ""
        if short in met:
            return found[0]
        met.add(short)
        return f"the {FULL[short]}{owns} ({short}{owns})"

    return _SHORT.sub(full, text)
