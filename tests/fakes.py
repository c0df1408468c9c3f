"""A reader without a model: words for tokens, logits from a rule, tests in milliseconds."""

import re
import zlib

import numpy as np

from qa_demo.core.attribution import METHODS, STEPS, Attribution, leave_one_out, value_of, window_of
from qa_demo.core.base import Cancelled
from qa_demo.core.heads import HeadWeights
from qa_demo.core.text import check_texts, special_positions, whitespace_ids
from qa_demo.core.types import Encoding, Reading, Window, WindowOptions
from qa_demo.core.windows import assemble, make_windows

DEFAULT = WindowOptions()
LAYERS, HEADS, WIDTH = 3, 2, 6
S, E, B_S, B_E = np.array([1, 0, 0.5, 0, -1, 0.25]), np.array([0, 1, -0.5, 2, 0, 0.5]), 0.125, -0.25
W, B = np.stack([S, E, np.zeros(6)]), np.array([0.5, 0.0, 1.0])
"""B follows the start logit, I the end logit, O is the same everywhere."""
PIECE = r"\w{1,8}|[^\w\s]"


def checksum(text: str) -> int:
    """The same number for the same text in every run."""
    return zlib.crc32(text.encode("utf-8", "replace"))


def pieces_of(text: str, piece: str) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """The pieces of a text, their ids and their places."""
    found = list(re.finditer(piece, text))
    names = tuple(m.group() for m in found)
    ids = np.array([checksum(name) % 1000 + 10 for name in names], dtype=np.int64)
    return names, ids, np.array([m.span() for m in found], dtype=np.int64).reshape(-1, 2)


def fake_encode(question: str, context: str, piece: str = PIECE) -> Encoding:
    """Pieces of at most eight letters, or of another form; one that continues a word is ##so."""
    asked, question_ids, question_places = pieces_of(question, piece)
    read, ids, places = pieces_of(context, piece)
    at = places.tolist()
    joined = [
        i > 0 and at[i][0] == at[i - 1][1] and (read[i - 1] + read[i]).isalnum()
        for i in range(len(read))
    ]
    head = ("[CLS]", *asked, "[SEP]")
    return Encoding(
        question=question,
        context=context,
        question_offset_mapping=question_places,
        context_ids=ids,
        context_tokens=tuple("##" * j + name for j, name in zip(joined, read, strict=True)),
        offset_mapping=places,
        word_ids=np.cumsum([not j for j in joined]).astype(np.int64) - 1,
        whitespace_ids=whitespace_ids(context, places),
        prefix_ids=np.concatenate([[1], question_ids, [2]]),
        prefix_tokens=head,
        prefix_types=np.zeros(len(head), dtype=np.int64),
        suffix_ids=np.array([2]),
        suffix_tokens=("[SEP]",),
        suffix_types=np.array([1]),
    )


def rng_of(window: Window, *more: object) -> np.random.Generator:
    """A generator that depends on the window's ids and on nothing that changes between runs."""
    return np.random.default_rng(zlib.crc32(window.input_ids.tobytes() + repr(more).encode()))


def tell(done, total, on_progress=None, cancelled=None) -> None:
    """What every work does after each part: say how far it is, and end where nobody waits."""
    if on_progress is not None:
        on_progress(done, total)
    if cancelled is not None and cancelled():
        raise Cancelled(f"cancelled after {done} of {total}")


class FakeReader:
    """What a page asks of a reader. Capitalised words that the question does not hold attract
    the start, their last piece the end. All numbers shaped and summing as real ones must.
    """

    def __init__(self, threshold: float | None = 0.0, null: float = 2.0, bio: bool = False) -> None:
        self.name, self.threshold, self.null = "fake", threshold, null
        self.max_seq_length = 512
        self.checksum, self.has_bio = "fake-bio" if bio else "fake", bio
        # of every window read, for what is asked of it afterwards: [2, n]
        self._logits: dict[bytes, np.ndarray] = {}

    def read(self, question, context, options=DEFAULT, on_progress=None, cancelled=None) -> Reading:
        """Logits for every window; the same texts always give the same numbers."""
        check_texts(question=question, paragraph=context)
        encoding, rows = fake_encode(question, context), []
        windows, rule = make_windows(encoding, options), self._rule(encoding)
        for w in windows:
            tell(w.index, len(windows), on_progress, cancelled)
            noise = np.random.default_rng(zlib.crc32(w.input_ids.tobytes()))
            both = noise.normal(-4.0, 0.7, (2, len(w))).astype(np.float32)
            both[:, w.is_context] += np.stack(rule)[:, w.doc_start : w.doc_stop]
            both[:, 0] = self.null
            self._logits[w.input_ids.tobytes()] = both
            rows.append((both.T, self.hidden_states(w)[-1] @ W.T + B if self.has_bio else None))
        about = {"model_name": self.name, "threshold": self.threshold, "checksum": self.checksum}
        return assemble(encoding, windows, rows, options, **about)

    @staticmethod
    def _rule(encoding: Encoding) -> tuple[np.ndarray, np.ndarray]:
        asked, tokens = {t.lower() for t in encoding.prefix_tokens[1:-1]}, encoding.context_tokens
        large = [t.lstrip("#")[:1].isupper() and t.lower() not in asked for t in tokens]
        capital, n = np.array(large, dtype=bool), len(tokens)
        capital |= np.array([t.startswith("##") for t in tokens], dtype=bool) & np.roll(capital, 1)
        near = np.array([checksum(f"{encoding.question}{i}") % 100 / 20 for i in range(n)])
        capital &= ~np.array([i == 0 or tokens[i - 1] in ".!?" for i in range(n)], dtype=bool)
        first, last = capital & ~np.roll(capital, 1), capital & ~np.roll(capital, -1)
        return np.where(first, 4.0 + near, 0.0), np.where(last, 4.0 + near, 0.0)

    def heads(self) -> HeadWeights:
        return HeadWeights(S, E, B_S, B_E)

    def hidden_states(self, window: Window) -> np.ndarray:
        """[N + 1, n, d]; the last gives the reading's logits, earlier ones fade into noise."""
        start, end = self._logits[window.input_ids.tobytes()]
        t = rng_of(window, "T").normal(size=(len(window), WIDTH))
        t[:, 0] = start - B_S - t[:, 2:] @ S[2:]
        t[:, 1] = end - B_E - t[:, 2:] @ E[2:]
        noise = rng_of(window, "layers").normal(size=t.shape)
        layers = [(k * t + (LAYERS - k) * noise) / LAYERS for k in range(LAYERS + 1)]
        return np.stack(layers).astype(np.float32)

    def attention(self, window: Window) -> np.ndarray:
        n = len(window)
        rows = rng_of(window, "attention").dirichlet(np.full(n, 0.3), size=(LAYERS, HEADS, n))
        return rows.astype(np.float32)

    def masked(self, window, masks, on_progress=None, cancelled=None):
        """The window's logits, lower by a fixed amount for every masked position."""
        masks = np.asarray(masks, dtype=bool)
        cost = rng_of(window, "masked").exponential(0.3, size=(2, len(window), len(window)))
        for done in range(len(masks)):
            tell(done + 1, len(masks), on_progress, cancelled)
        lanes = zip(self._logits[window.input_ids.tobytes()], cost, strict=True)
        start, end = ((logits - masks @ lost).astype(np.float32) for logits, lost in lanes)
        return start, end

    def attribute(
        self, reading, target, method=METHODS[0], baseline=None, n_steps=None, *watch, **named
    ) -> Attribution:
        """Random values; integrated ones sum to F(x) - F(x') but for a gap of 0.2 / steps."""
        if method == "leave_one_out":
            return leave_one_out(reading, target, lambda *of: self.masked(*of, *watch, **named))
        window, path = window_of(reading, target), method == METHODS[0]
        steps = (n_steps or STEPS[0]) if path else 1
        for done in range(1, steps + 1):
            tell(done, steps, *watch, **named)
        f_x = float(value_of(target, window, *reading.logits(window.index)))
        values = rng_of(window, method, target, None).normal(1.0, 1.0, size=len(window))
        values[special_positions(reading.encoding, window)] = 0.0
        values *= 0.75 * f_x / values.sum()
        if not path:
            return Attribution(target, method, window.index, values, f_x)
        more = {"f_baseline": 0.25 * f_x, "baseline": baseline or reading.baseline}
        more |= {"n_steps": steps, "tried": ((steps, 0.2 / steps * 0.75 * f_x),)}
        return Attribution(target, method, window.index, values * (1 + 0.2 / steps), f_x, **more)
