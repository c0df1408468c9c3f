"""The records of a reading, and the three coordinate systems they are written in.

    char  index into the context string as given; ranges are half-open  [char_start, char_end)
    doc   index of a context token (word piece); spans are inclusive     start <= token <= end
    pos   index of a position in one window, [CLS] = 0; spans inclusive

A bare `start` or `end` appears only in a type that says which of the three it is.
Axes: D context tokens, W windows, L positions of the longest window, n positions of one window.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import BadInput, Bools, Frozen, Ints, freeze

TAGS = ("B", "I", "O")
B, I, O = range(3)  # noqa: E741 - the field's own letters
Rule = Literal["logits", "mean_of_maxima", "product"]
RULES: tuple[Rule, ...] = get_args(Rule)
"""How spans of different windows are compared; see core.predict."""
Baseline = Literal["pad", "mask", "zero"]
"""What integrated gradients put in place of every word: a token's vector, or zero."""


@dataclass(frozen=True)
class WindowOptions:
    """How a paragraph is cut into windows (BERT's names and defaults), in tokens: positions of
    a window, the step from one to the next (not the overlap), the longest question.
    """

    max_seq_length: int = 384
    doc_stride: int = 128
    max_query_length: int = 64


@dataclass(frozen=True)
class DecodeOptions:
    """Which spans are legal, how many are listed, above which null - best there is no answer, and
    how windows are merged.
    """

    max_answer_length: int = 30
    n_best_size: int = 20
    null_score_diff_threshold: float = 0.0
    rule: Rule = "logits"


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
class Encoding(Frozen):
    """What the tokenizer says about question and context, before any window exists.

    `offset_mapping` [D, 2] is char, half-open, and `question_offset_mapping` [Q, 2] that of the
    question. `word_ids` [D] are the tokenizer's words (whole-word masking); `whitespace_ids` [D]
    number the words between blanks, where each Chinese sign is one (word sums). `prefix_ids` are
    the ids before the context part: [CLS] at position 0, the question from 1 on, separators;
    `suffix_ids` those after it.
    """

    question: str
    context: str
    question_offset_mapping: Ints
    context_ids: Ints
    context_tokens: tuple[str, ...]
    offset_mapping: Ints
    word_ids: Ints
    whitespace_ids: Ints
    prefix_ids: Ints
    prefix_tokens: tuple[str, ...]
    prefix_types: Ints
    suffix_ids: Ints
    suffix_tokens: tuple[str, ...]
    suffix_types: Ints
    context_type: int = 1

    @property
    def question_ids(self) -> Ints:
        """The ids of the question, [Q], which stand right behind [CLS]."""
        return self.prefix_ids[1 : 1 + len(self.question_offset_mapping)]

    @property
    def n_special(self) -> int:
        """Special tokens in one window: 3 for BERT, 4 for RoBERTa."""
        return len(self.prefix_ids) + len(self.suffix_ids) - len(self.question_ids)

    @property
    def cls_token(self) -> str:
        """What this reader calls the token that stands for no answer: [CLS], <s>."""
        return self.prefix_tokens[0]

    @cached_property
    def char_ends(self) -> Ints:
        """Where a span that ends with each token ends in the text, [D]: a piece that holds only
        the blank before a word adds nothing.
        """
        start, end = self.offset_mapping[:, 0], self.offset_mapping[:, 1]
        return freeze(np.maximum.accumulate(np.where(start < end, end, 0)))

    def chars(self, span: Span) -> tuple[int, int]:
        """Half-open char range of an inclusive `doc` span; empty for pieces without characters."""
        start = int(self.offset_mapping[span.start, 0])
        return start, max(start, int(self.char_ends[span.end]))

    def ranges(self, first: Ints, last: Ints) -> Ints:
        """`chars` of many spans first[k]..last[k], [k, 2]."""
        starts = self.offset_mapping[first, 0]
        return np.stack([starts, np.maximum(starts, self.char_ends[last])], axis=1)

    def text(self, span: Span) -> str:
        """The slice of the context that a `doc` span covers."""
        start, end = self.chars(span)
        return self.context[start:end]


@dataclass(frozen=True, eq=False)
class Window(Frozen):
    """One `[CLS] question [SEP] part [SEP]`; unpadded, so every array has length n.

    pos = doc - doc_start + context_at;  doc_start <= doc < doc_stop.
    """

    index: int
    doc_start: int
    doc_stop: int
    context_at: int
    input_ids: Ints
    token_type_ids: Ints
    is_context: Bools
    is_max_context: Bools

    def __len__(self) -> int:
        return len(self.input_ids)

    @property
    def owned(self) -> Ints:
        """The context tokens (doc) that this window owns, ascending."""
        return np.flatnonzero(self.is_max_context) - self.context_at + self.doc_start

    def holds(self, span: Span) -> bool:
        """Whether every token of a `doc` span stands in this window."""
        return self.doc_start <= span.start and span.end < self.doc_stop

    def to_pos(self, doc: int) -> int:
        """Position in this window of a context token it holds."""
        assert self.doc_start <= doc < self.doc_stop, f"window {self.index} holds no token {doc}"
        return doc - self.doc_start + self.context_at

    def positions(self, span: Span) -> tuple[int, int]:
        """Positions of the first and the last token of a `doc` span that it holds."""
        return self.to_pos(span.start), self.to_pos(span.end)

    def to_doc(self, pos: int) -> int:
        """Context token at a position of this window."""
        doc = pos - self.context_at + self.doc_start
        assert self.doc_start <= doc < self.doc_stop, f"position {pos} is outside the context"
        return doc


@dataclass(frozen=True)
class Calibration:
    """How the probability of a span's text becomes the chance that it is exactly right: logits are
    divided by `temperature`, then `bias` is added to the log-odds; see core.calibration.
    """

    temperature: float
    bias: float = 0.0


@dataclass(frozen=True)
class Answerability:
    """How a span's margin becomes the chance that the text answers; see core.calibration."""

    slope: float
    intercept: float


@dataclass(frozen=True)
class Calibrations:
    """What was fitted of a reader; None where nothing was. Logits are never changed by it."""

    span: Calibration | None = None
    answerable: Answerability | None = None


@dataclass(frozen=True, eq=False)
class Reading(Frozen):
    """The slow half, done once per question, context, reader and window options: logits only.

    `start_logits`, `end_logits` [W, L] and `tag_logits` [W, L, 3] (B, I, O; None without such a
    head) are NaN beyond a window's length. Of the reader: `threshold` for no answer (None where
    none was tuned, and 0 is used), the weights' `checksum`, `calibrations`, and the `baseline` of
    its integrated gradients.
    """

    encoding: Encoding
    windows: tuple[Window, ...]
    start_logits: NDArray[np.float32]
    end_logits: NDArray[np.float32]
    tag_logits: NDArray[np.float32] | None
    model_name: str
    options: WindowOptions = field(default_factory=WindowOptions)
    threshold: float | None = None
    checksum: str = ""
    calibrations: Calibrations | None = None
    baseline: Baseline = "pad"

    @cached_property
    def owners(self) -> Ints:
        """The index of the window that owns each context token, [D]."""
        owners = np.zeros(len(self.encoding.context_ids), dtype=np.int64)
        for window in self.windows:
            owners[window.owned] = window.index
        return freeze(owners)

    def of_owners(self, rows: NDArray[Any] | Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Each context token's row from the window that owns it, [D, ...]; `rows` [W] holds one for
        each position of each window. What windows own stands in the text's order.
        """
        return np.concatenate([rows[w.index][: len(w)][w.is_max_context] for w in self.windows])

    def home(self, *spans: Span) -> Window | None:
        """The window in which to look at `doc` spans: the owner of the first one's start, if it
        holds all of them whole, else the first window that does.
        """
        holders = [window for window in self.windows if all(map(window.holds, spans))]
        owner = self.owners[spans[0].start]
        return min(holders, key=lambda window: window.index != owner, default=None)

    def logits(self, window: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Start and end logits of one window, [n] each, in double precision: sums are exact."""
        n = len(self.windows[window])
        start, end = self.start_logits[window, :n], self.end_logits[window, :n]
        return start.astype(np.float64), end.astype(np.float64)

    def tokens(self, window: int) -> tuple[str, ...]:
        """The n tokens of one window, special tokens included."""
        w, e = self.windows[window], self.encoding
        return e.prefix_tokens + e.context_tokens[w.doc_start : w.doc_stop] + e.suffix_tokens


@dataclass(frozen=True)
class Answer:
    """A gold answer: context[char_start:char_end] == text."""

    text: str
    char_start: int

    @property
    def char_end(self) -> int:
        """Half-open end of the answer in the context."""
        return self.char_start + len(self.text)


@dataclass(frozen=True)
class Example:
    """One SQuAD question: answers of its annotators, empty when it has none. `spans`: half-open
    character ranges of an answer that is a list, one list an annotator; `columns`: what else a flat
    row says of its question, such as its source, as (name, value).
    """

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...]
    title: str = ""
    spans: tuple[tuple[tuple[int, int], ...], ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
