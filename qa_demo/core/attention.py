"""Where the heads looked: attention of one window, and one token's rows of it.

Axes are always layer, head, query, key; a row belongs to the token that looks: a softmax over all
tokens of the window, so it sums to 1.
"""

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.base import Floats
from qa_demo.core.text import question_positions
from qa_demo.core.types import Encoding, Window

SPREAD = 0.3
"""The head that is shown first has no weight of this size."""


class TokenAttention:
    """The attention of one token, `rows` [N, A, n]: its share `on_question` [N, A], and one head,
    counted from 1, with its `weights` [n] and their `sums` by kind of token. Without a layer or
    head it is that of `spread_head`; one too large is the last.
    """

    def __init__(
        self,
        rows: NDArray[np.float32],
        e: Encoding,
        window: Window,
        layer: int | None = None,
        head: int | None = None,
    ) -> None:
        inside = question_positions(e)
        self.on_question = rows[:, :, inside].sum(-1)
        first = spread_head(rows, self.on_question)
        self.layer = min(layer or first[0], rows.shape[0])
        self.head = min(head or first[1], rows.shape[1])
        self.weights = rows[self.layer - 1, self.head - 1].astype(np.float64)
        cls, asked = float(self.weights[0]), float(self.weights[inside].sum())
        read = float(self.weights[window.is_context].sum())
        rest = float(self.weights.sum()) - cls - asked - read
        self.sums = {e.cls_token: cls, "question": asked, "paragraph": read, "separators": rest}


def spread_head(rows: NDArray[np.float32], asked: Floats) -> tuple[int, int]:
    """(layer, head), from 1, with the largest share `asked` [N, A] among the heads whose weights
    `rows` [N, A, n] are all under 0.3; among all heads where none is.
    """
    wide = np.where(rows.max(-1) < SPREAD, asked, -1)
    layer, head = np.unravel_index((wide if wide.max() >= 0 else asked).argmax(), asked.shape)
    return int(layer) + 1, int(head) + 1
