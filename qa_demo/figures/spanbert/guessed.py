"""What step 2 of chapter 8 shows: guesses before and after a change, and one chosen blank."""

from dataclasses import dataclass

import numpy as np

from qa_demo.core.masking.infill import HiddenPiece, Infill, Trace
from qa_demo.core.types import Encoding, Span
from qa_demo.figures.pack import printable


@dataclass(frozen=True, eq=False)
class Guessed:
    """What the step shows: guesses on the text (`base`), after changes (`now`), blank `at`."""

    encoding: Encoding
    base: Infill
    now: Infill
    trace: Trace | None
    at: int
    given: tuple[str, ...]

    @property
    def blank(self) -> HiddenPiece:
        """The chosen blank, as it is guessed now."""
        return next(p for p in self.now.pieces if p.at == self.at)

    @property
    def before(self) -> HiddenPiece:
        """The chosen blank on the text as it is, nothing cut."""
        return next(p for p in self.base.pieces if p.at == self.at)

    @property
    def words(self) -> dict[int, str]:
        """Observed pieces that are another word now, by place."""
        moved = np.flatnonzero(self.now.masked.true_ids != self.base.masked.true_ids)
        return {int(i): self.now.tokens[i] for i in moved}

    @property
    def changed(self) -> bool:
        """Whether anything differs from the text as it is."""
        return bool(self.now.cut or self.words)


def place(piece: HiddenPiece) -> int:
    """1 for the first blank of its run: the row of the position table that SBO reads."""
    return piece.at - piece.run.start + 1


def as_typed(encoding: Encoding, doc: int) -> str:
    """The characters of one piece."""
    return printable(encoding.text(Span(doc, doc))) or encoding.context_tokens[doc]
