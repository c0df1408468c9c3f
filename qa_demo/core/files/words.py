"""The words of a chapter that carry no number: assets/words/<chapter>.toml."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from qa_demo.core.files.assets import ASSETS


@cache
def fixed_words(chapter: str) -> Mapping[str, Any]:
    """`simplified`, what the chapter leaves out, and sentences that name [CLS]."""
    return tomllib.loads((ASSETS / "words" / f"{chapter}.toml").read_text(encoding="utf-8"))
