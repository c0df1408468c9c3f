"""What one visitor alone would be shown: the same numbers from one thread."""

import base64
from dataclasses import replace
from typing import Any

import numpy as np

from qa_demo.core.explaining.attribution import Target
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import Reading
from qa_demo.figures.payload import plain
from qa_demo.figures.reading import reading_data
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import attribution as rested
from qa_demo.model.loading import load_reader
from qa_demo.model.workers import Workers
from qa_demo.views import selection
from qa_demo.views.spans import chapter as spans
from qa_demo.views.state import Screen

WITHIN = 1e-4
"""Sums in another order differ by less."""
OWN = ("stamp", "open", "example", "n", "page")
"""Numbers of a visit, not of a reading."""


class Twin:
    """One reader on one thread, and what it was asked for."""

    def __init__(self) -> None:
        self._reader = load_reader("bundled", workers=Workers(1))
        self._readings: dict[tuple[str, str], Reading] = {}

    def reading(self, texts: tuple[str, str]) -> Reading:
        """The reading of question and paragraph."""
        if texts not in self._readings:
            self._readings[texts] = self._reader.read(*texts)
        return self._readings[texts]

    def screen(self, texts: tuple[str, str]) -> Screen:
        """The screen on which a new reading is shown."""
        reading = self.reading(texts)
        made = Screen(reading, DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0))
        best = selection.winner(made)
        return made if best is None else made.select(best)

    def store(self, texts: tuple[str, str]) -> dict[str, Any]:
        """What the browser keeps of a reading."""
        return plain(reading_data(self.reading(texts), (), 0, False))

    def spans(self, texts: tuple[str, str], length: int) -> dict[str, Any]:
        """Chapter 4 with another longest answer."""
        screen = self.screen(texts)
        decode = replace(screen.decode, max_answer_length=length)
        return plain(spans.present(screen.change(decode=decode)))

    def explanation(self, texts: tuple[str, str], method: str) -> dict[str, Any]:
        """The lanes of chapter 9, or one row of a head, of the best span."""
        screen = self.screen(texts)
        chosen = screen.selection
        assert chosen is not None
        if method == "attention":
            window = screen.reading.windows[chosen.window]
            return plain(looked.exact_data(self._reader.attention(window), 0, 0, 1))
        target = Target("span_score", chosen.span, None, chosen.window)
        found = self._reader.attribute(screen.reading, target, method, "pad")
        return plain(rested.lanes_data(found))


def difference(shown: Any, own: Any, where: str = "") -> str | None:
    """The first place where shown and twin differ; packed and plain numbers within `WITHIN`."""
    if isinstance(own, dict) and isinstance(shown, dict):
        for key in own.keys() | shown.keys():
            if key in OWN:
                continue
            if key not in own or key not in shown:
                return f"{where}.{key} is on one side only"
            found = difference(shown[key], own[key], f"{where}.{key}")
            if found is not None:
                return found
        return None
    if isinstance(own, list) and isinstance(shown, list) and len(own) == len(shown):
        pairs = enumerate(zip(shown, own, strict=True))
        found = (difference(a, b, f"{where}[{k}]") for k, (a, b) in pairs)
        return next((one for one in found if one is not None), None)
    return None if _equal(shown, own) else f"{where}: {str(shown)[:60]} for {str(own)[:60]}"


def _equal(shown: Any, own: Any) -> bool:
    if shown == own:
        return True
    if isinstance(own, float | int) and isinstance(shown, float | int):
        return abs(shown - own) <= WITHIN * max(1.0, abs(own))
    if not (isinstance(own, str) and isinstance(shown, str)) or len(own) != len(shown):
        return False
    try:
        a, b = (np.frombuffer(base64.b64decode(x, validate=True), "<f4") for x in (shown, own))
    except ValueError:
        return False
    return bool(np.allclose(a, b, rtol=0, atol=WITHIN))
