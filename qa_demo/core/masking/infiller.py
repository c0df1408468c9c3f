"""What the page may ask of a model that fills blanks, and the texts that one can read."""

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.masking.infill import Infill, Trace
from qa_demo.core.masking.masked import Masked
from qa_demo.core.masking.span_masking import MaskOptions
from qa_demo.core.types import Encoding


class Infiller(Protocol):
    """What the page may ask of a model that fills blanks; the real one is in `model.spanbert`."""

    @property
    def name(self) -> str:
        """`bundled`, a folder's name or a hub id."""
        ...

    @property
    def positions(self) -> int:
        """Rows of the position table; 0 without a span boundary head."""
        ...

    @property
    def mask_id(self) -> int:
        """The id of [MASK]."""
        ...

    def encode(self, text: str, most: int | None = None) -> Encoding:
        """The pieces of one text; BadInput for none, or more than positions or `most` allow."""
        ...

    def piece(self, piece_id: int) -> str:
        """How a piece of the vocabulary is spelled."""
        ...

    def sample(
        self,
        encoding: Encoding,
        rng: np.random.Generator,
        options: MaskOptions = ...,
        scheme: str = ...,
    ) -> Masked:
        """Spans (scheme="span") or single pieces ("token") hidden by the law."""
        ...

    def infill(
        self,
        masked: Masked,
        cut: frozenset[str] = ...,
        swap: Mapping[int, int] | None = ...,
        top: int = ...,
    ) -> Infill:
        """Guesses for every blank; `swap` feeds a blank another row of the position table."""
        ...

    def trace(self, masked: Masked, at: int, cut: frozenset[str] = ...) -> Trace:
        """The SBO's arithmetic for a blank, and what each single cut does. BadInput without SBO."""
        ...


def one_text(text: str, encode: Callable[[str, str], Encoding], max_pieces: int) -> Encoding:
    """The pieces of one text, as the `context` of an encoding without a question.

    Errors: BadInput for an empty text, or one of more than `max_pieces`.
    """
    if not isinstance(text, str) or not text.strip():
        raise BadInput("the text is empty; type at least one word")
    encoding = encode("", text)
    if not 1 <= len(encoding.context_ids) <= max_pieces:
        raise BadInput(
            f"the text has {len(encoding.context_ids):,} word pieces, allowed are 1 to "
            f"{max_pieces:,}: masking reads one sequence, without windows"
        )
    return encoding
