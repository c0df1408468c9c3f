"""SpanBERT's masking: vectors, invariants over 10,000 draws, the length law, 80/10/10, edges."""

import collections

import numpy as np
import pytest

from qa_demo.core import masking
from qa_demo.core.base import BadInput
from qa_demo.core.masking import POSITIONS, Masked, MaskOptions, changed, hide
from qa_demo.core.types import Span

MASK = 1
RANDOM = 2
PMF = [0.2241, 0.1792, 0.1434, 0.1147, 0.0918, 0.0734, 0.0587, 0.0470, 0.0376, 0.0301]


def text(rng: np.random.Generator, pieces: int) -> tuple[np.ndarray, np.ndarray]:
    """Ids from 10 on and words of one to four pieces."""
    sizes = rng.choice([1, 2, 3, 4], size=pieces, p=[0.7, 0.15, 0.1, 0.05])
    return np.arange(10, 10 + pieces), np.repeat(np.arange(pieces), sizes)[:pieces]


def drawn(
    seed: int, pieces: int, options: MaskOptions = masking.DEFAULTS
) -> tuple[Masked, np.ndarray]:
    rng = np.random.default_rng(seed)
    ids, words = text(rng, pieces)
    return masking.mask_spans(ids, words, MASK, rng, lambda _: RANDOM, options), words


def test_the_length_law_is_the_vector():
    law = masking.length_law()
    assert np.round(law, 4) == pytest.approx(PMF, abs=1e-9)
    assert law @ np.arange(1, 11) == pytest.approx(3.7971, abs=5e-5)


@pytest.mark.parametrize(
    ("low", "high", "p"), [(1, 1, 0.2), (3, 3, 0.2), (2, 5, 0.4), (1, 40, 0.2)]
)
def test_the_law_sums_to_one_for_other_bounds(low, high, p):
    options = MaskOptions(geometric_p=p, span_lower=low, span_upper=high)
    law = masking.length_law(options)
    assert len(law) == high - low + 1 and law.sum() == pytest.approx(1) and law.min() > 0
    lengths = masking.draw_lengths(np.random.default_rng(0), 2000, options)
    assert set(lengths) <= set(range(low, high + 1))


def test_the_law_of_lengths_that_are_all_unlikely_is_still_a_law():
    law = masking.length_law(MaskOptions(geometric_p=0.9999, span_lower=99, span_upper=100))
    assert law == pytest.approx([1 / 1.0001, 0.0001 / 1.0001])


def test_drawn_lengths_follow_the_truncated_law():
    lengths = masking.draw_lengths(np.random.default_rng(3), 100_000)
    share = np.bincount(lengths, minlength=11)[1:] / len(lengths)
    assert share == pytest.approx(PMF, abs=0.005)


@pytest.mark.parametrize(
    ("pieces", "budget"),
    [(510, 77), (1, 1), (7, 2), (20, 3), (21, 4), (126, 19), (40, 6), (100, 15)],
)
def test_budgets(pieces, budget):
    assert masking.budget_of(pieces) == budget
    assert len(drawn(0, pieces)[0].hidden) == budget


def check(masked: Masked, words: np.ndarray) -> None:
    """Every invariant of one draw."""
    total, hidden = len(words), masked.hidden
    assert len(hidden) == len(set(hidden.tolist())) == masked.budget == -(-total * 15 // 100)
    starts = set(masking.word_starts(words).tolist())
    assert all(run.start in starts for run in masked.runs)
    assert sum(run.end + 1 not in starts and run.end + 1 < total for run in masked.runs) <= 1
    assert all(b.start > a.end + 1 for a, b in zip(masked.runs, masked.runs[1:], strict=False)), (
        "touching runs were not merged"
    )
    fates = dict(zip(hidden.tolist(), masked.fates, strict=True))
    for run in masked.runs:
        inside = range(run.start, run.end + 1)
        assert len({fates[i] for i in inside}) == 1
        pair = masked.boundary(run)
        assert (pair is None) == (run.start == 0 or run.end == total - 1)
        assert pair is None or not {*pair} & set(hidden.tolist())
    want = masked.true_ids.copy()
    for at, fate in fates.items():
        want[at] = {"mask": MASK, "random": RANDOM, "keep": want[at]}[fate]
    assert masked.input_ids.tolist() == want.tolist()


def test_invariants_hold_over_ten_thousand_draws():
    rng, fates, merged, redrawn, cut = np.random.default_rng(11), collections.Counter(), 0, 0, 0
    for _ in range(10_000):
        ids, words = text(rng, int(rng.integers(8, 90)))
        masked = masking.mask_spans(ids, words, MASK, rng, lambda _: RANDOM)
        check(masked, words)
        fates.update(masked.fates[np.searchsorted(masked.hidden, run.start)] for run in masked.runs)
        merged += any(draw.joined for draw in masked.draws)
        redrawn += any(draw.span is None for draw in masked.draws)
        cut += masked.draws[-1].cut
    share = {fate: count / sum(fates.values()) for fate, count in fates.items()}
    assert share == pytest.approx({"mask": 0.8, "random": 0.1, "keep": 0.1}, abs=0.012)
    assert merged and redrawn and cut, "the texts were too short to meet every case"


def test_long_text_measures_what_the_reference_measured():
    """T = 510: runs of 3.88 words, 5.41 pieces on their text; only words compare with ours."""
    runs = [
        len(set(words[run.start : run.end + 1].tolist()))
        for seed in range(150)
        for masked, words in [drawn(seed, 510)]
        for run in masked.runs
    ]
    assert np.mean(runs) == pytest.approx(3.88, abs=0.25)
    assert 0 < np.mean(np.array(runs) > 10) < 0.05


def test_every_turn_is_on_record_and_can_be_replayed():
    masked, words = drawn(5, 200)
    starts, hidden, runs = masking.word_starts(words), set(), ()
    for draw in masked.draws:
        assert 1 <= draw.length <= 10
        if draw.span is None:
            assert draw.anchor in hidden and draw.runs == runs and not draw.joined
        else:
            assert draw.anchor not in hidden
            assert draw.span.start == max(s for s in starts.tolist() if s <= draw.anchor)
            held = words[draw.span.start : draw.span.end + 1]
            assert len(set(held.tolist())) == draw.words <= draw.length
            assert set(runs) - set(draw.runs) <= set(draw.joined)
            for gone in draw.joined:
                assert any(r.start <= gone.start and gone.end <= r.end for r in draw.runs)
            hidden |= set(range(draw.span.start, draw.span.end + 1))
        runs = draw.runs
        assert draw.budget_left == masked.budget - len(hidden)
    assert runs == masked.runs
    assert hidden == set(masked.hidden.tolist())
    assert masked.draws[-1].budget_left == 0
    assert not any(draw.cut for draw in masked.draws[:-1])


def test_the_same_seed_gives_the_same_masks_and_another_does_not():
    (a, _), (b, _), (c, _) = drawn(7, 120), drawn(7, 120), drawn(8, 120)
    assert a.input_ids.tolist() == b.input_ids.tolist() and a.draws == b.draws
    assert a.draws != c.draws


def test_random_pieces_are_drawn_anew_at_each_place():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        masked = masking.mask_spans(
            np.arange(10, 110), np.arange(100), MASK, rng, lambda g: int(g.integers(1000, 10**9))
        )
        random = masked.hidden[np.array(masked.fates) == "random"]
        if len(random) > 1:
            assert len(set(masked.input_ids[random].tolist())) == len(random)
            return
    pytest.fail("no run of two random pieces in 200 draws")


def test_token_masking_hides_single_pieces_with_their_own_fates():
    rng, fates, mixed, touching = np.random.default_rng(4), collections.Counter(), 0, 0
    for _ in range(500):
        masked = masking.mask_tokens(np.arange(10, 90), MASK, rng, lambda _: RANDOM)
        assert len(masked.hidden) == len(set(masked.hidden.tolist())) == 12 == len(masked.draws)
        assert masked.draws[-1].runs == masked.runs
        fates.update(masked.fates)
        by = dict(zip(masked.hidden.tolist(), masked.fates, strict=True))
        mixed += any(len({by[i] for i in range(run.start, run.end + 1)}) > 1 for run in masked.runs)
        touching += any(len(run) > 1 for run in masked.runs)
    share = {fate: count / sum(fates.values()) for fate, count in fates.items()}
    assert share == pytest.approx({"mask": 0.8, "random": 0.1, "keep": 0.1}, abs=0.02)
    assert mixed and touching


def test_pairs_name_the_observed_neighbours_and_count_from_one():
    masked = hide(np.arange(12), [Span(2, 4), Span(8, 8)], MASK)
    pairs = masked.pairs()
    assert pairs.at.tolist() == [2, 3, 4, 8]
    assert pairs.left.tolist() == [1, 1, 1, 7]
    assert pairs.right.tolist() == [5, 5, 5, 9]
    assert pairs.k.tolist() == [1, 2, 3, 1]


def test_runs_at_an_edge_and_pieces_beyond_the_table_have_no_pair_and_say_so():
    masked = hide(np.arange(40), [Span(0, 1), Span(5, 30), Span(38, 39)], MASK)
    pairs = masked.pairs()
    assert pairs.at.tolist() == list(range(5, 25)) and pairs.k.max() == POSITIONS == 20
    assert "first piece" in (masked.why_no_sbo(1) or "")
    assert "last piece" in (masked.why_no_sbo(38) or "")
    assert masked.why_no_sbo(24) is None and "piece 21 of its run" in (masked.why_no_sbo(25) or "")
    assert len(hide(np.arange(3), [Span(0, 2)], MASK).pairs()) == 0
    with pytest.raises(BadInput, match="piece 3 is not hidden"):
        masked.why_no_sbo(3)


def test_hand_drawn_spans_merge_and_are_all_masked():
    masked = hide(np.arange(10), [Span(5, 6), Span(3, 4), Span(8, 8)], MASK)
    assert masked.runs == (Span(3, 6), Span(8, 8)) and masked.fates == ("mask",) * 5
    assert masked.input_ids.tolist() == [0, 1, 2, 1, 1, 1, 1, 7, 1, 9]
    for wrong in ([], [Span(9, 10)]):
        with pytest.raises(BadInput, match="10 pieces"):
            hide(np.arange(10), wrong, MASK)


def test_an_observed_piece_can_be_changed_and_a_hidden_one_cannot():
    masked = hide(np.arange(6), [Span(2, 3)], MASK)
    other = changed(masked, 4, 99)
    assert other.input_ids.tolist() == [0, 1, 1, 1, 99, 5]
    assert other.true_ids[4] == 99
    assert masked.true_ids[4] == 4
    for at in (2, 6, -1):
        with pytest.raises(BadInput, match="only an observed piece"):
            changed(masked, at, 99)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("mask_ratio", value) for value in (0, 1.1)],
        *[("geometric_p", value) for value in (0, 1)],
        *[("span_lower", value) for value in (0, 11)],
        *[("span_upper", value) for value in (101, 3_000_000_000)],
    ],
)
def test_options_that_mean_nothing_are_refused(name, value):
    with pytest.raises(BadInput, match=r"mask_ratio|geometric_p|span_lower"):
        MaskOptions(**{name: value})


def test_everything_can_be_hidden():
    masked, _ = drawn(1, 30, MaskOptions(mask_ratio=1.0))
    assert masked.runs == (Span(0, 29),) and len(masked.pairs()) == 0
