"""One question on a paragraph: what was read, and the best span that was found."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.rules import predict_by
from qa_demo.core.types import Reading, Span


@dataclass(frozen=True)
class Asked:
    """A reading with its best span; `silent`: whether "no answer" wins over it."""

    reading: Reading
    best: Candidate
    silent: bool

    def place(self, d: int) -> tuple[int, int]:
        """Window and position of piece d (`doc`): the best span's window where it holds d, else
        the one that owns d.
        """
        w = self.reading.windows[self.best.window]
        home = w if w.holds(Span(d, d)) else self.reading.windows[int(self.reading.owners[d])]
        return home.index, home.to_pos(d)

    def at(self, d: int) -> NDArray[np.float64]:
        """(start logit, end logit) of piece d, [2]."""
        window, pos = self.place(d)
        return np.array([row[pos] for row in self.reading.logits(window)], dtype=np.float64)


def asked_by(reading: Reading, rule: str, options: DecodeOptions) -> Asked | None:
    """The best span by a rule for windows; None where no span is allowed."""
    found = predict_by(reading, rule, options)
    if found.best is None:
        return None
    return Asked(reading, found.best.candidate, found.answer is None)
