"""The span boundary head in torch, and the model that fills blanks with it: a masked-language
folder, the head beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from qa_demo.core import masking
from qa_demo.core.arrays import log_softmax
from qa_demo.core.errors import BadInput
from qa_demo.core.infill import (
    WIRES,
    Infill,
    Trace,
    check_wires,
    filled,
    read_rows,
    row_of,
    single_cuts,
)
from qa_demo.core.infiller import one_text
from qa_demo.core.masked import POSITIONS, Masked
from qa_demo.core.masking import MaskOptions
from qa_demo.core.types import Encoding
from qa_demo.model.config import longest_input
from qa_demo.model.products import FrozenProducts
from qa_demo.model.tokenizer import encode, prepare
from qa_demo.model.workers import SHARED, Workers

WIDTH = 200
"""Size of a position vector, as in the paper."""


@dataclass(frozen=True)
class Layers:
    """Every step of the head for S targets: linear, gelu and LayerNorm twice, each [S, d]."""

    linear1: Tensor
    gelu1: Tensor
    h1: Tensor
    linear2: Tensor
    gelu2: Tensor
    y: Tensor


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
        self.dense1, self.norm1 = (
            nn.Linear(2 * hidden_size + WIDTH, hidden_size),
            nn.LayerNorm(hidden_size, eps=1e-12),
        )
        self.dense2, self.norm2 = (
            nn.Linear(hidden_size, hidden_size),
            nn.LayerNorm(hidden_size, eps=1e-12),
        )
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        for weight in (self.position.weight, self.dense1.weight, self.dense2.weight):
            nn.init.normal_(weight, std=0.02)
        for dense in (self.dense1, self.dense2):
            nn.init.zeros_(dense.bias)
        self.register_buffer("mean_left", torch.zeros(hidden_size))
        self.register_buffer("mean_right", torch.zeros(hidden_size))
        self.register_buffer("mean_position", torch.zeros(WIDTH))
        self.register_buffer("counts", torch.zeros(vocab_size, dtype=torch.int32))

    @property
    def positions(self) -> int:
        """Rows of the position table."""
        return self.position.num_embeddings

    def layers(self, left: Tensor, right: Tensor, position: Tensor) -> Layers:
        """Both layers with every step kept, from wires [S, d], [S, d] and [S, 200]."""
        linear1 = self.dense1(torch.cat([left, right, position], dim=-1))
        gelu1 = F.gelu(linear1)
        h1 = self.norm1(gelu1)
        linear2 = self.dense2(h1)
        gelu2 = F.gelu(linear2)
        return Layers(linear1, gelu1, h1, linear2, gelu2, self.norm2(gelu2))

    def forward(self, left: Tensor, right: Tensor, k: Tensor, words: Tensor) -> Tensor:
        """Logits [S, V] from x_(s-1), x_(e+1) [S, d], k [S] counted from 1, and the word table [V,
        d].
        """
        return F.linear(self.layers(left, right, self.position(k - 1)).y, words, self.bias)


class SpanBERT:
    """A masked-language model with or without a span boundary head, shared by every thread:
    read-only after it is made.
    """

    def __init__(
        self,
        name: str,
        model: Any,
        tokenizer: Any,
        sbo: SBOHead | None,
        checksum: str = "",
        workers: Workers = SHARED,
    ) -> None:
        self._model, self._tokenizer = model.eval().requires_grad_(False), tokenizer
        self._sbo = None if sbo is None else sbo.eval().requires_grad_(False)
        self._name, self._checksum, self._workers = name, checksum, workers
        self._names = tuple(
            str(x) for x in tokenizer.convert_ids_to_tokens(range(model.config.vocab_size))
        )
        self._special = set(tokenizer.all_special_ids)
        counts = None if sbo is None else np.cumsum(sbo.counts.numpy().astype(np.float64))
        self._cumulated = counts if counts is not None and counts[-1] > 0 else None
        prepare(tokenizer)

    @property
    def name(self) -> str:
        """`bundled`, a folder's name, or a hub id with its commit."""
        return self._name

    @property
    def has_sbo(self) -> bool:
        """Whether a span boundary head stands beside the masked-language head."""
        return self._sbo is not None

    @property
    def positions(self) -> int:
        """Rows of the position table; 0 without a span boundary head."""
        return 0 if self._sbo is None else self._sbo.positions

    @property
    def mask_id(self) -> int:
        """The id of [MASK]."""
        return int(self._tokenizer.mask_token_id)

    @property
    def max_pieces(self) -> int:
        """The longest text: the position table of the encoder without [CLS] and [SEP]."""
        return longest_input(self._model.config) - 2

    def encode(self, text: str, most: int | None = None) -> Encoding:
        """The pieces of one text, as the `context` of an encoding without a question."""
        return one_text(
            text, partial(encode, self._tokenizer), min(most or self.max_pieces, self.max_pieces)
        )

    def piece(self, piece_id: int) -> str:
        """How a piece of the vocabulary is spelled."""
        return self._names[piece_id]

    def random_piece(self, rng: np.random.Generator) -> int:
        """A piece drawn as often as it came in the pre-training text; uniform, special pieces left
        out, where no counts are stored.
        """
        if self._cumulated is not None:
            return int(
                np.searchsorted(self._cumulated, rng.random() * self._cumulated[-1], side="right")
            )
        while (piece := int(rng.integers(len(self._names)))) in self._special:
            continue
        return piece

    def sample(
        self,
        encoding: Encoding,
        rng: np.random.Generator,
        options: MaskOptions = masking.DEFAULTS,
        scheme: str = "span",
    ) -> Masked:
        """Spans of whole words ("span") or single pieces ("token") hidden by the law."""
        return masking.mask(
            scheme,
            encoding.context_ids,
            encoding.word_ids,
            self.mask_id,
            rng,
            self.random_piece,
            options,
        )

    def infill(
        self,
        masked: Masked,
        cut: frozenset[str] = frozenset(),
        swap: Mapping[int, int] | None = None,
        top: int = 10,
    ) -> Infill:
        """Guesses of MLM, SBO and both for every blank; cut wires carry their means, a swapped
        blank reads another row.
        """
        swap = dict(swap or {})
        check_wires(masked, cut, swap, self.positions)
        if not 1 <= top <= len(self._names):
            raise BadInput(f"top must be 1 to {len(self._names):,}, got {top}")
        with self._workers.slot(), torch.inference_mode():
            hidden, mlm = self._read(masked)
            sbo = None
            if self._sbo is not None:
                left, right, position, _ = self._wires(self._sbo, hidden, masked, cut, swap)
                sbo = F.linear(
                    self._sbo.layers(left, right, position).y, self._words, self._sbo.bias
                ).numpy()
        return filled(
            masked,
            mlm.numpy(),
            sbo,
            self._names,
            top,
            self.positions,
            cut=cut,
            swap=swap,
            model_name=self._name,
            checksum=self._checksum,
        )

    def trace(
        self,
        masked: Masked,
        at: int,
        cut: frozenset[str] = frozenset(),
        swap: Mapping[int, int] | None = None,
    ) -> Trace:
        """The boundary head's arithmetic for one blank and the logit of its true piece."""
        swap = dict(swap or {})
        check_wires(masked, cut, swap, self.positions)
        if self._sbo is None:
            raise BadInput(f"{self._name} has no span boundary head")
        row, pairs = row_of(masked, at, self.positions), masked.pairs(self.positions)
        true = int(masked.true_ids[at])
        with self._workers.slot(), torch.inference_mode():
            hidden = self._hidden(masked)
            left, right, position, k = (
                x[row] for x in self._wires(self._sbo, hidden, masked, cut, swap)
            )
            steps = self._sbo.layers(left, right, position)
            word, bias = self._words[true], self._sbo.bias[true]
            logit = float(word @ steps.y + bias)
            alone = self._alone(self._sbo, hidden, masked, swap, row)
        return Trace(
            at,
            int(pairs.left[row]),
            int(pairs.right[row]),
            int(k),
            cut,
            x_left=left.numpy(),
            x_right=right.numpy(),
            position=position.numpy(),
            word=word.numpy(),
            bias=float(bias),
            logit=logit,
            cuts=single_cuts(log_softmax(alone.numpy()), true, self._names),
            **{name: step.numpy() for name, step in vars(steps).items()},
        )

    def _alone(
        self, head: SBOHead, hidden: Tensor, masked: Masked, swap: Mapping[int, int], row: int
    ) -> Tensor:
        """Logits [4, V] of one SBO target with no wire cut, then with each one alone."""
        cuts = [frozenset[str](), *(frozenset({wire}) for wire in WIRES)]
        wires = [self._wires(head, hidden, masked, cut, swap) for cut in cuts]
        left, right, position = (torch.stack([w[part][row] for w in wires]) for part in range(3))
        return F.linear(head.layers(left, right, position).y, self._words, head.bias)

    @property
    def _words(self) -> Tensor:
        words: Tensor = self._model.get_input_embeddings().weight
        return words

    def _read(self, masked: Masked) -> tuple[Tensor, Tensor]:
        """Last hidden states of the pieces [T, d] and MLM logits of the blanks [M, V]; only blanks
        are multiplied with the vocabulary's vectors in BERT.
        """
        blanks = torch.from_numpy(masked.hidden)
        if hasattr(self._model, "cls"):
            hidden = self._hidden(masked)
            return hidden, self._model.cls(hidden[blanks]).float()
        with FrozenProducts():
            out = self._model(input_ids=self._ids(masked), output_hidden_states=True)
        return out.hidden_states[-1][0, 1:-1], out.logits[0, 1:-1][blanks].float()

    def _ids(self, masked: Masked) -> Tensor:
        t = self._tokenizer
        return torch.tensor([[t.cls_token_id, *masked.input_ids.tolist(), t.sep_token_id]])

    def _hidden(self, masked: Masked) -> Tensor:
        """The encoder's last hidden states of the pieces [T, d]."""
        with FrozenProducts():
            hidden: Tensor = self._model.base_model(input_ids=self._ids(masked))[0][0, 1:-1]
        return hidden

    @staticmethod
    def _wires(
        head: SBOHead, hidden: Tensor, masked: Masked, cut: frozenset[str], swap: Mapping[int, int]
    ) -> tuple[Tensor, ...]:
        """x_left, x_right [S, d], position vectors [S, 200] and the rows k [S] that were read."""
        pairs = masked.pairs(head.positions)
        k = torch.from_numpy(read_rows(pairs, swap))
        left, right = (
            hidden[torch.from_numpy(pairs.left.copy())],
            hidden[torch.from_numpy(pairs.right.copy())],
        )
        position = head.position(k - 1)
        return (
            head.mean_left.expand_as(left) if "left" in cut else left,
            head.mean_right.expand_as(right) if "right" in cut else right,
            head.mean_position.expand_as(position) if "position" in cut else position,
            k,
        )
