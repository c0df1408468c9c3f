"""The span boundary head in torch."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from qa_demo.core.masking import POSITIONS

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
        self.dense1 = nn.Linear(2 * hidden_size + WIDTH, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps=1e-12)
        self.dense2 = nn.Linear(hidden_size, hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size, eps=1e-12)
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
        """Logits [S, V] from x_(s-1), x_(e+1) [S, d], k [S] from 1, and the word table [V, d]."""
        return F.linear(self.layers(left, right, self.position(k - 1)).y, words, self.bias)
