"""Texts as people type them: their words in a window, the units around marks, the parts that are
shown.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Bools, Floats, Frozen, Ints
from qa_demo.core.types import Encoding, Span, Window

# Control characters other than tab and newlines, of which NUL ends C strings, and lone surrogates,
# which raise TypeError inside the tokenizers library.
_DROPPED = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f\ud800-\udfff]")
# Controls that are white space, such as a page's end in the text of a PDF: they part words.
_BLANKS = str.maketrans("\x0b\x0c\x1c\x1d\x1e\x1f\x85", " " * 7)
_SIGNS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf\U0002f800-\U0002fa1f"
WORDS = re.compile(f"[{_SIGNS}]|[^\\s{_SIGNS}]+")
"""The words between blanks; each Chinese sign, which BERT cuts singly, is a word of its own."""


def check_texts(**texts: object) -> None:
    """Refuse texts, by their names, that no reader can use; call it before they are tokenized. A
    question is limited in tokens (`max_query_length`), which the reader counts.
    """
    for name, text in texts.items():
        if not isinstance(text, str):
            raise BadInput(f"the {name} must be text, got {type(text).__name__}")
        if not text.strip():
            raise BadInput(f"the {name} is empty; type at least one word")


def clean(text: str) -> tuple[str, Ints]:
    """Drop what no tokenizer should see, or put a blank where it is white space; return the kept
    text and, for each kept character, its index in `text`: "a\\x00b" gives "ab" and [0, 2].
    """
    text = text.translate(_BLANKS)
    dropped = [match.start() for match in _DROPPED.finditer(text)]
    return _DROPPED.sub("", text), np.delete(np.arange(len(text)), dropped)


def trimmed(text: str, offsets: Ints) -> Ints:
    """Offsets [n, 2] without the blanks at either end; a piece that is only blanks becomes empty
    where the next word starts, or after the last letter.

    SentencePiece and byte-level tokenizers count the blank before a word as part of it: in "the
    cat", DeBERTa's second piece covers " cat". No answer starts with a blank.
    """
    letters = np.flatnonzero(~np.fromiter(map(str.isspace, text), bool, len(text)))
    first = np.searchsorted(letters, offsets[:, 0])
    last = np.searchsorted(letters, offsets[:, 1]) - 1
    if not len(letters):
        return np.stack([offsets[:, 1], offsets[:, 1]], axis=1)
    starts = np.append(letters, letters[-1] + 1)[first]
    ends = np.where(first <= last, letters[np.maximum(last, 0)] + 1, starts)
    return np.stack([starts, ends], axis=1)


def spelled(token: str) -> str:
    """A token as the page spells it: ##ne gives ·ne."""
    return "·" + token[2:] if token.startswith("##") else token


Side = Literal["question", "context"]


@dataclass(frozen=True)
class Word:
    """A word, one of WORDS, as a window holds it; chars half-open, in the text of its side."""

    text: str
    side: Side
    char_start: int
    char_end: int

    @property
    def where(self) -> str:
        """The text it stands in, by its name on the page."""
        return "paragraph" if self.side == "context" else self.side


@dataclass(frozen=True, eq=False)
class Words(Frozen):
    """The U words of one window; `of` [n] is the word of each position, -1 for special tokens."""

    items: tuple[Word, ...]
    of: Ints

    def __len__(self) -> int:
        return len(self.items)

    def sums(self, values: Floats) -> NDArray[np.float64]:
        """Sum of a word's positions, [U]; special tokens belong to none; equal offsets add up."""
        return np.bincount(self.of + 1, values, len(self) + 1)[1:].astype(np.float64)


def question_positions(encoding: Encoding) -> Ints:
    """The positions of the question, [Q], the same in every window: right after [CLS]."""
    return 1 + np.arange(len(encoding.question_ids))


def special_positions(encoding: Encoding, window: Window) -> Bools:
    """The positions [n] that are neither question nor context: [CLS] and the separators."""
    special = ~window.is_context
    special[question_positions(encoding)] = False
    return special


def whitespace_ids(text: str, offsets: Ints) -> Ints:
    """Number of the word, one of WORDS, that each token starts in."""
    starts = np.array([m.start() for m in WORDS.finditer(text)], dtype=np.int64)
    return np.maximum(np.searchsorted(starts, offsets[:, 0], side="right") - 1, 0)


def words(e: Encoding, window: Window, marks_apart: bool = False) -> Words:
    """The words of a window, question first; a word cut by the border has only its pieces here.
    With `marks_apart` the marks before a word and those behind it are words of their own.
    """
    part, asked = slice(window.doc_start, window.doc_stop), e.question_offset_mapping
    of, items = np.full(len(window), -1, dtype=np.int64), list[Word]()

    def add(side: Side, text: str, numbers: Ints, chars: Ints, at: int) -> None:
        """The words of one text, whose pieces stand from position `at` on."""
        for number in np.unique(numbers):
            pieces = np.flatnonzero(numbers == number)
            groups = [pieces]
            if marks_apart:
                solid = [n for n, k in enumerate(pieces) if not is_mark(text[slice(*chars[k])])]
                groups = np.split(pieces, (solid[0], solid[-1] + 1) if solid else ())
            for group in filter(len, groups):
                of[at + group] = len(items)
                begins, ends = int(chars[group, 0].min()), int(chars[group, 1].max())
                items.append(Word(text[begins:ends], side, begins, ends))

    add("question", e.question, whitespace_ids(e.question, asked), asked, 1)
    add("context", e.context, e.whitespace_ids[part], e.offset_mapping[part], window.context_at)
    return Words(tuple(items), of)


def is_mark(text: str) -> bool:
    """Whether a text is punctuation alone; e.g. "," and "?)" but not "%", which is read aloud."""
    return text != "" and all(unicodedata.category(c)[0] == "P" and c not in "%‰&@#§" for c in text)


def touching(encoding: Encoding, char_start: int, char_end: int) -> Span | None:
    """The tokens that touch the characters [char_start, char_end) of the context, as a `doc` span;
    None where no token does.
    """
    starts, ends = encoding.offset_mapping[:, 0], encoding.offset_mapping[:, 1]
    touched = np.flatnonzero((starts < char_end) & (ends > char_start))
    return Span(int(touched[0]), int(touched[-1])) if len(touched) else None


def span_at(encoding: Encoding, char_start: int, char_end: int) -> Span:
    """As `touching`. Errors: BadInput for a range outside the context, an empty one, or one that no
    token touches.
    """
    if not 0 <= char_start < char_end <= len(encoding.context):
        raise BadInput(
            f"a span of characters needs 0 <= start < end <= {len(encoding.context)}, got "
            f"{char_start} and {char_end}"
        )
    found = touching(encoding, char_start, char_end)
    if found is None:
        raise BadInput(f"no token stands between characters {char_start} and {char_end}")
    return found


def words_inside(encoding: Encoding, span: Span) -> tuple[int, int]:
    """The first and the last word of a `doc` span that hold a letter, a digit, an emoji or a sign
    such as €: equal for variants that differ by punctuation, $ and + among it, or by part of a
    word; (-1, its start) for a span of marks alone.
    """

    def counts(c: str) -> bool:  # as in exact match: no sign of ASCII, all others
        return c.isalnum() or (not c.isascii() and unicodedata.category(c)[0] == "S")

    pieces = range(span.start, span.end + 1)
    inside = [d for d in pieces if any(map(counts, encoding.text(Span(d, d))))]
    if not inside:
        return -1, span.start
    return int(encoding.word_ids[inside[0]]), int(encoding.word_ids[inside[-1]])
