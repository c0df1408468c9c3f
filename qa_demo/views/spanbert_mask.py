"""Step 1 of chapter 8: which text, and which of its pieces are hidden."""

from collections.abc import Callable
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.infill import Infiller
from qa_demo.core.reader import Reader
from qa_demo.core.types import Encoding
from qa_demo.core.words import span_at
from qa_demo.views.spanbert_state import MOST_PIECES, Lab, lab_of, new_lab
from qa_demo.views.state import Screen

NO_MODEL = "This page was started without a SpanBERT: the Mask step works on the reader's word pieces, nothing can be predicted."
MOST_CHARACTERS = 8 * MOST_PIECES
INPUTS: dict[str, Callable[[Lab, Any], Lab]] = {}
ASKS: dict[str, Callable[[Lab, Any, Infiller | None], Lab]] = {}
FIRST = ("The final was played in Oslo. After ninety minutes without a goal the visitors won the championship game on penalties, and the "
         "captain carried the cup across the field to her old coach.")


def encode_by(reader: Reader, text: str) -> Encoding:
    """The reader's word pieces of a text, where no SpanBERT is there to give its own; a reader reads nothing without a question."""
    return reader.read("?", text).encoding


def text_lab(screen: Screen, name: str, value: Any, encode: Callable[[str], Encoding], model: Infiller | None) -> Lab:
    """The lab of the text that is asked for: typed ("mask-text"), bundled ("mask-passage"), or of the reading ("mask-reading")."""
    text, passage, chars = FIRST, "championship", [(FIRST.index("the championship"), FIRST.index(" on penalties"))]
    if name == "mask-text":
        if not isinstance(value, str) or not value.strip():
            raise BadInput("the text is empty; type at least one word")
        if len(value) > MOST_CHARACTERS:
            raise BadInput(f"the text has {len(value):,} characters, this chapter takes {MOST_CHARACTERS:,}")
        text, passage, chars = value, None, []
    elif name == "mask-reading":
        text, passage, chars = screen.reading.encoding.context, "reading", []
    encoding = encode(text)
    return new_lab(encoding, model, [span_at(encoding, *c) for c in chars], passage, lab_of(screen))


def present(lab: Lab, has_model: bool) -> dict[str, Any]:
    """The picture of the step."""
    return {}
