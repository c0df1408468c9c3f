"""The reading as it travels to the browser: once, and once per change by hand."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.files.words import fixed_words
from qa_demo.core.learning.golds import Answer
from qa_demo.core.types import Encoding, Reading
from qa_demo.figures.pack import floats, ints, printable, utf16_offsets
from qa_demo.figures.payload import Place
from qa_demo.figures.prose import word_piece


def null_token(encoding: Encoding) -> str:
    """What this reader calls the no-answer token, [CLS] or <s>, fit to be printed."""
    return printable(encoding.cls_token)


def in_own_words(sentences: Sequence[str], encoding: Encoding) -> list[str]:
    """Fixed sentences with this reader's name for [CLS], as <s>; none may hold a visitor's text."""
    return [sentence.replace("[CLS]", null_token(encoding)) for sentence in sentences]


def simplified(chapter: str, encoding: Encoding, *more: str) -> list[str]:
    """What a chapter leaves out: its fixed sentences, and those that follow from a reading."""
    return in_own_words([*fixed_words(chapter)["simplified"], *more], encoding)


def joined(encoding: Encoding) -> str:
    """Base64 of one bit per context token: 1 where it continues the word of the token before it."""
    ids = encoding.word_ids
    bits = np.concatenate([[False], ids[1:] == ids[:-1]]) if len(ids) else np.zeros(0, dtype=bool)
    return base64.b64encode(np.packbits(bits).tobytes()).decode("ascii")


def question_range(encoding: Encoding) -> list[int]:
    """Positions [first, stop) of the question, the same in every window."""
    asked, prefix = encoding.question_ids.tolist(), encoding.prefix_ids.tolist()
    n = len(asked)
    first = next((k for k in range(len(prefix) - n + 1) if prefix[k : k + n] == asked), 0)
    return [first, first + n]


def of_window(reading: Reading, window: int) -> str:
    """Names the window where there are several, else says nothing."""
    return f" of window {window + 1}" if len(reading.windows) > 1 else ""


def context_places(reading: Reading, window: int) -> list[Place]:
    """What each position of a window selects, as row of a table: its own token, if it has one."""
    w = reading.windows[window]
    docs = (w.to_doc(pos) if inside else None for pos, inside in enumerate(w.is_context.tolist()))
    return [None if doc is None else (window, doc, doc) for doc in docs]


def logit_range(reading: Reading) -> list[int]:
    """Whole numbers a little outside every logit, for the sliders."""
    return [
        int(np.floor(min(np.nanmin(reading.start_logits), np.nanmin(reading.end_logits)))) - 2,
        int(np.ceil(max(np.nanmax(reading.start_logits), np.nanmax(reading.end_logits)))) + 4,
    ]


def reading_data(
    reading: Reading,
    gold: tuple[Answer, ...],
    stamp: int,
    changed: bool,
    temperature: float = 1.0,
    gold_known: bool = False,
) -> dict[str, Any]:
    """Text, tokens, windows and logits, packed; offsets in UTF-16 units; `stamp` orders readings in
    the browser.

    `gold_known` tells an example without an answer from a text of which nobody said what is right.
    """
    encoding = reading.encoding
    units = utf16_offsets(encoding.context)
    return {
        "stamp": stamp,
        "changed": changed,
        "typed": reading.typed,
        "temperature": temperature,
        "question": printable(encoding.question),
        "context": printable(encoding.context),
        "reader": reading.model_name,
        "offsets": ints(units[encoding.offset_mapping].ravel()),
        "words": ints(encoding.whitespace_ids),
        "owner": ints(reading.owners),
        "names": {
            "prefix": [printable(t) for t in encoding.prefix_tokens],
            "suffix": [printable(t) for t in encoding.suffix_tokens],
            # what the paragraph says, not the tokenizer's spelling of it ("##ne", "georg")
            "context": [
                printable(word_piece(encoding, d)) for d in range(len(encoding.context_tokens))
            ],
        },
        "goldKnown": gold_known,
        "gold": [{"start": int(units[a.char_start]), "end": int(units[a.char_end])} for a in gold],
        "windows": [_window(reading, w) for w in range(len(reading.windows))],
    }


def _window(reading: Reading, index: int) -> dict[str, Any]:
    window = reading.windows[index]
    start, end = reading.logits(index)
    return {
        "index": index,
        "docStart": window.doc_start,
        "docStop": window.doc_stop,
        "contextAt": window.context_at,
        "clsAt": window.cls_at,
        "start": floats(start),
        "end": floats(end),
    }
