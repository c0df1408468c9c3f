"""The bench of a few tokens: a typed row is a reading whose numbers are those of core."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.arrays import softmax
from qa_demo.core.course.bench import FEWEST, MOST, Bench
from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reader import check_not_typed
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.windows import plan

WORDS = ("one", "two", "three")
START, END = ((0.0, 1.0, 2.0, 6.0),), ((0.0, 5.0, 2.0, 1.0),)


def test_three_tokens_by_hand() -> None:
    reading = Bench(WORDS, START, END).reading()
    best = predict(reading).best
    assert best is not None and (best.candidate.text, best.candidate.score) == ("three", 7.0)
    assert reading.tokens(0) == ("[CLS]", *WORDS)
    assert [reading.encoding.context[a:b] for a, b in reading.encoding.offset_mapping] == [*WORDS]


@pytest.mark.parametrize("of", [10, 10_000])
@pytest.mark.parametrize(
    "rule", [MergeOptions(), MergeOptions("all", "window_product", "min_product")]
)
@given(a=st.integers(0, 50), b=st.integers(0, 50), less=st.integers(0, 50))
def test_decimals_tie_as_they_do_on_paper(
    of: int, rule: MergeOptions, a: int, b: int, less: int
) -> None:
    """[CLS] and the first two tokens have the same sum in another split: 0.1 + 0.2 and 0.3 + 0."""
    c = a + b - less
    start = tuple(x / of for x in (a, c, a, -90 * of))
    end = tuple(x / of for x in (b, less, b, -90 * of))
    bench = Bench(WORDS, (start,), (end,))
    one = predict(bench.reading(), DecodeOptions(max_answer_length=1), rule)
    assert one.answer == "one" and one.score_diff == 0.0
    assert [r.candidate.text for r in one.n_best][:2] == ["one", "two"]


def test_a_typed_reading_says_so_and_differs_with_every_number() -> None:
    one, other = (Bench(WORDS, START, END).reading(), Bench(WORDS, END, START).reading())
    assert one.typed and one.key != other.key
    with pytest.raises(BadInput, match="typed by hand"):
        check_not_typed(one)


numbers = st.floats(-50, 50).map(lambda x: round(x, 3))


@st.composite
def benches(draw: st.DrawFn) -> Bench:
    n = draw(st.integers(FEWEST, MOST))
    step = draw(st.one_of(st.none(), st.integers(1, n // 2)))
    size, rows = 1 + n - (step or 0), 1 if step is None else 2
    row = st.tuples(*[numbers] * size)
    start, end = (tuple(draw(row) for _ in range(rows)) for _ in range(2))
    tags = draw(st.one_of(st.none(), st.tuples(*[st.tuples(*[numbers] * 3)] * n)))
    return Bench(tuple(f"w{k}" for k in range(n)), start, end, tags, (), step)


@given(benches())
def test_windows_are_the_plans_and_probabilities_are_the_softmax(bench: Bench) -> None:
    reading = bench.reading()
    n, places = len(bench.tokens), bench.places
    layout = plan(n, places[0].stop, bench.step or n)
    planned = zip(layout.starts, layout.stops, strict=True)
    assert [(p.start, p.stop) for p in places] == list(planned)
    for w in range(len(places)):
        for typed, logits in zip((bench.start, bench.end), reading.logits(w), strict=True):
            z = np.exp(np.array(typed[w]) - max(typed[w]))
            np.testing.assert_allclose(softmax(logits), z / z.sum(), atol=1e-5)


@given(benches(), st.integers(FEWEST, MOST), st.booleans())
def test_another_shape_keeps_what_stands_at_its_place(bench: Bench, n: int, tagged: bool) -> None:
    new = bench.reshaped(n, bench.step, tagged)
    new.reading()
    assert len(new.tokens) == n and (new.tags is not None) == tagged
    assert new.tokens[: min(n, len(bench.tokens))] == bench.tokens[:n]
    assert new.start[0][0] == bench.start[0][0], "[CLS] stays"
    if n == len(bench.tokens):
        assert (new.start, new.end, new.step) == (bench.start, bench.end, bench.step)


def test_a_second_window_copies_the_first() -> None:
    new = Bench(WORDS, START, END).reshaped(3, 1, False)
    assert new.start == ((0.0, 1.0, 2.0), (0.0, 2.0, 6.0))
    assert new.reshaped(3, None, False).start == START


def test_probabilities_and_logits_give_one_softmax() -> None:
    p = ((0.1, 0.2, 0.5, 0.2),)
    typed = Bench(WORDS, p, p, typed="probabilities")
    back = typed.read_as("logits")
    for bench in (typed, back, back.read_as("probabilities")):
        np.testing.assert_allclose(softmax(bench.reading().logits(0)[0]), p[0], atol=2e-4)
    zero = Bench(WORDS, ((0.0, 0.0, 1.0, 0.0),), p, typed="probabilities").reading()
    assert np.isfinite(zero.logits(0)[0]).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": ("a", "b")}, "3 to 6 tokens, got 2"),
        *[({"tokens": ("a", "b", third)}, "token 3 must be one word") for third in ("c d", "")],
        ({"start": ((0.0, 1.0),)}, "rows of 4, got 2"),
        ({"end": ((0.0, 1.0, 2.0, math.nan),)}, "between -100 and 100, got nan"),
        ({"start": ((0.0, 1.0, 2.0, 101.0),)}, "between -100 and 100, got 101"),
        ({"typed": "probabilities"}, "between 0 and 1, got 2"),
        ({"typed": "probabilities", "start": ((0.5, 0.1, 0.1, 0.1),)}, "add up to 0.8"),
        ({"golds": ((2, 1),)}, "between 1 and 3, the first one first, got 3 to 2"),
        ({"golds": ((0, 3),)}, "between 1 and 3"),
        ({"golds": (None,) * 6}, "5 annotators, got 6"),
        ({"step": 2}, "begins at token 2 to 2, got 3"),
        ({"tags": ((0.0, 0.0, 0.0),)}, "rows of 3, 3, 3, got 3"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Bench(**{"tokens": WORDS, "start": START, "end": END, **change})
