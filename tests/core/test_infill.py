"""Guesses, ranks and the product against plain arithmetic; the two ways to add the losses up."""

import numpy as np
import pytest

from qa_demo.core import infill
from qa_demo.core.base import softmax
from qa_demo.core.losses import LossTerm
from qa_demo.core.masking import hide
from qa_demo.core.types import Span

NAMES = [f"w{i}" for i in range(12)]


def filled(runs: list[Span]) -> tuple[infill.Infill, np.ndarray, np.ndarray]:
    """What both heads say by random logits, and the logits."""
    masked, rng = hide(np.array([3, 1, 4, 1, 5, 9, 2, 6]), runs, 0), np.random.default_rng(1)
    mlm, sbo = (rng.normal(0, 2, (len(x), 12)) for x in (masked.hidden, masked.pairs()))
    return infill.filled(masked, mlm, sbo, NAMES, 4, 20, "toy"), mlm, sbo


def test_guesses_ranks_and_product_are_plain_arithmetic():
    found, mlm, sbo = filled([Span(2, 4)])
    for m, piece in enumerate(found.pieces):
        p, q = softmax(mlm[m]), softmax(sbo[m])
        both = p * q / (p * q).sum()
        for one, want in ((piece.mlm, p), (piece.sbo, q), (piece.both, both)):
            order = np.argsort(-want)
            assert [g.id for g in one.guesses] == order[:4].tolist()
            assert one.guesses[0].piece == NAMES[order[0]]
            assert [g.p for g in one.guesses] == pytest.approx(want[order[:4]])
            assert one.rank == order.tolist().index(piece.id) + 1
            assert (one.p, one.loss) == pytest.approx((want[piece.id], -np.log(want[piece.id])))
        token = NAMES[found.masked.true_ids[piece.at]]
        assert (piece.k, piece.token, piece.no_sbo) == (m + 1, token, None)


def test_equal_logits_rank_by_id():
    one = infill.said(np.log(np.full(12, 1 / 12)), 5, NAMES, 3)
    assert one.rank == 6 and one.p == pytest.approx(1 / 12)
    log_p = np.log(np.array([1, 2, 1, 2, 1, 3, 1, 2, 1, 1, 2, 1]) / 18)
    order = [5, 1, 3, 7, 10, 0, 2, 4, 6, 8, 9, 11]
    for top in (1, 3, 12, 20):
        assert [g.id for g in infill.said(log_p, 5, NAMES, top).guesses] == order[:top]


def test_both_denominators_are_named():
    found, _, _ = filled([Span(0, 0), Span(2, 3), Span(5, 5)])
    pieces = found.pieces
    mlm, sbo = [p.mlm.loss for p in pieces], [p.sbo.loss for p in pieces if p.sbo]
    assert (len(mlm), len(sbo)) == (4, 3)
    assert found.code == (
        LossTerm("MLM", pytest.approx(sum(mlm) / 4), 1.0, 4),
        LossTerm("SBO", pytest.approx(sum(sbo) / 4), 1.0, 4),
    )
    assert [t.value for t in found.paper] == pytest.approx([sum(mlm), sum(sbo)])
    assert {t.over for t in found.paper} == {1}


@pytest.mark.parametrize(
    ("mlm", "sbo", "first"),
    [
        ((9, 0, 9), (5, 9, 3), 3),  # only SBO guesses the second
        ((9, 9, 9), (5, 9, 3), 4),  # both guess all: the one SBO doubts most
        ((9, 9, 9), (0, 0, 3), 4),
        ((9, 9, 9), (0, 0, 0), 2),
    ],
)
def test_the_blank_to_look_at_first(mlm, sbo, first):
    """How far each head's logit of the true piece stands above all others, which tie at 0."""
    masked = hide(np.array([3, 7, 4, 8, 5, 9, 2, 6]), [Span(2, 4)], 0)
    rows = [np.eye(12)[masked.true_ids[2:5]] * np.array([x]).T for x in (mlm, sbo)]
    found = infill.filled(masked, *rows, NAMES, 4, 20, "toy")
    assert infill.Filled(None, None, {None: found}, 20).first() == first
