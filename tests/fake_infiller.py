"""A model that fills blanks without torch: states from a rule, the real arithmetic."""

import zlib
from dataclasses import replace
from math import erf

import numpy as np

from qa_demo.core.infill import Infill, make_infill
from qa_demo.core.masking import POSITIONS, Masked, one_text
from qa_demo.core.types import Encoding
from tests.fakes import fake_encode

D, WIDTH, VOCABULARY, MASK = 12, 5, 1010, 3
SURE = 2.5
_gelu = np.vectorize(lambda x: x * 0.5 * (1 + erf(x / 2**0.5)), otypes=[float])


class FakeInfiller:
    """What `model.spanbert.SpanBERT` is to a page: d = 12, p of 5 numbers, ids of the fake reader.
    `SURE` pulls both heads towards the text's own pieces, so that ranks are not all bad.
    """

    name, mask_id = "fake", MASK

    def __init__(self, has_sbo: bool = True) -> None:
        self.has_sbo, self.positions = has_sbo, POSITIONS * has_sbo
        rng = np.random.default_rng(5)
        self.words, self.bias = rng.normal(size=(VOCABULARY, D)), rng.normal(size=VOCABULARY)
        self.rows = rng.normal(size=(POSITIONS, WIDTH))
        self.w1, self.w2 = rng.normal(size=(D, 2 * D + WIDTH)) / 3, rng.normal(size=(D, D)) / 2
        self.means = {"left": np.full(D, 0.1), "right": np.full(D, -0.1)}
        self.means["position"] = np.full(WIDTH, 0.2)

    def encode(self, text: str) -> Encoding:
        """Pieces of at most eight letters, as the fake reader's."""
        encoding = one_text(text, lambda q, c: fake_encode(q, c.lower()), 510)
        specials = ["[PAD]", "[CLS]", "[SEP]", "[MASK]"]  # anew: an id is several texts' pieces
        self._names = specials + [f"w{i}" for i in range(4, VOCABULARY)]
        for i, piece in zip(encoding.context_ids.tolist(), encoding.context_tokens, strict=True):
            self._names[i] = piece
        return replace(encoding, context=text)

    def random_piece(self, rng: np.random.Generator) -> int:
        return int(rng.integers(10, VOCABULARY))

    def infill(self, masked: Masked, cut: frozenset[str] = frozenset(), top: int = 10) -> Infill:
        hidden, given = masked.hidden, self.words[masked.input_ids]
        place = np.sin(np.arange(len(given))[:, None] * np.arange(1, D + 1) / 7)
        x = np.tanh(given + given.mean(0) + place)
        rng = np.random.default_rng(zlib.crc32(masked.input_ids.tobytes()))
        mlm = x[hidden] @ self.words.T + rng.normal(size=(len(hidden), VOCABULARY))
        mlm[np.arange(len(hidden)), masked.true_ids[hidden]] += SURE * (hidden % 3)
        sbo = None
        if self.has_sbo:
            pairs, bias = masked.pairs(self.positions), self.bias.copy()
            wires = {"left": x[pairs.left], "right": x[pairs.right]}
            wires |= {"position": self.rows[pairs.k - 1]}
            wires |= {n: np.broadcast_to(self.means[n], wires[n].shape) for n in cut}
            h = np.concatenate(list(wires.values()), axis=1)
            for weights in (self.w1, self.w2):
                g = _gelu(h @ weights.T)
                h = (g - g.mean(-1, keepdims=True)) / np.sqrt(g.var(-1, keepdims=True) + 1e-12)
            bias[masked.true_ids] = SURE
            sbo = h @ self.words.T + bias
        return make_infill(masked, mlm, sbo, self._names, top, self.positions, self.name)
