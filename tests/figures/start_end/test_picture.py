"""Chapter 3 as data: sentences, formula, table and bars against arithmetic by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.options import DecodeOptions
from qa_demo.figures.distributions import distributions, holders
from qa_demo.figures.start_end.bars import bar_figure, label
from qa_demo.figures.start_end.notice import notice, pair_sentence, shape
from qa_demo.figures.start_end.picture import (
    best_spans,
    quotients,
    start_end_picture,
    sum_of_exps,
    token_table,
)
from tests.core.toys import make_reading, one_window, t1
from tests.fakes import FakeReader
from tests.printed import unpacked, value

DECODE = DecodeOptions()


def test_temperature_divides_logits_and_a_constant_changes_nothing() -> None:
    cold, hot = distributions(t1(), 0, 0.5)[0], distributions(t1(), 0, 4.0)[0]
    assert cold.max() > distributions(t1(), 0)[0].max() > hot.max()
    z = sum(math.exp(x / 4) for x in [1, 9, 0, 2, 3, -1, 0.5, 0])
    assert hot[4] == pytest.approx(math.exp(3 / 4) / z)
    moved = replace(t1(), start_logits=t1().start_logits + 7)
    np.testing.assert_allclose(distributions(moved, 0)[0], distributions(t1(), 0)[0], atol=1e-6)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([0.5, 0.04, 0.46], (2, 0.96)),
        ([0.95, 0.05], (1, 0.95)),
        ([1.0], (1, 1.0)),
        ([0.25] * 4, (4, 1.0)),
    ],
)
def test_holders_counts_the_fewest_tokens(p: list[float], expected: tuple[int, float]) -> None:
    assert holders(np.array(p)) == (expected[0], pytest.approx(expected[1]))


def test_shape_has_three_words() -> None:
    assert shape(np.array([0.97, 0.01, 0.01, 0.01])) == "sharp"
    assert shape(np.full(40, 1 / 40)) == "flat"
    assert shape(np.array([0.1] * 10 + [0.0] * 30)) == "spread"


@pytest.mark.parametrize("temperature", [1.0, 0.5, 3.0])
def test_the_printed_quotient_comes_out_as_printed(temperature: float) -> None:
    rng = np.random.default_rng(0)
    approximate = 0
    for _ in range(300):
        logits = rng.normal(0, 4, 50).astype(np.float32).astype(float)
        log_z = math.log(sum(math.exp(x / temperature) for x in logits))
        ((shown, z, sign, p),) = quotients([(logits[0], log_z)], temperature)
        approximate += sign == "≈"
        if sign == "=":
            mantissa, _, power = z.partition(" · 10^")
            printed_z = value(mantissa) * 10 ** value(power or "0")
            printed = math.exp(value(shown) / temperature) / printed_z
            assert f"{printed:.{len(p) - 2}f}" == p
        exact = math.exp(logits[0] / temperature - log_z)
        if p[0] not in "<>":
            assert float(p) == pytest.approx(exact, abs=5.1 * 10 ** (1 - len(p)))
    assert approximate < 15


def test_the_quotient_of_the_docstring() -> None:
    example = (2.0, math.log(math.e**2 + math.e + 1))
    assert quotients([example]) == [("2.00", "11.11", "=", "0.67")]
    bounds = quotients([(-9.0, 5.0), (9.0, 9.0001)])
    assert [one[2:] for one in bounds] == [("", "< 0.001"), ("", "> 0.999")]


def test_both_quotients_have_equal_decimals() -> None:
    """One that needs three decimals to come out gives three to the other as well."""
    rng = np.random.default_rng(1)
    apart = 0
    for _ in range(200):
        sides = []
        for _ in range(2):
            logits = rng.normal(0, 4, 30)
            sides.append((float(logits.max()), math.log(sum(math.exp(x) for x in logits))))
        alone = [quotients([side])[0][0] for side in sides]
        both = [one[0] for one in quotients(sides)]
        decimals = {len(shown.split(".")[1]) for shown in both}
        assert len(decimals) == 1
        assert decimals.pop() >= max(len(shown.split(".")[1]) for shown in alone)
        apart += len({len(shown.split(".")[1]) for shown in alone}) > 1
    assert apart > 10


@pytest.mark.parametrize(
    ("log_z", "digits", "text"),
    [
        (math.log(312.876), 4, "312.9"),
        (math.log(0.01234), 3, "0.0123"),
        (20 * math.log(10), 3, "1.00 · 10^20"),
        (900 * math.log(10), 2, "1.0 · 10^900"),
        (math.log(9.999e7), 3, "1.00 · 10^8"),
    ],
)
def test_sums_of_exponentials_never_overflow(log_z: float, digits: int, text: str) -> None:
    printed, log_printed = sum_of_exps(log_z, digits)
    assert printed == text
    assert log_printed == pytest.approx(log_z, rel=0.05, abs=0.02)


def test_a_pair_that_is_too_long_says_by_how_much() -> None:
    reading, decode = one_window([5, 0, 0, 0], [0, 0, 0, 5]), DecodeOptions(max_answer_length=2)
    said = pair_sentence(reading, 0, decode, "max_context")
    assert "too long: 4 word pieces, max_answer_length allows 2" in said


def test_a_start_that_another_window_owns_is_named() -> None:
    reading = make_reading(
        ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"],
        [(0, 4), (2, 6)],
        start=[[0] * 8, [0, 0, 0, 6, 0, 1, 0, 0]],
        end=[[0] * 8, [0, 0, 0, 6, 0, 0, 0, 0]],
    )
    assert "another window owns the start" in pair_sentence(reading, 1, DECODE, "max_context")
    assert "form a legal pair" in pair_sentence(reading, 1, DECODE, "all")


def test_the_notice_says_where_and_at_which_temperature() -> None:
    alone = notice(one_window([9, 0, 0, 0], [9, 0, 0, 0]), 0, DECODE, "max_context", 1.0, 0)
    assert alone.startswith("The start is sharp: 1 token holds > 99 %, most on “\u2068Alpha\u2069”")
    assert "temperature" not in alone and "window 1" not in alone
    many = notice(t1(), 0, DECODE, "max_context", 2.0, 1)
    assert many.startswith("In window 1 of 2: the start is")
    assert "which is outside the paragraph" in many, "the question token leads this toy's start"
    assert "The best span of all windows stands in window 2." in many and "temperature 2;" in many


def test_the_table_has_every_position_and_sums_to_one() -> None:
    reading = t1()
    twin = token_table(reading, 1)
    assert twin["head"] == ["position", "token", "start_logit", "P(start)", "end_logit", "P(end)"]
    assert len(twin["rows"]) == len(reading.windows[1])
    assert twin["rows"][0][:2] == ["0", "[CLS]"] and twin["select"][0] is None
    assert twin["rows"][4][:3] == ["4", "Delta", "4.000"] and twin["select"][4] == [1, 3, 3]
    total = sum(float(row[3].replace("< ", "")) for row in twin["rows"])
    assert total == pytest.approx(1, abs=2e-3)


def test_bars_keep_repeated_tokens_apart_and_escape_labels() -> None:
    reading = one_window([1, 2, 3, 4], [4, 3, 2, 1], words="the <s> the $x%{y}")
    figure = bar_figure(reading, 0, 2.0)
    assert [trace.name for trace in figure.data] == ["start", "end"]
    assert list(figure.data[0].x) == list(range(8))
    assert list(figure.layout.xaxis.tickvals) == list(range(8))
    assert figure.layout.xaxis.ticktext[3:7] == ("the", "&lt;s&gt;", "the", "$x%{y}")
    for trace, p in zip(figure.data, distributions(reading, 0, 2.0), strict=True):
        np.testing.assert_allclose(trace.y, p, rtol=1e-6)
        assert "$x" not in trace.hovertemplate and "<s>" not in trace.hovertemplate
    assert figure.data[0].customdata[4][0] == "&lt;s&gt;"
    sent = figure.to_json()
    assert len(sent) < 4000, "the default template alone would add 7 kB"
    assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"


def test_labels_are_never_markup_or_empty() -> None:
    assert label("a<b>&amp;") == "a&lt;b&gt;&amp;amp;"
    assert label("") == "␣" and label("\x00") == "␀"


def test_what_the_picture_carries() -> None:
    reading = FakeReader().read("Who met Anna?", "Constantinople welcomed Anna.")
    shown = replace(reading, start_logits=reading.start_logits + 0)
    hand = {("start", 0, 5): 3.0}
    picture = start_end_picture(reading, shown, 0, DECODE, "max_context", 1.0, hand)
    assert picture["window"] == 0 and picture["question"] == [1, 5]
    assert picture["copies"] == "max_context" and picture["longest"] == DECODE.max_answer_length
    true = float(reading.start_logits[0, 5])
    assert picture["changed"] == [{"side": "start", "window": 0, "pos": 5, "true": true}]
    low, high = picture["range"]
    assert low < np.nanmin(reading.start_logits) and high > np.nanmax(reading.end_logits)
    bits = np.unpackbits(unpacked(picture["joined"], "u1"))[: len(reading.encoding.context_ids)]
    tokens = reading.encoding.context_tokens
    assert [t for t, bit in zip(tokens, bits, strict=True) if bit] == ["##inople"]


def test_the_best_span_of_every_window() -> None:
    assert best_spans(t1(), DECODE, "max_context") == [[1, 1], [3, 4]]
    empty = make_reading(["Alpha", "Beta"], [(0, 2), (0, 2)], [[0] * 6] * 2, [[0] * 6] * 2)
    assert best_spans(empty, DECODE, "max_context")[1] is None, "the second window owns nothing"
    assert "neither does any other pair" in pair_sentence(empty, 1, DECODE, "max_context")
