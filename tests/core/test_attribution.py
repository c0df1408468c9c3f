"""Targets, words, completeness and leave one out against values worked out apart; attention; the
best span explained, by its own reader; the package's names load when asked.
"""

import subprocess
import sys
from collections import defaultdict
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

import qa_demo
from qa_demo import explain, predict
from qa_demo.core import attribution
from qa_demo.core.attention import TokenAttention, spread_head
from qa_demo.core.attribution import Attribution, Target, TargetKind, seed_of, sets_to_hide
from qa_demo.core.base import BadInput
from qa_demo.core.text import Word, Words, special_positions, whitespace_ids, words
from qa_demo.core.types import Span
from tests.core.toys import random_reading, t1, unowned
from tests.fakes import FakeReader

QUESTION, CONTEXT = "Who met Ingeborgsen?", "In 1998 Ingeborgsen-Hansen met  Ada."
READER = FakeReader()
READ = READER.read(QUESTION, CONTEXT)
"""Words of several pieces, with marks; one window."""


def test_each_target_is_the_sum_it_is_named_after_and_a_gap_its_share_of_the_change():
    reading = t1()
    window = reading.windows[0]  # tokens 0-3 at positions 3-6
    s, e = (row.astype(float) for row in reading.logits(0))
    span, other = Span(0, 1), Span(1, 3)
    expected = {
        "start_logit": s[3],
        "end_logit": e[4],
        "span_score": s[3] + e[4],
        "span_minus_null": s[3] + e[4] - s[0] - e[0],
        "span_minus_other": s[3] + e[4] - s[4] - e[6],
    }
    assert set(expected) == set(get_args(TargetKind))
    for kind, value in expected.items():
        target = Target(kind, span, other if kind == "span_minus_other" else None)
        assert attribution.value_of(target, window, s, e) == pytest.approx(value)
    shared = attribution.weights_of(Target("span_minus_other", Span(0, 1), Span(0, 2)), window)
    assert not shared[0].any() and shared[1].any()
    target, values = Target("span_score", Span(0, 1)), np.array([1.25, 1.7])
    made = Attribution(target, "integrated_gradients", 0, values, f_x=5.0, f_baseline=2.0)
    assert made.sum == pytest.approx(2.95) and made.gap == pytest.approx(-0.05)
    assert made.gap_share == pytest.approx(0.05 / 3) and made.complete is True
    assert not replace(made, f_baseline=2.2).complete
    without = Attribution(target, "gradient_x_input", 0, values, f_x=5.0)
    assert without.gap is without.gap_share is without.complete is None
    shares = [attribution.gap_share(*both) for both in ((0.0, 0.0), (0.1, 0.0), (-1.0, 4.0))]
    assert shares == [0.0, float("inf"), 0.25]


@pytest.mark.parametrize(
    ("kind", "spans", "window", "found"),
    [
        ("span_score", [Span(2, 4)], None, 1),  # its owner does not hold the end
        ("span_score", [Span(2, 3)], 1, 1),
        ("span_minus_other", [Span(2, 2), Span(5, 5)], None, 1),
        ("span_score", [Span(1, 4)], None, "no window holds the span whole"),
        ("span_minus_other", [Span(0, 0), Span(5, 5)], None, "no window holds both spans whole"),
        ("span_score", [Span(0, 6)], None, "ends at token 6, the paragraph has 6 tokens"),
        ("span_minus_other", [Span(0, 1), Span(4, 8)], None, "ends at token 8, the paragraph"),
        ("span_minus_other", [Span(0, 1)], None, "span_minus_other needs a second span"),
        ("span_score", [Span(0, 1), Span(1, 2)], None, "got kind span_score with one"),
    ],
)
def test_the_window_of_a_target_or_why_there_is_none(kind, spans, window, found):
    """Windows hold tokens 0-3 and 2-5; tokens 0-2 are owned by window 0."""
    if isinstance(found, int):
        assert attribution.window_of(t1(), Target(kind, *spans, window=window)).index == found
        return
    with pytest.raises(BadInput, match=found):
        attribution.window_of(t1(), Target(kind, *spans, window=window))


def test_words_of_a_window_keep_their_pieces_together():
    signs = whitespace_ids("你好 world\u4dc0 \U00020000\uf900", np.arange(12)[:, None])
    assert signs.tolist() == [0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 4], "a Chinese sign is a word"
    window = READ.windows[0]
    found = words(READ.encoding, window)
    assert [w.text for w in found.items] == [*QUESTION.split(), *CONTEXT.split()]
    assert [w.side for w in found.items] == ["question"] * 3 + ["context"] * 5
    joined = defaultdict(str)
    for token, word in zip(READ.tokens(0), found.of, strict=True):
        joined[int(word)] += token.lstrip("#")
    assert joined.pop(-1) == "[CLS][SEP][SEP]"
    assert list(joined.values()) == [w.text for w in found.items]
    for word in found.items:
        source = QUESTION if word.side == "question" else CONTEXT
        assert source[word.char_start : word.char_end] == word.text
    assert special_positions(READ.encoding, window).tolist() == (found.of < 0).tolist()
    values = np.arange(len(window), dtype=float)
    assert found.sums(values).tolist() == [values[found.of == k].sum() for k in range(len(found))]


@pytest.mark.parametrize("kind", ["start_logit", "end_logit", "span_score", "span_minus_null"])
def test_leave_one_out_measures_each_word_at_the_same_positions(kind):
    """Of a reader whose logits fall by a fixed amount a masked position: all effects are known."""
    window, target = READ.windows[0], Target(kind, Span(2, 4))
    both, lanes = READ.logits(0), attribution.weights_of(target, window)
    effect = np.random.default_rng(0).normal(size=(2, len(window), len(window)))

    def masked(_, masks: np.ndarray) -> list[np.ndarray]:
        return [logits - masks @ lost for logits, lost in zip(both, effect, strict=True)]

    found, units = attribution.leave_one_out(READ, target, masked), words(READ.encoding, window)
    for k, value in enumerate(units.sums(found.values)):
        wanted = sum((units.of == k) @ effect[side] @ lanes[side] for side in (0, 1))
        assert value == pytest.approx(wanted, abs=1e-5)
    assert not found.values[units.of < 0].any() and found.gap is None
    assert found.f_x == pytest.approx(attribution.value_of(target, window, *both))


def test_random_sets_follow_from_the_text():
    readings = [random_reading(3, n, n, 4) for n in (30, 31, 30)]
    free, values = tuple(range(2, 20)), 1.0 + (np.arange(30) == 9)  # of equals the first
    each = (Word("", "question" if k < 8 else "context", 0, 0) for k in range(30))
    units = Words(tuple(each), np.arange(30))
    sets = [sets_to_hide(values, units, free, seed_of(one, one.windows[0])) for one in readings]
    assert sets[0] == sets[2] != sets[1] and sets[0][0] == (9, 2, 3)
    assert all(sum(k < 8 for k in each) == 2 and len({*each}) == 3 for each in sets[0])
    alone = (2, 3, 4, *range(8, 20))  # one other of the question is too few to draw two
    assert sets_to_hide(values, units, alone, 0) == [(9, 2, 3)]


def test_what_one_row_holds_by_hand_and_the_first_head_spreads_and_asks_most():
    reading = t1()  # 0 [CLS], 1 question, 2 [SEP], 3-6 context, 7 [SEP]
    rows = np.random.default_rng(3).dirichlet(np.ones(8), size=(2, 3)).astype(np.float32)
    att = TokenAttention(rows, reading.encoding, reading.windows[0], 2, 9)
    assert (att.layer, att.head) == (2, 3), "one too large is the last"
    row = rows[1, 2].astype(float)
    np.testing.assert_allclose(att.on_question, rows[:, :, 1])
    wanted = [row[0], row[1], row[3:7].sum(), row[2] + row[7]]
    assert list(att.sums.values()) == pytest.approx(wanted, abs=1e-6)
    rows = np.full((1, 3, 4), 0.25)
    rows[0, 1] = [0.9, 0.1, 0, 0]
    assert spread_head(rows, np.array([[0.1, 0.9, 0.2]])) == (1, 3)
    assert spread_head(rows + 0.3, np.array([[0.1, 0.9, 0.2]])) == (1, 2), "where none spreads"


def test_the_best_span_is_explained_unless_another_is_named():
    best = predict(READ).best.candidate
    found = explain(READER, READ)
    assert (found.target.kind, found.target.span) == ("span_score", best.span)
    assert found.window == best.window and found.method == "integrated_gradients"
    other = explain(READER, READ, "leave_one_out", Span(0, 1))
    assert (other.target.span, other.method) == (Span(0, 1), "leave_one_out")
    with pytest.raises(BadInput, match="none to explain"):
        explain(READER, unowned(READ))


def test_other_weights_are_refused_in_one_sentence():
    """The name stands for weights without a checksum."""
    weights = [("abc", "other"), ("abd", "a"), ("", "b"), ("abc", "toy"), ("", "toy"), ("", "c")]
    readers = [SimpleNamespace(checksum=checksum, name=name) for checksum, name in weights]
    for made, own in (("abc", [0, 3]), ("", [4])):
        for k, reader in enumerate(readers):
            said = f"made by other weights than those of the reader in use, {reader.name}; read the"
            with nullcontext() if k in own else pytest.raises(BadInput, match=said):
                attribution.check_made_by(replace(READ, model_name="toy", checksum=made), reader)


def test_the_package_names_seven_things_and_imports_none_of_them_at_once():
    names = {"load_reader", "predict", "explain", "evaluate", "plot", "report", "call"}
    assert set(dir(qa_demo)) == {"__version__", *names}
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = qa_demo.nothing
    seen = "import sys, qa_demo; print({'torch', 'numpy', 'gradio'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
