"""A reader without a model: words for tokens, logits from a rule, tests in milliseconds."""

import re
import zlib

import numpy as np

from qa_demo.core.attention import Attention
from qa_demo.core.attribution import Attribution, Method, Target, leave_one_out
from qa_demo.core.base import Cancelled, IsCancelled, OnProgress
from qa_demo.core.heads import HeadWeights
from qa_demo.core.text import check_texts
from qa_demo.core.types import Baseline, Encoding, Reading, Window, WindowOptions
from qa_demo.core.windows import make_windows
from tests import fake_explanations

DEFAULT = WindowOptions()
_PIECE = re.compile(r"\w{1,8}|[^\w\s]", re.UNICODE)


def checksum(text: str) -> int:
    """The same number for the same text in every run."""
    return zlib.crc32(text.encode("utf-8", "replace"))


def ids_of(pieces: list[re.Match[str]]) -> np.ndarray:
    return np.array([checksum(m.group()) % 1000 + 10 for m in pieces], dtype=np.int64)


def places_of(pieces: list[re.Match[str]]) -> np.ndarray:
    return np.array([m.span() for m in pieces], dtype=np.int64).reshape(-1, 2)


def fake_encode(question: str, context: str) -> Encoding:
    """Pieces of at most eight letters; a piece that continues a word is spelled ##so."""
    asked, read = list(_PIECE.finditer(question)), list(_PIECE.finditer(context))
    joined = [
        i > 0 and m.start() == read[i - 1].end() and (m.group() + read[i - 1].group()).isalnum()
        for i, m in enumerate(read)
    ]
    starts = np.array([m.start() for m in re.finditer(r"\S+", context)], dtype=np.int64)
    offsets = places_of(read)
    question_ids, names = ids_of(asked), tuple(m.group() for m in asked)
    return Encoding(
        question=question,
        context=context,
        question_ids=question_ids,
        question_tokens=names,
        context_ids=ids_of(read),
        context_tokens=tuple("##" * j + m.group() for j, m in zip(joined, read, strict=True)),
        offset_mapping=offsets,
        word_ids=np.cumsum([not j for j in joined]).astype(np.int64) - 1,
        whitespace_ids=np.maximum(np.searchsorted(starts, offsets[:, 0], side="right") - 1, 0),
        prefix_ids=np.concatenate([[1], question_ids, [2]]),
        prefix_tokens=("[CLS]", *names, "[SEP]"),
        prefix_types=np.zeros(len(names) + 2, dtype=np.int64),
        suffix_ids=np.array([2]),
        suffix_tokens=("[SEP]",),
        suffix_types=np.array([1]),
        question_offset_mapping=places_of(asked),
    )


class FakeReader:
    """Implements `core.reader.Reader`. Capitalised words that the question does not hold attract
    the start, their last piece the end.
    """

    def __init__(self, threshold: float | None = 0.0, null: float = 2.0, bio: bool = False) -> None:
        self.name, self.threshold, self.null = "fake", threshold, null
        self.max_seq_length = 512
        self.checksum, self.has_bio = "fake-bio" if bio else "fake", bio
        # of every window read, for what is asked of it afterwards
        self._logits: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    def read(
        self,
        question: str,
        context: str,
        options: WindowOptions = DEFAULT,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Reading:
        """Logits for every window; the same texts always give the same numbers."""
        check_texts(question, context)
        encoding = fake_encode(question, context)
        windows = make_windows(encoding, options)
        length = max((len(w) for w in windows), default=0)
        start, end = (np.full((len(windows), length), np.nan, dtype=np.float32) for _ in range(2))
        doc_start, doc_end = self._rule(encoding)
        for w in windows:
            if on_progress is not None:
                on_progress(w.index, len(windows))
            if cancelled is not None and cancelled():
                raise Cancelled(f"cancelled after window {w.index} of {len(windows)}")
            noise = np.random.default_rng(zlib.crc32(w.input_ids.tobytes()))
            for row, doc in ((start, doc_start), (end, doc_end)):
                row[w.index, : len(w)] = noise.normal(-4.0, 0.7, len(w))
                row[w.index, w.is_context.nonzero()[0]] += doc[w.doc_start : w.doc_stop]
                row[w.index, 0] = self.null
            logits = start[w.index, : len(w)], end[w.index, : len(w)]
            self._logits[w.input_ids.tobytes()] = logits
        tags = np.full((len(windows), length, 3), np.nan, np.float32) if self.has_bio else None
        for w in windows if tags is not None else ():
            of_tags = self.hidden(w)[-1] @ fake_explanations.W.T + fake_explanations.B
            tags[w.index, : len(w)] = of_tags
        return Reading(
            encoding=encoding,
            windows=windows,
            start_logits=start,
            end_logits=end,
            tag_logits=tags,
            model_name=self.name,
            options=options,
            threshold=self.threshold,
            checksum=self.checksum,
        )

    @staticmethod
    def _rule(encoding: Encoding) -> tuple[np.ndarray, np.ndarray]:
        asked, tokens = {t.lower() for t in encoding.question_tokens}, encoding.context_tokens
        large = [t.lstrip("#")[:1].isupper() and t.lower() not in asked for t in tokens]
        capital, n = np.array(large, dtype=bool), len(tokens)
        capital |= np.array([t.startswith("##") for t in tokens], dtype=bool) & np.roll(capital, 1)
        near = np.array([checksum(f"{encoding.question}{i}") % 100 / 20 for i in range(n)])
        begins = [i == 0 or tokens[i - 1] in ".!?" for i in range(n)]
        capital &= ~np.array(begins, dtype=bool)
        first, last = capital & ~np.roll(capital, 1), capital & ~np.roll(capital, -1)
        return np.where(first, 4.0 + near, 0.0), np.where(last, 4.0 + near, 0.0)

    def _known(self, window: Window) -> tuple[np.ndarray, np.ndarray]:
        return self._logits[window.input_ids.tobytes()]

    def heads(self) -> HeadWeights:
        """Two fixed vectors of six numbers, and three more for a reader with a BIO head."""
        return fake_explanations.heads(self.has_bio)

    def hidden(self, window: Window) -> np.ndarray:
        """Four layers; the last gives the reading's logits. KeyError for an unread window."""
        return fake_explanations.hidden(window, *self._known(window))

    def attention(self, window: Window) -> Attention:
        """Three layers of two heads."""
        return fake_explanations.attention(window)

    def masked(
        self,
        window: Window,
        masks: np.ndarray,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The window's logits, lower for every masked position."""
        return fake_explanations.masked(
            window, *self._known(window), np.asarray(masks, dtype=bool), on_progress, cancelled
        )

    def attribute(
        self,
        reading: Reading,
        target: Target,
        method: Method = "integrated_gradients",
        baseline: Baseline | None = None,
        n_steps: int | None = None,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Attribution:
        """Numbers from a seed that add up as the real ones do."""
        if method == "leave_one_out":
            return leave_one_out(
                reading,
                target,
                lambda window, masks: self.masked(window, masks, on_progress, cancelled),
            )
        used = baseline or reading.baseline
        return fake_explanations.attribute(
            reading, target, method, used, n_steps, on_progress, cancelled
        )
