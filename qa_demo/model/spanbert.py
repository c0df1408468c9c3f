"""The model that fills blanks: a masked-language folder, and the span boundary head beside it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from qa_demo.core import masking
from qa_demo.core.base import BadInput
from qa_demo.core.infill import Infill, check_wires, filled, one_text, read_rows
from qa_demo.core.masking import Masked, MaskOptions
from qa_demo.core.types import Encoding
from qa_demo.model.config import longest_input
from qa_demo.model.sbo import SBOHead
from qa_demo.model.tokenizer import encode, prepare
from qa_demo.model.workers import SHARED


class SpanBERT:
    """A masked-language model, with or without a span boundary head, shared and read-only."""

    def __init__(self, name: str, model: Any, tokenizer: Any, sbo: SBOHead | None) -> None:
        self._model, self._tokenizer = model.eval().requires_grad_(False), tokenizer
        self._sbo = None if sbo is None else sbo.eval().requires_grad_(False)
        self.name = name
        """`bundled`, a folder's name, or a hub id with its commit."""
        self._workers = SHARED
        self._names = tuple(
            str(x) for x in tokenizer.convert_ids_to_tokens(range(model.config.vocab_size))
        )
        self._special = set(tokenizer.all_special_ids)
        counts = None if sbo is None else np.cumsum(sbo.counts.numpy().astype(np.float64))
        self._cumulated = counts if counts is not None and counts[-1] > 0 else None
        prepare(tokenizer)

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

    def random_piece(self, rng: np.random.Generator) -> int:
        """A piece drawn as often as in pre-training; uniform, not special, without counts."""
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
        """Guesses of MLM, SBO and both for every blank, with wires cut and rows swapped."""
        swap = dict(swap or {})
        check_wires(masked, cut, swap, self.positions)
        if not 1 <= top <= len(self._names):
            raise BadInput(f"top must be 1 to {len(self._names):,}, got {top}")
        with self._workers.slot(), torch.inference_mode():
            hidden, mlm = self._read(masked)
            sbo = None
            if self._sbo is not None:
                left, right, position = self._wires(self._sbo, hidden, masked, cut, swap)
                sbo = F.linear(
                    self._sbo.layers(left, right, position).y, self._words, self._sbo.bias
                ).numpy()
        return filled(masked, mlm.numpy(), sbo, self._names, top, self.positions, self.name)

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
        out = self._model(input_ids=self._ids(masked), output_hidden_states=True)
        return out.hidden_states[-1][0, 1:-1], out.logits[0, 1:-1][blanks].float()

    def _ids(self, masked: Masked) -> Tensor:
        t = self._tokenizer
        return torch.tensor([[t.cls_token_id, *masked.input_ids.tolist(), t.sep_token_id]])

    def _hidden(self, masked: Masked) -> Tensor:
        """The encoder's last hidden states of the pieces [T, d]."""
        hidden: Tensor = self._model.base_model(input_ids=self._ids(masked))[0][0, 1:-1]
        return hidden

    @staticmethod
    def _wires(
        head: SBOHead, hidden: Tensor, masked: Masked, cut: frozenset[str], swap: Mapping[int, int]
    ) -> tuple[Tensor, ...]:
        """x_left, x_right [S, d] and position vectors [S, 200]."""
        pairs = masked.pairs(head.positions)
        k = torch.from_numpy(read_rows(pairs, swap))
        left = hidden[torch.from_numpy(pairs.left.copy())]
        right = hidden[torch.from_numpy(pairs.right.copy())]
        position = head.position(k - 1)
        return (
            head.mean_left.expand_as(left) if "left" in cut else left,
            head.mean_right.expand_as(right) if "right" in cut else right,
            head.mean_position.expand_as(position) if "position" in cut else position,
        )
