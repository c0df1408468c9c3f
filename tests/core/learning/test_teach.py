"""Real steps on both heads over frozen states: torch as oracle, what start and end cannot learn."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.bio import decode_reading
from qa_demo.core.learning.losses import marked
from qa_demo.core.learning.teach import (
    Course,
    Lesson,
    Taught,
    apart,
    begin,
    lesson,
    logits,
    losses,
    read_with,
    slopes,
    take,
)
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.heads import HeadWeights
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading, Span
from tests.core.toys import make_reading

N, D = 9, 12
BOTH = (Span(1, 1), Span(5, 6))
DECODE = DecodeOptions()


def text(seed: int = 0) -> tuple[Reading, np.ndarray, HeadWeights]:
    """One window of nine words, states whose rows are independent, heads near zero."""
    rng = np.random.default_rng(seed)
    reading = make_reading(
        [f"w{k}" for k in range(N)],
        [(0, N)],
        [np.zeros(N + 4)],
        [np.zeros(N + 4)],
        [np.zeros((N + 4, 3))],
    )
    heads = HeadWeights(
        *(rng.normal(size=D + 4) * 0.1 for _ in range(2)),
        0.3,
        -0.2,
        rng.normal(size=(3, D + 4)) * 0.1,
        np.zeros(3),
    )
    return reading, rng.normal(size=(N + 4, D + 4)), heads


def run(golds, steps: int, loss: str = "soft", seed: int = 0) -> tuple[Reading, Lesson, Taught]:
    reading, states, heads = text(seed)
    of = lesson(reading, 0, golds, states, DECODE)
    taught = begin(of, heads)
    for _ in range(steps // 20):
        taught = take(of, taught, Course(20, 0.3, loss))
    return read_with(reading, taught.heads, [states]), of, taught


def test_one_annotator_s_two_spans_become_half_a_start_each_and_two_tagged_spans() -> None:
    reading, states, _ = text()
    of = lesson(reading, 0, [BOTH], states, DECODE)
    w = reading.windows[0]
    assert [of.start[w.to_pos(k)] for k in (1, 5)] == [0.5, 0.5]
    assert [of.end[w.to_pos(k)] for k in (1, 6)] == [0.5, 0.5]
    assert "".join("BIO"[int(t)] for t in of.tags[of.labelled].argmax(axis=1)) == "OBOOOBIOO"
    three = lesson(reading, 0, [BOTH, Span(1, 1), None], states, DECODE)
    assert three.start[w.to_pos(1)] == pytest.approx(0.5)
    assert three.start[w.to_pos(5)] == pytest.approx(1 / 6)
    assert three.start[w.cls_at] == pytest.approx(1 / 3)
    assert three.tags[w.to_pos(1)].tolist() == pytest.approx([2 / 3, 0, 1 / 3])


def test_a_span_too_long_for_a_legal_pair_has_no_share_to_raise() -> None:
    reading, states, heads = text()
    of = lesson(reading, 0, [Span(2, 5)], states, DecodeOptions(max_answer_length=3))
    with pytest.raises(
        BadInput,
        match=r"a marked span has 4 word pieces, legal pairs have at most 3 \(max_answer_length\)",
    ):
        take(of, begin(of, heads), Course(1, 0.1, "legal pairs, each"))
    assert take(of, begin(of, heads), Course(1, 0.1, "soft")).steps == 1
    fits = lesson(reading, 0, [Span(2, 5)], states, DecodeOptions(max_answer_length=4))
    assert take(fits, begin(fits, heads), Course(1, 0.1, "legal pairs, each")).steps == 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["soft", "legal pairs, each"]))
def test_the_slopes_are_torch_s(seed: int, loss: str) -> None:
    reading, states, heads = text(seed)
    of = lesson(reading, 0, [BOTH, Span(5, 6), None], states, DECODE)
    S, E, W = (
        torch.tensor(np.append(x, y, axis=-1), dtype=torch.float64, requires_grad=True)
        for x, y in (
            (heads.S.astype(float), [heads.b_S]),
            (heads.E.astype(float), [heads.b_E]),
            (heads.W.astype(float), heads.b[:, None]),
        )
    )
    h = torch.tensor(np.append(states, np.ones((len(states), 1)), axis=1))
    s, e, tags = h @ S, h @ E, h @ W.T
    if loss == "soft":
        cost = (
            sum(
                torch.nn.functional.cross_entropy(x, torch.tensor(t))
                for x, t in ((s, of.start), (e, of.end))
            )
            / 2
        )
        assert float(cost.detach()) == pytest.approx(losses(of, heads)[1])
    else:
        pairs = (s[:, None] + e)[of.legal[0], of.legal[1]]
        cost = torch.logsumexp(pairs, 0) - (s[of.gold[0]] + e[of.gold[1]]).mean()
    tagged = torch.nn.functional.cross_entropy(
        tags[of.labelled], torch.tensor(of.tags[of.labelled])
    )
    assert float(tagged.detach()) == pytest.approx(losses(of, heads)[0])
    (cost + tagged).backward()
    for mine, theirs in zip(slopes(of, heads, loss), (S, E, W), strict=True):
        np.testing.assert_allclose(mine, theirs.grad.numpy(), atol=1e-7)


def test_tags_learn_both_answers_while_soft_targets_leave_three_pairs_level() -> None:
    after, of, taught = run([BOTH], 400)
    assert [x.span for x in decode_reading(after)] == list(BOTH)
    s, e = after.logits(0)
    i, j = of.gold
    first, second, glued = s[i[0]] + e[j[0]], s[i[1]] + e[j[1]], s[i[0]] + e[j[1]]
    assert max(first, second, glued) - min(first, second, glued) < 0.3
    assert taught.span_losses[-1] == pytest.approx(np.log(2), abs=0.02), (
        "soft targets cost their entropy at least"
    )
    assert taught.tag_losses[-1] < 0.02
    assert predict(after, DECODE).best.candidate.span in (*BOTH, Span(1, 6)), (
        "one span, whatever was learned"
    )


def test_a_loss_over_legal_pairs_pushes_the_glue_below_both() -> None:
    after, of, _ = run([BOTH], 400, "legal pairs, each")
    s, e = after.logits(0)
    i, j = of.gold
    assert s[i[0]] + e[j[1]] < min(s[i[0]] + e[j[0]], s[i[1]] + e[j[1]]) - 0.5


def test_one_span_an_annotator_teaches_the_tags_to_leave_the_rarer_answer_out() -> None:
    after, of, _ = run([Span(1, 1), Span(1, 1), Span(5, 6)], 400)
    assert [x.span for x in decode_reading(after)] == [Span(1, 1)]
    assert of.tags[of.gold[0][1]].tolist() == pytest.approx([1 / 3, 0, 2 / 3])


def test_steps_begin_at_the_heads_given_and_leave_them_alone() -> None:
    reading, states, heads = text()
    of = lesson(reading, 0, [BOTH], states, DECODE)
    before = heads.S.copy()
    first = begin(of, heads)
    assert first.steps == 0
    split = take(of, take(of, first, Course(1, 0.1)), Course(5, 0.1))
    assert split.steps == 6 and len(split.span_losses) == 7
    assert np.array_equal(heads.S, before)
    np.testing.assert_allclose(logits(first.heads, states)[0], states @ heads.S + heads.b_S)
    bare = begin(of, replace(heads, W=None, b=None))
    assert bare.tag_losses[0] == pytest.approx(np.log(3))


def test_what_cannot_be_taught_is_refused() -> None:
    reading, states, heads = text()
    with pytest.raises(BadInput, match="may not overlap, got 1 to 3 and 3 to 4"):
        marked((Span(3, 4), Span(1, 3)))
    with pytest.raises(BadInput, match="none of the marked spans"):
        lesson(reading, 0, [None], states, DECODE)
    for wrong, words in (
        ({"steps": 3}, "1, 5, 20, got 3"),
        ({"rate": 5}, "0.03, 0.1, 0.3, got 5"),
        ({"loss": "all pairs"}, "soft"),
    ):
        with pytest.raises(BadInput, match=words):
            Course(**wrong)
    of = lesson(reading, 0, [BOTH], states * 1e200, DECODE)
    with pytest.raises(BadInput, match="no longer a finite number"), np.errstate(all="ignore"):
        take(of, begin(of, heads), Course(1, 0.3))


def test_marks_that_stand_apart() -> None:
    assert apart([(Span(5, 6), Span(1, 1)), Span(1, 2), None]) == (Span(1, 1), Span(5, 6))
    assert apart([None]) == ()
