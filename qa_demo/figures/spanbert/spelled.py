"""The two abbreviations of chapter 8, in full where a reader meets them first."""

import re

FULL = {"MLM": "masked language model", "SBO": "span boundary objective"}
_SHORT = re.compile(r"(^|[.:!?] |\b[Tt]he |\bno |\ban? )?\b(MLM|SBO)\b('s)?")
"""What stands before an abbreviation decides its article."""


def spelled(text: str) -> str:
    """The text with each abbreviation's first use after its full name."""
    met: set[str] = set()

    def full(found: re.Match[str]) -> str:
        before, short, owns = found[1], found[2], found[3] or ""
        if short in met:
            return found[0]
        met.add(short)
        has = before is not None and before.strip().lower() in ("the", "no", "a", "an")
        article = "" if has else "the " if before is None or ":" in before else "The "
        return f"{before or ''}{article}{FULL[short]}{owns} ({short}{owns})"

    return _SHORT.sub(full, text)
