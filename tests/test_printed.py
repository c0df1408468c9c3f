"""Words of a user as they are printed: letters stay whole, neighbours in their order."""

import numpy as np
import pytest

from qa_demo import printed
from qa_demo.printed import apart, ends, fine, number, parts, quote, room, say, value

FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "most", "printed"),
    [
        ("Danish architect Georg Rotne", 20, "“Danish … Rotne”"),
        ("short enough", 12, "“short enough”"),
        ("engineers and politicians", 20, "“engineers …”"),
        ("Copenhagen and Malmö since Rotne", 20, "“Copenhagen … Rotne”"),
        ("厄勒海峡大桥于2000年开通", 12, "“厄勒海 … 年开通”"),
        ("e\u0301" * 9, 6, "“e\u0301e\u0301e\u0301 … e\u0301e\u0301e\u0301”"),
        (FAMILY * 3, 12, f"“{FAMILY} … {FAMILY}”"),
        ("جورج 2000", 20, "“\u2068جورج 2000\u2069”"),
        ("\u202eAda", 20, "“\u2068\u202eAda\u2069”"),
    ],
)
def test_a_quote_keeps_letters_whole_and_its_neighbours_in_order(text, most, printed):
    assert quote(text, most) == printed


def test_the_room_of_a_text_is_that_of_its_letters():
    assert [room(t) for t in ("", "Ada", "大桥", "e\u0301", FAMILY)] == [0, 3, 4, 1, 6]
    assert ends("abcdef", 2) == ("ab", "ef") and ends("大桥a", 1) == ("", "a")


@pytest.mark.parametrize("p", [0.9631, 0.0571, 2.90193e-6, 4.4e-8])
def test_a_probability_has_the_digits_that_its_printed_log_needs(p):
    assert number(-np.log(value(fine(np.log(p)))), 3) == number(-np.log(p), 3)


def test_what_misses_by_a_last_digit_is_told_and_a_zero_has_no_sign_but_as_an_addend():
    assert [apart(11.39, x) for x in (11.39, 12, 11.392, 11.39004)] == [2, 2, 3, 5]
    means = [printed.mean("2.403", "3.306", x) for x in ("2.854", "2.855")]  # 2.8545, a tie
    assert means == [" ≈ 2.854", " = 2.855"]
    given = ((), 0.15, "0.16"), ((), -0.149, "−0.15"), (("<0.001",), 0.001, "0.001")
    assert [printed.cell(*one) for one in given] == ["≈0.16", "−0.15", "≈0.001"]
    assert [*map(printed.signed, (0.5, -0.5, -0.004))] == ["+0.50", "−0.50", "0.00"]
    assert [*map(printed.plus, (0.5, -0.5, -0.004))] == [" + 0.50", " − 0.50", " + 0.00"]
    assert parts(say("{}", say("{}{}", "one ", "two"))) == [["one ", ""], ["two", ""]]
