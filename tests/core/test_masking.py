"""SpanBERT: spans by the book, the length law, 80/10/10, edges; guesses, ranks and both losses."""

import collections

import numpy as np
import pytest

from qa_demo.core import infill, masking
from qa_demo.core.base import softmax
from qa_demo.core.losses import LossTerm
from qa_demo.core.masking import POSITIONS, Masked, hide, merge_spans
from qa_demo.core.types import Span

MASK, RANDOM = 1, 2
PMF = [0.2241, 0.1792, 0.1434, 0.1147, 0.0918, 0.0734, 0.0587, 0.0470, 0.0376, 0.0301]


def text(rng: np.random.Generator, pieces: int) -> tuple[np.ndarray, np.ndarray]:
    """Ids from 10 on and words of one to four pieces."""
    sizes = rng.choice([1, 2, 3, 4], size=pieces, p=[0.7, 0.15, 0.1, 0.05])
    return np.arange(10, 10 + pieces), np.repeat(np.arange(pieces), sizes)[:pieces]


def drawn(seed: int, pieces: int, scheme: str = "span") -> tuple[Masked, np.ndarray]:
    rng = np.random.default_rng(seed)
    ids, words = text(rng, pieces)
    return masking.mask(scheme, ids, words, MASK, rng, lambda _: RANDOM), words


def test_the_length_law_is_the_vector_and_draws_follow_it():
    law = masking.length_law()
    assert np.round(law, 4) == pytest.approx(PMF, abs=1e-9)
    assert law @ np.arange(1, 11) == pytest.approx(3.7971, abs=5e-5)
    lengths = masking.draw_lengths(np.random.default_rng(3), 100_000)
    share = np.bincount(lengths, minlength=11)[1:] / len(lengths)
    assert share == pytest.approx(PMF, abs=0.005)  # the clipped law has 0.134 at 10


@pytest.mark.parametrize("scheme", ["span", "token"])
@pytest.mark.parametrize(("pieces", "budget"), [(510, 77), (1, 1), (7, 2), (20, 3), (21, 4)])
def test_budgets(pieces, budget, scheme):
    assert masking.budget_of(pieces) == budget
    assert len(drawn(0, pieces, scheme=scheme)[0].hidden) == budget


def test_each_run_has_one_fate_by_the_law_and_its_pieces_are_given_so():
    rng, fates = np.random.default_rng(11), collections.Counter()
    for _ in range(4_000):
        ids, words = text(rng, int(rng.integers(8, 90)))
        masked = masking.mask("span", ids, words, MASK, rng, lambda _: RANDOM)
        assert masked.runs == merge_spans(masked.runs), "touching runs were not merged"
        of, want = dict(zip(masked.hidden.tolist(), masked.fates, strict=True)), ids.copy()
        for run in masked.runs:
            (fate,) = {of[at] for at in range(run.start, run.end + 1)}
            given = {"mask": MASK, "random": RANDOM, "keep": ids[run.start : run.end + 1]}
            want[run.start : run.end + 1] = given[fate]
            fates[fate] += 1
        assert masked.input_ids.tolist() == want.tolist()
    share = {fate: count / sum(fates.values()) for fate, count in fates.items()}
    assert share == pytest.approx({"mask": 0.8, "random": 0.1, "keep": 0.1}, abs=0.012)


def by_the_book(words: np.ndarray, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Piece by piece: (start, end); hidden anchors draw their length again too."""
    starts = {k for k in range(len(words)) if k == 0 or words[k] != words[k - 1]}
    hidden, made = set[int](), []
    budget = -(-len(words) * 15 // 100)
    while len(hidden) < budget:
        length, anchor = int(masking.draw_lengths(rng, 1)[0]), int(rng.integers(len(words)))
        if anchor in hidden:
            continue
        at = start = max(s for s in starts if s <= anchor)
        reached = 0
        while at < len(words) and len(hidden) < budget:
            reached += at in starts
            if reached > length:
                break
            hidden.add(at)
            at += 1
        made.append((start, at - 1))
    return made


def test_every_span_is_drawn_by_the_book():
    met = collections.Counter()
    for seed in range(400):
        _, words = text(np.random.default_rng(seed), 20 + seed)
        draws = masking.draw_spans(words, np.random.default_rng(seed))
        assert [(d.start, d.end) for d in draws] == by_the_book(words, np.random.default_rng(seed))
        cut = words[draws[-1].end] in words[draws[-1].end + 1 :]
        met.update(cut=cut, merged=len(merge_spans(draws)) < len(draws))
    assert met["cut"] and met["merged"], "the texts were too short to meet every case"


def test_random_pieces_are_drawn_anew_at_each_place():
    rng, ids = np.random.default_rng(0), np.arange(5_000)
    masked = masking.mask("span", ids, ids, MASK, rng, lambda g: int(g.integers(10**4, 10**9)))
    random = masked.input_ids[masked.hidden[np.array(masked.fates) == "random"]].tolist()
    assert len({*random}) == len(random) > 20


def test_token_masking_hides_single_pieces_with_their_own_fates():
    masked, _ = drawn(0, 4_000, scheme="token")
    by = dict(zip(masked.hidden.tolist(), masked.fates, strict=True))
    runs = [{by[i] for i in range(run.start, run.end + 1)} for run in masked.runs]
    assert any(len(fates) > 1 for fates in runs)


def test_hand_drawn_spans_merge_and_those_at_an_edge_or_too_long_have_no_pair():
    masked = hide(np.arange(40), [Span(0, 1), Span(5, 30), Span(38, 39)], MASK)
    pairs = masked.pairs()
    assert pairs.at.tolist() == list(range(5, 25)) and pairs.k.max() == POSITIONS == 20
    assert "first token" in (masked.why_no_sbo(1) or "")
    assert "last token" in (masked.why_no_sbo(38) or "")
    assert masked.why_no_sbo(24) is None and "token 21 of its span" in (masked.why_no_sbo(25) or "")
    assert len(hide(np.arange(3), [Span(0, 2)], MASK).pairs().at) == 0
    masked = hide(np.arange(10), [Span(5, 6), Span(3, 4), Span(8, 8)], MASK)
    assert masked.runs == (Span(3, 6), Span(8, 8)) and masked.fates == ("mask",) * 5
    assert masked.input_ids.tolist() == [0, 1, 2, 1, 1, 1, 1, 7, 1, 9]
    assert merge_spans([Span(2, 3), Span(0, 1), Span(3, 5)], 0) == (Span(0, 1), Span(2, 5))


NAMES = [f"w{i}" for i in range(12)]


def made(runs: list[Span]) -> tuple[infill.Infill, np.ndarray, np.ndarray]:
    """What both heads say by random logits, and the logits."""
    masked, rng = hide(np.array([3, 1, 4, 1, 5, 9, 2, 6]), runs, 0), np.random.default_rng(1)
    mlm, sbo = (rng.normal(0, 2, (len(x), 12)) for x in (masked.hidden, masked.pairs().at))
    return infill.make_infill(masked, mlm, sbo, NAMES, 4, 20, "toy"), mlm, sbo


def test_guesses_ranks_and_product_are_plain_arithmetic_and_equal_logits_rank_by_id():
    found, mlm, sbo = made([Span(2, 4)])
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
    log_p = np.log(np.array([1, 2, 1, 2, 1, 3, 1, 2, 1, 1, 2, 1]) / 18)
    order = [5, 1, 3, 7, 10, 0, 2, 4, 6, 8, 9, 11]
    for rank, top in ((1, 1), (4, 3), (6, 12), (12, 20)):
        one = infill.guesses_of(log_p, order[rank - 1], NAMES, top)
        assert ([g.id for g in one.guesses], one.rank) == (order[:top], rank)


def test_both_denominators_are_named():
    found, _, _ = made([Span(0, 0), Span(2, 3), Span(5, 5)])
    pieces = found.pieces
    mlm, sbo = [p.mlm.loss for p in pieces], [p.sbo.loss for p in pieces if p.sbo]
    assert (len(mlm), len(sbo)) == (4, 3)
    both = (LossTerm(n, pytest.approx(sum(x) / 4), 1.0, 4) for n, x in (("MLM", mlm), ("SBO", sbo)))
    assert found.code == tuple(both)
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
    found = infill.make_infill(masked, *rows, NAMES, 4, 20, "toy")
    assert infill.Filled(None, None, {None: found}).first() == first
