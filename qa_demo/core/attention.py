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


class Looks:
    """`rows` [N, A, n] of one token, their share on the question `asked` [N, A], and one head,
    counted from 1, with its weights `row` [n] and what they hold in sum by kind of token, `held`.
    Without a layer or head it is that of `spread_head`; one too large is the last.
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
        self.rows, self.asked = rows, rows[:, :, inside].sum(-1)
        first = spread_head(rows, self.asked)
        self.layer = min(layer or first[0], rows.shape[0])
        self.head = min(head or first[1], rows.shape[1])
        self.row = rows[self.layer - 1, self.head - 1].astype(np.float64)
        cls, asked = float(self.row[0]), float(self.row[inside].sum())
        read = float(self.row[window.is_context].sum())
        rest = float(self.row.sum()) - cls - asked - read
        self.held = {e.cls_token: cls, "question": asked, "paragraph": read, "separators": rest}


def spread_head(rows: NDArray[np.float32], asked: Floats) -> tuple[int, int]:
    """(layer, head), from 1, with the largest share `asked` [N, A] among the heads whose weights
    `rows` [N, A, n] are all under 0.3; among all heads where none is.
    """
    wide = np.where(rows.max(-1) < SPREAD, asked, -1)
    best = (wide if wide.max() >= 0 else asked).argmax()
    layer, head = np.unravel_index(best, asked.shape)
    return int(layer) + 1, int(head) + 1
