"""The records of a reading, and the three coordinate systems they are written in.

    char  index into the context string as given; ranges are half-open  [char_start, char_end)
    doc   index of a context token (word piece); spans are inclusive     start <= token <= end
    pos   index of a position in one window, [CLS] = 0; spans inclusive

A bare `start` or `end` appears only in a type that says which of the three it is.
Axes: D context tokens, W windows, L positions of the longest window, n positions of one window.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, freeze, freeze_arrays


def option(default: Any, says: str) -> Any:
    """A field with its default and what a command line says of it."""
    return field(default=default, metadata={"help": says})


@dataclass(frozen=True)
class WindowOptions:
    """How a paragraph is cut into windows (BERT's names and defaults)."""

    max_seq_length: int = option(384, "Positions in a window, question and [SEP] among them.")
    doc_stride: int = option(128, "The step between windows, in word pieces (not the overlap).")
    max_query_length: int = option(64, "The longest question, in word pieces; longer: refused.")


RULES = ("logits", "mean_of_maxima", "product")
"""How spans of different windows are compared; see core.predict."""


@dataclass(frozen=True)
class DecodeOptions:
    """Which spans are legal, how many are listed, and how windows are merged."""

    max_answer_length: int = option(30, "The longest answer, in word pieces.")
    n_best_size: int = option(20, "How many spans are listed.")
    null_score_diff_threshold: float = option(0.0, "No answer when null - best is above this.")
    rule: str = option("logits", "How windows are merged: by scores, as BERT, or another way.")


TAGS = ("B", "I", "O")
B, I, O = range(3)  # noqa: E741 - the field's own letters


@dataclass(frozen=True, order=True)
class Span:
    """An inclusive range of tokens; whether `doc` or `pos` is said by its holder."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise BadInput(
                f"a span needs 0 <= start <= end, got start {self.start} and end {self.end}"
            )

    def __len__(self) -> int:
        return self.end - self.start + 1


@dataclass(frozen=True, eq=False)
class Encoding:
    """What the tokenizer says about question and context, before any window exists.

    `offset_mapping` [D, 2] is char, half-open, and `question_offset_mapping` [Q, 2] that of the
    question. `word_ids` [D] are the tokenizer's words (whole-word
    masking); `whitespace_ids` [D] number the words between blanks (chips, word sums).
    `prefix_ids` are the ids before the context part: [CLS] at position 0, the question from 1 on,
    separators; `suffix_ids` those after it.
    """

    question: str
    context: str
    question_ids: NDArray[np.int64]
    question_tokens: tuple[str, ...]
    question_offset_mapping: NDArray[np.int64]
    context_ids: NDArray[np.int64]
    context_tokens: tuple[str, ...]
    offset_mapping: NDArray[np.int64]
    word_ids: NDArray[np.int64]
    whitespace_ids: NDArray[np.int64]
    prefix_ids: NDArray[np.int64]
    prefix_tokens: tuple[str, ...]
    prefix_types: NDArray[np.int64]
    suffix_ids: NDArray[np.int64]
    suffix_tokens: tuple[str, ...]
    suffix_types: NDArray[np.int64]
    context_type: int = 1

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def n_special(self) -> int:
        """Special tokens in one window: 3 for BERT, 4 for RoBERTa."""
        return len(self.prefix_ids) + len(self.suffix_ids) - len(self.question_ids)

    def text(self, span: Span) -> str:
        """The slice of the context that a `doc` span covers."""
        start, end = self.chars(span)
        return self.context[start:end]

    @cached_property
    def char_ends(self) -> NDArray[np.int64]:
        """Where a span that ends with each token ends in the text, [D]: a piece that holds only
        the blank before a word adds nothing.
        """
        start, end = self.offset_mapping[:, 0], self.offset_mapping[:, 1]
        return freeze(np.maximum.accumulate(np.where(start < end, end, 0)))

    @property
    def cls_token(self) -> str:
        """What this reader calls the token that stands for no answer: [CLS], <s>."""
        return self.prefix_tokens[0]

    def chars(self, span: Span) -> tuple[int, int]:
        """Half-open char range of an inclusive `doc` span; empty for pieces without characters."""
        start = int(self.offset_mapping[span.start, 0])
        return start, max(start, int(self.char_ends[span.end]))


@dataclass(frozen=True, eq=False)
class Window:
    """One `[CLS] question [SEP] part [SEP]`; unpadded, so every array has length n.

    pos = doc - doc_start + context_at;  doc_start <= doc < doc_stop.
    """

    index: int
    doc_start: int
    doc_stop: int
    context_at: int
    input_ids: NDArray[np.int64]
    token_type_ids: NDArray[np.int64]
    is_context: NDArray[np.bool_]
    is_max_context: NDArray[np.bool_]

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.input_ids)

    def holds(self, span: Span) -> bool:
        """Whether every token of a `doc` span stands in this window."""
        return self.doc_start <= span.start and span.end < self.doc_stop

    @property
    def owned(self) -> NDArray[np.int64]:
        """The context tokens (doc) that this window owns, ascending."""
        return np.flatnonzero(self.is_max_context) - self.context_at + self.doc_start

    def to_pos(self, doc: int) -> int:
        """Position in this window of a context token it holds."""
        assert self.doc_start <= doc < self.doc_stop, f"window {self.index} holds no token {doc}"
        return doc - self.doc_start + self.context_at

    def to_doc(self, pos: int) -> int:
        """Context token at a position of this window."""
        doc = pos - self.context_at + self.doc_start
        assert self.doc_start <= doc < self.doc_stop, f"position {pos} is outside the context"
        return doc


Baseline = Literal["pad", "mask", "zero"]
"""What integrated gradients put in place of every word: a token's vector, or zero."""


@dataclass(frozen=True)
class Calibration:
    """How a head's probability is turned into the chance that its best span is exactly right.

    The logits are divided by `temperature`, then `bias` is added to the log-odds; see
    core.calibration.
    """

    temperature: float
    bias: float = 0.0


@dataclass(frozen=True)
class Answerability:
    """How a span's lead becomes the chance that the text answers; see core.calibration."""

    slope: float
    intercept: float


@dataclass(frozen=True)
class Calibrations:
    """The calibration of each head, and of whether there is an answer; None where none was fitted.

    The logits of a reading are never changed by it: it only says what a probability is worth.
    """

    span: Calibration | None = None
    bio: Calibration | None = None
    answerable: Answerability | None = None


@dataclass(frozen=True, eq=False)
class Reading:
    """The slow half, done once per question, context, reader and window options: logits only.

    `start_logits`, `end_logits` [W, L] and `tag_logits` [W, L, 3] (B, I, O) are NaN beyond a
    window's length.
    """

    encoding: Encoding
    windows: tuple[Window, ...]
    start_logits: NDArray[np.float32]
    end_logits: NDArray[np.float32]
    tag_logits: NDArray[np.float32] | None
    model_name: str
    options: WindowOptions = field(default_factory=WindowOptions)
    threshold: float | None = None
    """The reader's tuned no-answer threshold; None where none is stored, and 0 is used."""
    checksum: str = ""
    seconds: float = 0.0
    """From the texts to the last logit, waiting included."""
    calibrations: Calibrations | None = None
    """What the reader came with; None when none was fitted."""
    baseline: Baseline = "pad"
    """What integrated gradients start from unless another baseline is chosen."""

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def weights(self) -> str:
        """Which weights made the reading: their checksum, or the reader's name if it has none."""
        return self.checksum or self.model_name

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The index of the window that owns each context token, [D]."""
        owners = np.zeros(len(self.encoding.context_ids), dtype=np.int64)
        for window in self.windows:
            owners[window.owned] = window.index
        return freeze(owners)

    def home(self, span: Span) -> Window | None:
        """The window in which to look at a `doc` span: the owner of its start, if it holds the
        span whole, else the first that does.
        """
        holders = [window for window in self.windows if window.holds(span)]
        return min(
            holders, key=lambda window: window.index != self.owners[span.start], default=None
        )

    def logits(self, window: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Start and end logits of one window, [n] each, without the NaN tail."""
        n = len(self.windows[window])
        return self.start_logits[window, :n], self.end_logits[window, :n]

    def tokens(self, window: int) -> tuple[str, ...]:
        """The n tokens of one window, special tokens included."""
        w, e = self.windows[window], self.encoding
        return e.prefix_tokens + e.context_tokens[w.doc_start : w.doc_stop] + e.suffix_tokens


@dataclass(frozen=True)
class Answer:
    """A gold answer: context[char_start:char_start + len(text)] == text."""

    text: str
    char_start: int

    @property
    def char_end(self) -> int:
        """Half-open end of the answer in the context."""
        return self.char_start + len(self.text)


@dataclass(frozen=True)
class Example:
    """One SQuAD question: answers of its annotators, empty when it has none."""

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...]
    is_impossible: bool = False
    title: str = ""
    spans: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Where the answer is a list: half-open character ranges, one list an annotator; else empty."""
    columns: tuple[tuple[str, str], ...] = ()
    """What else a flat row says of its question, such as its source: name and value."""
