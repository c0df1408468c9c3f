"""The model that fills blanks: a masked-language folder, and the span boundary head beside it."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F

from qa_demo.core.infill import Infill, make_infill
from qa_demo.core.masking import POSITIONS, Masked, one_text
from qa_demo.core.store import ASSETS
from qa_demo.core.types import Encoding
from qa_demo.model.forward import longest_input
from qa_demo.model.loading import opened, pretrained, weighted
from qa_demo.model.source import regular
from qa_demo.model.tokenizer import encode, prepare
from qa_demo.model.work import SHARED

OWN = {"bundled": ASSETS / "spanbert"}
SBO_FILE = "sbo_head.safetensors"
WIDTH = 200  # of a position vector, as in the paper


class SBOHead(nn.Module):
    """h1 = LN(GeLU(W1 [x_(s-1); x_(e+1); p_k] + b1)), y = LN(GeLU(W2 h1 + b2)), logits = E_word y +
    b.

    Exact GeLU, LayerNorm with eps 1e-12. E_word is the encoder's word table, handed in, so it is
    tied by construction; b [V] is the head's own. The buffers belong to the pre-training text: the
    mean vector of each wire, and how often each piece came.
    """

    mean_left: Tensor
    mean_right: Tensor
    mean_position: Tensor
    counts: Tensor

    def __init__(self, hidden_size: int, vocab_size: int, positions: int = POSITIONS) -> None:
        super().__init__()
        self.position = nn.Embedding(positions, WIDTH)
        self.dense1 = nn.Linear(2 * hidden_size + WIDTH, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps=1e-12)
        self.dense2 = nn.Linear(hidden_size, hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        for weight in (self.position.weight, self.dense1.weight, self.dense2.weight):
            nn.init.normal_(weight, std=0.02)
        for dense in (self.dense1, self.dense2):
            nn.init.zeros_(dense.bias)
        for name, size in (("left", hidden_size), ("right", hidden_size), ("position", WIDTH)):
            self.register_buffer(f"mean_{name}", torch.zeros(size))
        self.register_buffer("counts", torch.zeros(vocab_size, dtype=torch.int32))

    def logits_of(self, left: Tensor, right: Tensor, position: Tensor, words: Tensor) -> Tensor:
        """Logits [S, V] from wires [S, d], [S, d] and [S, 200], and the word table [V, d]."""
        h1 = self.norm1(F.gelu(self.dense1(torch.cat([left, right, position], dim=-1))))
        return F.linear(self.norm2(F.gelu(self.dense2(h1))), words, self.bias)

    def forward(self, left: Tensor, right: Tensor, k: Tensor, words: Tensor) -> Tensor:
        """Logits [S, V] from x_(s-1), x_(e+1) [S, d], k [S] from 1, and the word table [V, d]."""
        return self.logits_of(left, right, self.position(k - 1), words)


class SpanBERT:
    """A masked-language model, with or without a span boundary head, shared and read-only."""

    def __init__(self, name: str, model: Any, tokenizer: Any, sbo: SBOHead | None) -> None:
        self.model, self.tokenizer = model.eval().requires_grad_(False), tokenizer
        self.sbo = None if sbo is None else sbo.eval().requires_grad_(False)
        self.name, self.mask_id = name, int(tokenizer.mask_token_id)
        self.positions = 0 if sbo is None else sbo.position.num_embeddings
        self.max_pieces = longest_input(model.config) - 2  # without [CLS] and [SEP]
        ids = range(model.config.vocab_size)
        self._names = tuple(str(x) for x in tokenizer.convert_ids_to_tokens(ids))
        counts = ~np.isin(ids, tokenizer.all_special_ids) if sbo is None else sbo.counts.numpy()
        self._drawn = np.cumsum(counts.astype(np.float64))
        prepare(tokenizer)

    def encode(self, text: str) -> Encoding:
        """The pieces of one text, as the `context` of an encoding without a question."""
        return one_text(text, partial(encode, self.tokenizer), self.max_pieces)

    def random_piece(self, rng: np.random.Generator) -> int:
        """A piece drawn as often as in pre-training; without counts any that is not special."""
        return int(np.searchsorted(self._drawn, rng.random() * self._drawn[-1], side="right"))

    def infill(self, masked: Masked, cut: frozenset[str] = frozenset(), top: int = 10) -> Infill:
        """Guesses of MLM, SBO and both for every blank; a cut wire carries its mean."""

        t, blanks = self.tokenizer, torch.from_numpy(masked.hidden)
        ids = torch.tensor([[t.cls_token_id, *masked.input_ids.tolist(), t.sep_token_id]])

        def run() -> tuple[np.ndarray, np.ndarray | None]:
            with torch.inference_mode():
                if hasattr(self.model, "cls"):  # only blanks meet the vocabulary's vectors
                    hidden = self.model.base_model(input_ids=ids)[0][0, 1:-1]
                    mlm = self.model.cls(hidden[blanks])
                else:
                    out = self.model(input_ids=ids, output_hidden_states=True)
                    hidden, mlm = out.hidden_states[-1][0, 1:-1], out.logits[0, 1:-1][blanks]
                if self.sbo is None:
                    return mlm.numpy(), None
                pairs = masked.pairs(self.positions)
                wires = {
                    "left": hidden[torch.tensor(pairs.left)],
                    "right": hidden[torch.tensor(pairs.right)],
                    "position": self.sbo.position(torch.from_numpy(pairs.k) - 1),
                }
                for name in cut:
                    wires[name] = getattr(self.sbo, f"mean_{name}").expand_as(wires[name])
                words = self.model.get_input_embeddings().weight
                return mlm.numpy(), self.sbo.logits_of(*wires.values(), words).numpy()

        mlm, sbo = SHARED.run(run)
        return make_infill(masked, mlm, sbo, self._names, top, self.positions, self.name)


def load_spanbert(source: str = "bundled") -> SpanBERT:
    """The bundled SpanBERT, a local folder, or a hub id whose masked-language head fills blanks
    without a boundary head.

    Errors: BadInput for a name that is none of these, ModelUnavailable for what cannot be reached,
    BadCheckpoint for what was found and must not be used. Weights are computed with in fp32 always.
    """

    def build(folder: Path, name: str, _: str) -> SpanBERT:
        model, tokenizer = pretrained(folder, "masked-language")
        return SpanBERT(name, model, tokenizer, load_sbo(folder, model.config))

    return opened(source, True, OWN, build)


def load_sbo(folder: Path, config: Any) -> SBOHead | None:
    """The boundary head beside a folder, fp32, or None; BadCheckpoint for unfit tensors."""
    path = regular(folder, SBO_FILE)
    if path is None:
        return None
    rows = len(load_file(path)["position.weight"])
    return weighted(SBOHead(config.hidden_size, config.vocab_size, rows), path)
