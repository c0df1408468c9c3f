"""A reader small enough for a pencil: four dimensions, five tokens, small whole numbers, and what
every cell holds.

s_i = S . T_i + b_S,  e_i = E . T_i + b_E,  P = softmax over the five tokens,  L = -(log P_s[i*] +
log P_e[j*]) / 2
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import freeze, softmax
from qa_demo.core.errors import BadInput
from qa_demo.core.reading.heads import HeadWeights, plane

DIMENSIONS, TOKENS = 4, ("[CLS]", "Ada", "Lovelace", "wrote", "programs")


@dataclass(frozen=True)
class PencilCell:
    """One number to compute: `decimals` says how exactly it is asked for; whole numbers are asked
    for exactly (0). `hint` says what to do with which numbers, and not what comes out.
    """

    name: str
    asks: str
    value: float
    hint: str
    decimals: int = 0


@dataclass(frozen=True, eq=False)
class Pencil:
    """The exercise: T [5, 4], S, E [4], two biases, and the gold span (token numbers; token 0 is
    [CLS]).
    """

    tokens: tuple[str, ...]
    T: NDArray[np.int64]
    S: NDArray[np.int64]
    E: NDArray[np.int64]
    b_S: int
    b_E: int
    gold: tuple[int, int]

    def __post_init__(self) -> None:
        for name in ("T", "S", "E"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    @property
    def heads(self) -> HeadWeights:
        """The two vectors as every other reader has them."""
        return HeadWeights(
            self.S.astype(np.float32), self.E.astype(np.float32), float(self.b_S), float(self.b_E)
        )

    @property
    def logits(self) -> NDArray[np.float64]:
        """(s_i, e_i) of every token, [5, 2], whole numbers."""
        return plane(self.heads, self.T.astype(np.float64))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """P_s and P_e of every token, [5, 2]."""
        p: NDArray[np.float64] = softmax(self.logits, axis=0).astype(np.float64)
        return p

    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The legal pairs: end not before start, [CLS] excepted, which stands for no answer and is
        scored apart.
        """
        return tuple((i, j) for i in range(1, len(self.tokens)) for j in range(i, len(self.tokens)))

    def score(self, i: int, j: int) -> float:
        """s_i + e_j."""
        return float(self.logits[i, 0] + self.logits[j, 1])

    @property
    def best(self) -> tuple[int, int]:
        """The legal pair with the highest score; ties go to the lower start, then the lower end."""
        return max(self.pairs(), key=lambda pair: (self.score(*pair), -pair[0], -pair[1]))

    @property
    def loss(self) -> float:
        """Mean of the two cross-entropies of the gold span, in nats."""
        p = self.probabilities
        return -(math.log(p[self.gold[0], 0]) + math.log(p[self.gold[1], 1])) / 2

    def cells(self) -> tuple[PencilCell, ...]:
        """Every number of the exercise in the order in which one computes it."""
        scores = (
            PencilCell(
                f"score_{i}_{j}",
                f"score of {self.tokens[i]} ... {self.tokens[j]}",
                self.score(i, j),
                f"s of {self.tokens[i]} from the first table plus e of {self.tokens[j]} from the "
                f"second",
            )
            for i, j in self.pairs()
        )
        start = self._lane(0, "start", self.S, self.b_S)
        return (*start, *self._lane(1, "end", self.E, self.b_E), *scores, *self._last())

    def _last(self) -> list[PencilCell]:
        """No answer, the best pair, and the loss."""
        first, last = (self.tokens[at] for at in self.gold)
        search = "look for the largest score of the table above; its"
        return [
            PencilCell(
                "score_null",
                "score of no answer: s + e of [CLS]",
                self.score(0, 0),
                "s of [CLS] from the first table plus e of [CLS] from the second",
            ),
            PencilCell(
                "best_start",
                "token number of the best pair's start",
                float(self.best[0]),
                f"{search} row is the start",
            ),
            PencilCell(
                "best_end",
                "token number of the best pair's end",
                float(self.best[1]),
                f"{search} column is the end",
            ),
            PencilCell(
                "loss",
                f"loss when the answer is {first} ... {last}",
                self.loss,
                f"take P(start) of {first} and P(end) of {last}, minus the natural logarithm of "
                f"each, and the mean of the two",
                2,
            ),
        ]

    def _lane(
        self, at: int, lane: str, vector: NDArray[np.int64], bias: int
    ) -> Iterator[PencilCell]:
        """Products, logit and probability of every token at one lane."""
        letter, axis = ("s", "S") if lane == "start" else ("e", "E")
        for i, token in enumerate(self.tokens):
            for k, product in enumerate((vector * self.T[i]).tolist()):
                yield PencilCell(
                    f"product_{lane}_{i}_{k}",
                    f"{axis}[{k + 1}] times T[{k + 1}] of {token}",
                    float(product),
                    f"{token} is token {i}: take number {k + 1} of its row of T, {self.T[i, k]}, "
                    f"times number {k + 1} of {axis}, {vector[k]}",
                )
            said = f"{letter} of {token}: the products and the bias {bias} together"
            add = f"add the {DIMENSIONS} products to its left, then the bias {bias}"
            yield PencilCell(f"logit_{lane}_{i}", said, float(self.logits[i, at]), add)
        for i, token in enumerate(self.tokens):
            yield PencilCell(
                f"prob_{lane}_{i}",
                f"P of {token} as {lane}",
                float(self.probabilities[i, at]),
                f"exp({letter}) of {token}, divided by the sum of exp({letter}) over all "
                f"{len(self.tokens)} tokens, [CLS] among them",
                2,
            )

    def slips(self, name: str) -> list[tuple[str, float]]:
        """Wrong numbers that a known mistake would give for this cell."""
        kind, *rest = name.split("_")
        if kind == "logit":
            at, i = int(rest[0] == "end"), int(rest[1])
            bias, other = (self.b_S, self.b_E) if at == 0 else (self.b_E, self.b_S)
            own, others = float(self.logits[i, at]), float(self.logits[i, 1 - at])
            return [
                ("the bias is missing", own - bias),
                ("this is the other lane's logit", others),
                ("this is the other lane's vector with this lane's bias", others - other + bias),
            ]
        if kind == "prob":
            at, i = int(rest[0] == "end"), int(rest[1])
            z = self.logits[:, at]
            inside = np.exp(z[1:] - z.max())
            return [
                (
                    "[CLS] is missing from the sum: the softmax runs over all five tokens",
                    0.0 if i == 0 else float(inside[i - 1] / inside.sum()),
                ),
                ("this is the exponential before dividing by the sum", float(np.exp(z[i]))),
                ("this is the other lane's probability", float(self.probabilities[i, 1 - at])),
            ]
        if kind == "loss":
            return [
                ("this is the sum of the two terms: BERT's loss is their mean", 2 * self.loss),
                ("the minus sign is missing", -self.loss),
            ]
        return []


def parse_number(typed: str) -> float:
    """A number as people write it: blanks around it, a decimal comma, a typographic minus."""
    text = typed.strip().replace(",", ".").replace("\u2212", "-")
    try:
        value = float(text)
    except ValueError as error:
        raise BadInput(f"{typed[:20]!r} is not a number; write for example -3 or 0.25") from error
    if not math.isfinite(value):
        raise BadInput(f"{typed[:20]!r} is not a finite number")
    return value


def pencil() -> Pencil:
    """The exercise of the page; gold is `Ada Lovelace`."""
    return Pencil(
        TOKENS,
        np.array([[0, 1, 0, 1], [1, 0, 1, 0], [1, 2, 0, 1], [1, 0, -1, 0], [0, 1, 1, 1]]),
        np.array([1, 0, 2, -1]),
        np.array([0, 2, -1, 1]),
        1,
        -1,
        (1, 2),
    )


def another(rng: np.random.Generator) -> Pencil:
    """A fresh exercise whose best pair is unique and scores above no answer; numbers from -2 to
    2.
    """
    while True:
        draw = Pencil(
            TOKENS,
            rng.integers(-1, 3, (len(TOKENS), DIMENSIONS)),
            rng.integers(-2, 3, DIMENSIONS),
            rng.integers(-2, 3, DIMENSIONS),
            int(rng.integers(-2, 3)),
            int(rng.integers(-2, 3)),
            (1, 1),
        )
        scores = sorted((draw.score(*pair) for pair in draw.pairs()), reverse=True)
        if scores[0] > scores[1] and scores[0] > draw.score(0, 0):
            return Pencil(draw.tokens, draw.T, draw.S, draw.E, draw.b_S, draw.b_E, draw.best)
