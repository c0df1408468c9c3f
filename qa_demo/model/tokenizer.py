"""Turn both texts into an `Encoding`: ids, char offsets into the given text, word numbers."""

from typing import Any

import numpy as np
import regex

from qa_demo.core.base import BadCheckpoint
from qa_demo.core.text import clean, trimmed, whitespace_ids
from qa_demo.core.types import Encoding


def prepare(tokenizer: Any) -> Any:
    """Return the fast backend of a tokenizer, set once: changing it while another thread encodes
    raises "Already borrowed". Special tokens typed by a user stay text; nothing is truncated or
    padded silently.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise BadCheckpoint(
            "this reader has no fast tokenizer (tokenizer.json), which the exact character "
            "offsets need"
        )
    if not backend.encode_special_tokens:
        backend.encode_special_tokens = True
        _check_letters(backend)
    if backend.truncation is not None:
        backend.no_truncation()
    if backend.padding is not None:
        backend.no_padding()
    return backend


LETTERS = "Aa Éé ß Ñ Ø Ωω Жж العربية שלום हिन्दी ไทย 東京 かなカナ 한국어 Việt 019 ٣ ꀀ"
"""Letters and digits that every text may hold; the last stands in hardly any vocabulary."""


def _check_letters(backend: Any) -> None:
    """BadCheckpoint for a tokenizer that drops whole letters: no answer could hold them."""
    # one by one: a model without an unknown piece counts places wrongly behind a dropped letter
    made = {c: backend.encode(c, add_special_tokens=False).offsets for c in LETTERS if c.isalnum()}
    lost = [c for c, pieces in made.items() if not any(start < end for start, end in pieces)]
    if lost:
        raise BadCheckpoint(
            f"this tokenizer leaves out letters, which no answer could hold then: "
            f"{' '.join(lost[:8])}{' and others' if len(lost) > 8 else ''}"
        )


def whole(text: str, offsets: np.ndarray) -> np.ndarray:
    """Offsets [n, 2] in which every character of the text belongs to a piece or is white space, and
    no piece parts a grapheme (what one reads as one character).

    A normaliser may drop characters: BERT's uncased ones drop the accent of "e" + U+0301, and marks
    of no width. They join the piece that they touch, first the one before them; between blanks the
    one before. Pieces that share a grapheme cover all of it, each of them.
    """
    full = np.flatnonzero(offsets[:, 0] < offsets[:, 1])
    plain = not regex.search(r"[^\x00-\u02ff]", text)  # no letter of these combines with another
    held, apart = "".join(text[a:b] for a, b in offsets.tolist()), offsets[1:, 0] >= offsets[:-1, 1]
    if not held or (plain and held == "".join(text.split()) and apart.all()):
        return offsets
    ends_at = range(1, len(text) + 1) if plain else (m.end() for m in regex.finditer(r"\X", text))
    borders = np.array([0, *ends_at])
    starts = borders[np.searchsorted(borders, offsets[:, 0], side="right") - 1]
    ends = starts.copy()
    ends[full] = borders[np.searchsorted(borders, offsets[full, 1])]
    first, last = _left_out(text, borders, starts, ends)
    before = np.searchsorted(ends[full], first, side="right") - 1
    behind = np.searchsorted(starts[full], last)
    touches = (before >= 0) & (ends[full[before]] == first)
    meets = np.append(starts[full], -1)[behind] == last
    back = ~touches & (meets | (before < 0))
    np.minimum.at(starts, full[behind[back]], first[back])
    np.maximum.at(ends, full[before[~back]], last[~back])
    # an empty piece in front of one that took letters before it starts where that does
    starts = np.minimum.accumulate(starts[::-1])[::-1]
    ends[offsets[:, 0] == offsets[:, 1]] = starts[offsets[:, 0] == offsets[:, 1]]
    return np.stack([starts, ends], axis=1)


def _left_out(
    text: str, borders: np.ndarray, starts: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Runs of graphemes [from, to) that hold more than white space and belong to no piece."""
    pieces = np.zeros(len(text) + 1, dtype=np.int64)
    np.add.at(pieces, starts, 1)
    np.add.at(pieces, ends, -1)
    free = (np.cumsum(pieces)[:-1] == 0) & ~np.fromiter(map(str.isspace, text), bool, len(text))
    alone = np.append(np.logical_or.reduceat(free, borders[:-1]), False).astype(np.int8)
    begin, stop = (np.flatnonzero(np.diff(alone, prepend=0) == step) for step in (1, -1))
    return borders[begin], borders[stop]


BLANK = "\u2423"  # shown for a piece that covers no letter


class Pieces:
    """The pieces of a user's text: as the tokenizers library gives them (`made`), and as fields of
    an `Encoding`. Offsets [n, 2] point into the text as given, and no id has a special meaning.

    `encode_special_tokens` is enough for that in WordPiece and byte-level BPE. A Unigram model
    (ALBERT, XLM-R, DeBERTa-v2) holds "[SEP]" in its own vocabulary and would still find it: such a
    piece becomes the unknown piece. WordPiece's tokens are shown as they are ("##rn"), others as
    the letters that they cover, since "Ġsince" and the bytes of "é" are an alphabet of their own.
    """

    def __init__(self, tokenizer: Any, text: str) -> None:
        backend = prepare(tokenizer)
        cleaned, kept = clean(text)
        made = self.made = backend.encode(cleaned, add_special_tokens=False)
        unknown, as_is = tokenizer.unk_token, type(backend.model).__name__ == "WordPiece"
        offsets = np.array(made.offsets, dtype=np.int64).reshape(-1, 2)
        if len(offsets):
            # SentencePiece's blank before a word, where none was typed, counts as its first letter
            blank = [not as_is and token == "▁" for token in made.tokens]
            offsets[blank, 1] = offsets[blank, 0]
            offsets = whole(text, trimmed(text, np.append(kept, kept[-1] + 1)[offsets]))
        self.ids, self.offsets, tokens = np.array(made.ids, np.int64), offsets, made.tokens
        special = {*tokenizer.all_special_ids} - {tokenizer.unk_token_id}
        for k in np.flatnonzero(np.isin(self.ids, [*special])):
            self.ids[k], tokens[k] = tokenizer.unk_token_id, unknown
        if not as_is:
            covers = zip(tokens, offsets.tolist(), strict=True)
            tokens = [t if t == unknown else text[slice(*c)] or BLANK for t, c in covers]
        self.tokens = tuple(tokens)


def encode(tokenizer: Any, question: str, context: str) -> Encoding:
    """Tokenize question and context apart and learn from the tokenizer how it joins them.

    What stands before and after the paragraph comes from its own template, applied to the question
    and a one-letter paragraph: [CLS] q [SEP] . [SEP] for BERT, <s> q </s></s> . </s> for RoBERTa.
    """
    asked, read = Pieces(tokenizer, question), Pieces(tokenizer, context)
    backend, n = tokenizer.backend_tokenizer, len(asked.ids)
    joined = backend.post_process(asked.made, backend.encode("a", add_special_tokens=False), True)
    paragraph = np.flatnonzero(np.array(joined.sequence_ids) == 1)
    ids, types = (np.array(x, dtype=np.int64) for x in (joined.ids, joined.type_ids))
    if joined.ids[: n + 1] != [tokenizer.cls_token_id, *asked.made.ids] or not len(paragraph):
        raise BadCheckpoint(
            "this tokenizer does not put [CLS], the question and then the paragraph, so a window "
            "has no place for 'no answer' or for the text"
        )
    if "token_type_ids" not in tokenizer.model_input_names:  # none are fed, which means 0
        types = np.zeros_like(types)
    tokens = joined.tokens  # the template copies the question as it came
    ids[1 : n + 1], tokens[1 : n + 1] = asked.ids, asked.tokens
    before, after = slice(int(paragraph[0])), slice(int(paragraph[-1]) + 1, None)
    return Encoding(
        question=question,
        context=context,
        context_ids=read.ids,
        context_tokens=read.tokens,
        offset_mapping=read.offsets,
        word_ids=np.array([-1 if w is None else w for w in read.made.word_ids], dtype=np.int64),
        whitespace_ids=whitespace_ids(context, read.offsets),
        question_offset_mapping=asked.offsets,
        prefix_ids=ids[before],
        prefix_tokens=tuple(tokens[before]),
        prefix_types=types[before],
        suffix_ids=ids[after],
        suffix_tokens=tuple(tokens[after]),
        suffix_types=types[after],
        context_type=int(types[paragraph[0]]),
    )
