"""Chapter 7 as data: printed numbers add up, folded runs hide nothing, sentences follow numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from qa_demo.core.learning.bio import DECODINGS
from qa_demo.core.learning.tagging import disagreeing, owned_rows, soft_terms, tagging
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.glued_spans import Glue, glue
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading, Span
from qa_demo.figures.bio import loss as costs
from qa_demo.figures.bio import picture as figure
from qa_demo.figures.bio import spans as marked
from tests.core.toys import make_reading, one_window, random_reading
from tests.printed import added, text_of, unpacked
from tests.requests import readings

DECODE = DecodeOptions()


def reading_of(letters: str, high: float = 6.0) -> Reading:
    """One word for each letter, whose logit is `high`; start and end logits are flat."""
    n = len(letters)
    tags = np.zeros((n + 4, 3))
    for k, letter in enumerate(letters):
        tags[3 + k, "BIO".index(letter)] = high
    return make_reading(
        [f"w{k}" for k in range(n)], [(0, n)], [np.zeros(n + 4)], [np.zeros(n + 4)], [tags]
    )


def test_every_token_s_three_numbers_travel_and_sum_to_one() -> None:
    reading = random_reading(np.random.default_rng(0), 14, 9, 4, tags=True)
    rows, _ = owned_rows(reading)
    data = figure.bars_data(reading, rows, [Span(2, 3)])
    p = unpacked(data["p"]).reshape(-1, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(p, np.exp(rows), atol=1e-6)
    assert data["keep"] == [[2, 3]]


@pytest.mark.parametrize(
    ("p", "said"),
    [
        ([0.9, 0.06, 0.04], "B 0.900 + I 0.060 + O 0.040 = 1"),
        ([0.00004, 0.2, 0.79996], "B < 0.001 + I 0.200 + O 0.800 ≈ 1"),
        ([1 / 3] * 3, "B 0.333 + I 0.333 + O 0.333 ≈ 1"),
    ],
)
def test_a_triple_prints_an_equals_sign_only_when_it_adds_up(p: list[float], said: str) -> None:
    assert figure.tag_sum(np.array(p)) == said


def test_a_token_s_logits_exponentials_and_probabilities() -> None:
    tags = np.zeros((5, 3))
    tags[3] = np.log([6.0, 3.0, 1.0])
    reading = make_reading(["blue"], [(0, 1)], [[0] * 5], [[0] * 5], [tags])
    found = figure.token_data(reading, *owned_rows(reading), 0)
    assert (found["piece"], found["pos"], found["z"]) == ("blue", 3, "10.000")
    assert found["exps"] == ["6.000", "3.000", "1.000"]
    assert found["p"] == ["0.600", "0.300", "0.100"]


def test_the_exponentials_of_every_token_give_the_printed_divisor() -> None:
    for reading in readings().values():
        rows, owner = owned_rows(reading)
        for doc in range(len(rows)):
            found = figure.token_data(reading, rows, owner, doc)
            z = found["z"].removeprefix("≈ ")
            adds = sum(added(x) for x in found["exps"]) == added(z)
            assert adds == (z == found["z"]), found


@pytest.mark.parametrize("seed", range(5))
def test_printed_products_add_up_to_the_printed_logit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = figure.products_data(rng.normal(size=(3, 20)), rng.normal(size=3), rng.normal(size=20))
    assert len(found["dimensions"]) == 8 and found["others"] == 12
    for row in found["rows"]:
        assert sum(map(added, [*row["products"], row["rest"], row["bias"]])) == added(row["logit"])


def test_the_formula_holds_the_loaded_dimensions() -> None:
    text = text_of(figure.bio_formula(np.array([0.7, 0.2, 0.1]), 4, 384))
    assert "W: 3 × 384, h: 384, b: 3" in text and "B 0.700, I 0.200, O 0.100" in text
    assert "W: 3 × 384" not in text_of(figure.bio_formula(None, None, None))


def test_the_table_folds_only_runs_of_certain_outsiders_and_loses_no_token() -> None:
    reading = reading_of("OOOBIOOIO", 9)
    rows, owner = owned_rows(reading)
    shown = figure.open_runs(rows, [Span(0, 0)])
    assert shown.tolist() == [True, False, False, True, True, False, False, True, False]
    found = figure.tag_table(reading, rows, owner, tagging(reading, "viterbi").tags.tolist(), shown)
    assert [r[0] for r in found["rows"]] == ["3", "4 to 5", "6", "7", "8 to 9", "10", "11"]
    assert found["select"][2] == [0, 3, 3] and found["select"][1] is None


def test_the_decodings_are_named_where_they_part() -> None:
    reading = reading_of("OBIOIO", 3)
    found = {name: tagging(reading, name) for name in DECODINGS}
    data = marked.decodings_data(reading, found)
    assert (data["argmax"], data["illegal"]) == ("OBIOIO", [4])
    assert {r["name"]: r["spans"] for r in data["rows"]}["lenient"] == [[1, 2], [4, 4]]
    assert "w4" in data["says"] and "strict 1, lenient 2" in data["says"]
    agree = reading_of("OBIO")
    alike = marked.decodings_data(agree, {name: tagging(agree, name) for name in DECODINGS})
    assert "All three decodings return 1 span" in alike["says"]
    seen = set()
    for seed in range(60):
        parts = random_reading(np.random.default_rng(seed), 9, 5, 3, tags=True)
        told = {name: tagging(parts, name) for name in DECODINGS}
        said, at = marked.decodings_sentence(parts, told), told["strict"].illegal
        if said.startswith("The decodings differ"):
            place = f"“\u2068w{at[0]}\u2069”" if at else "a copy in another window"
            assert f"differ at {place}, where I has no B before it" in said
            seen.add(bool(at))
    assert seen == {True, False}
    table = marked.decodings_table(reading, found)
    assert [r[1] for r in table["rows"]].count("lenient") == 2


def test_the_threshold_keeps_a_beginning_of_the_list() -> None:
    reading = reading_of("OBIOBOO", 2)
    data = marked.threshold_data(reading, DECODE, 0.3)
    marginals = [s["marginal"] for s in data["spans"]]
    assert marginals == sorted(marginals, reverse=True)
    assert {s["text"] for s in data["spans"][:2]} == {"w1 w2", "w4"}
    assert data["says"].startswith("2 spans returned: marginal at least 0.30, no overlap")


def test_spans_that_overlap_a_higher_one_are_listed_and_never_counted() -> None:
    reading = random_reading(np.random.default_rng(3), 8, 8, 8, tags=True)
    data = marked.threshold_data(reading, DECODE, 0.03)
    beaten, free = ([s for s in data["spans"] if s["beaten"] == kind] for kind in (True, False))
    assert beaten and free and len(data["spans"]) <= 12

    def meet(a: dict, b: dict) -> bool:
        return a["start"] <= b["end"] and b["start"] <= a["end"]

    assert all(any(meet(s, o) and o["marginal"] >= s["marginal"] for o in free) for s in beaten)
    assert not any(meet(a, b) for a in free for b in free if a is not b)
    count = sum(s["marginal"] >= 0.03 for s in free)
    assert re.match(f"{count} spans? returned: marginal at least 0.03, no overlap", data["says"])


def test_the_two_heads_are_compared_in_every_case() -> None:
    def said(letters: str, start: int | None, end: int | None) -> str:
        reading = reading_of(letters)
        s, e = np.zeros((2, 1, len(letters) + 4), dtype=np.float32)
        s[0, 0 if start is None else 3 + start], e[0, 0 if end is None else 3 + end] = 9, 9
        reading = replace(reading, start_logits=s, end_logits=e)
        return figure.compare_sentence(predict(reading, DECODE), tagging(reading, "viterbi").spans)

    assert said("OBIO", 1, 2).startswith("Both heads return the same span")
    assert said("OOOO", None, None) == "Both heads find no answer: the tags mark no span."
    assert "the tags mark no span" in said("OOOO", 1, 2) and "differ" in said("OOOO", 1, 2)
    assert "start and end return no answer" in said("OBIO", None, None)
    assert "holds both and what stands between" in said("OBOBO", 1, 3)


def test_the_notice_names_illegal_transitions() -> None:
    reading = reading_of("OOIO", 4)
    rows, _ = owned_rows(reading)
    viterbi, strict = tagging(reading, "viterbi"), tagging(reading, "strict")
    said = figure.notices(predict(reading, DECODE), viterbi, strict, rows)["tags"]
    assert "1 illegal transition" in said


def glued(less: float) -> tuple[Reading, Glue]:
    """Two answers, each with one logit of 4 and one a little lower, and the span over both."""
    start, end = [-3, 4, -3, less], [-3, less, -3, 4]
    reading = one_window(start, end, "a b c d", null=(-3, -3), rest=-3)
    return reading, glue(reading, Span(1, 1), Span(3, 3), DECODE)


def test_unequal_scores_of_the_glue_never_differ_by_nothing() -> None:
    reading, found = glued(3.9996)
    said = marked.glue_data(reading, found, DECODE, [0.5, 0.4, 0.01], ())["says"]
    assert "0.00040 more than" in said


def test_the_glue_s_lead_after_the_steps_is_that_of_the_printed_scores() -> None:
    for less in np.linspace(0.0, 3.9, 14):
        reading, found = glued(float(less))
        for row in marked.glue_data(reading, found, DECODE, [0.5, 0.4, 0.01], ())["losses"]:
            best = max(added(row[key]) for key in ("first", "second"))
            assert added(row["glued"]) - best == added(row["margin"]), row


@pytest.mark.parametrize("sure", [6.0, 9.0, 14.0, 40.0])
def test_no_term_but_zero_is_printed_as_zero(sure: float) -> None:
    """Sure tags cost next to nothing: each term is a number, a bound, or exactly 0."""
    reading = reading_of("OBIOBO", sure)
    rows, _ = owned_rows(reading)
    golds = (Span(1, 2), Span(1, 2), Span(4, 4))
    found, exact = (
        costs.loss_data(reading, rows, golds, "here")["terms"],
        soft_terms(reading, golds),
    )
    one = costs.one_hot_data(reading, rows, Span(1, 2), 0)
    cells = [(r["costs"][k], -rows[r["doc"], k]) for r in one["rows"] for k in range(3)]
    for r in found["rows"]:
        doc, cost = r["doc"], exact.targets[r["doc"]] * -rows[r["doc"]]
        cells += [(c["value"], cost[k]) for k, c in enumerate(r["cells"])]
        cells += [(r["loss"], exact.loss[doc]), (r["floor"], exact.floor[doc])]
    for text, x in cells:
        assert (text == "0") == (x <= 1e-9), (text, x)
        assert text in ("0", "< 0.0001") or float(added(text)) == pytest.approx(x, abs=5.1e-4)
        assert text == "0" or added(text) > 0 or x < 5e-5
    for row in found["rows"]:
        assert (row["sign"] == "") == (row["loss"][0] == "<")
        assert row["sign"] != "=" or sum(added(c["value"]) for c in row["cells"]) == added(
            row["loss"]
        )


def test_products_that_are_small_keep_their_digits() -> None:
    weight = np.array([[1.0, 0.5], [0.0003, -2.0], [0.25, 0.0]])
    found = figure.products_data(weight, np.zeros(3), np.array([1.0, 1.0]))
    at = found["dimensions"].index(0)
    printed = {row["tag"]: row["products"][at] for row in found["rows"]}
    assert printed["I"] == "0.0003" and printed["B"] == "1.0000"


def test_the_glue_s_four_rows_add_up_and_its_loss_is_a_difference() -> None:
    reading, found = glued(3.9)
    data = marked.glue_data(reading, found, DECODE, [0.5, 0.4, 0.01], ())
    rows = {r["key"]: r for r in data["rows"]}
    assert (rows["first"]["score"], rows["glued"]["score"]) == ("7.90", "8.00")
    printed = [row[k] for row in data["rows"] for k in ("s", "e", "score")]
    assert len({len(text.split(".")[1]) for text in printed}) == 1
    for row in data["rows"]:
        assert row["sign"] == "="
        assert added(row["s"]) + added(row["e"]) == added(row["score"])
    assert data["says"].startswith("The glue wins") and "0.10 more" in data["says"]
    verdicts = {x["loss"]: x["verdict"] for x in data["losses"]}
    assert verdicts["soft"] == "level with the glue"
    assert verdicts["legal pairs, each"] == "both answers beat the glue"
    now = marked.loss_now(found)
    assert added(now["legal"]) - added(now["gold"]) == added(now["loss"])


@pytest.mark.parametrize(
    "golds", [(Span(2, 4), Span(2, 3), None), disagreeing(5, 12), (Span(1, 1),) * 3, (None,) * 3]
)
def test_the_terms_add_up_as_printed(golds: tuple[Span | None, ...]) -> None:
    reading = random_reading(np.random.default_rng(3), 12, 12, 12, tags=True)
    rows, _ = owned_rows(reading)
    data = costs.loss_data(reading, rows, golds, "here")
    found = data["terms"]
    column = [added(r["loss"]) for r in found["rows"]] + [added(found["rest"])]
    bounds = any(text[0] == "<" for text in (found["rest"], *(r["loss"] for r in found["rows"])))
    assert bounds or (sum(column) == added(found["total"])) == (found["sign"] == "=")
    assert added(found["floor"]) + added(found["divergence"]) == added(found["total"])
    for row in found["rows"]:
        assert added(row["floor"]) + added(row["divergence"]) == added(row["loss"])
        cells = sum(added(c["value"]) for c in row["cells"])
        assert (cells == added(row["loss"])) == (row["sign"] == "=")
    assert float(added(data["totals"]["mean"])) == pytest.approx(
        soft_terms(reading, golds).total / 12, abs=1e-4
    )
    agreed = "agree on every token" in data["says"] or "marks an answer" in data["says"]
    assert agreed == (len(set(golds)) == 1)
    assert {r["doc"] for r in found["rows"]} >= {
        d for g in golds if g is not None for d in range(g.start, g.end + 1)
    }
    costs.terms_table(found)


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("OBOBO", "return both"),
        ("OBIIO", "glue here too"),
        ("OBOOO", "only the first"),
        ("OOOBO", "only the second"),
        ("OOOOO", "neither"),
    ],
)
def test_what_the_tags_make_of_the_two_answers(letters: str, said: str) -> None:
    reading = reading_of(letters)
    found = glue(reading, Span(1, 1), Span(3, 3), DECODE)
    assert said in marked.tags_sentence(found, tagging(reading, "viterbi").spans)


def test_two_thirds_are_printed_as_counted() -> None:
    assert [costs.fraction(x, 3) for x in (0, 1 / 3, 2 / 3, 1)] == ["0", "1/3", "2/3", "1"]
    reading = random_reading(np.random.default_rng(3), 6, 6, 6, tags=True)
    data = costs.loss_data(reading, owned_rows(reading)[0], disagreeing(2, 6), "preset")
    row = next(r for r in data["terms"]["rows"] if r["doc"] == 2)
    assert [c["t"] for c in row["cells"]] == ["2/3", "0", "1/3"]
    assert [a["letters"][2] for a in data["annotators"]] == ["B", "B", "O"]


def test_the_double_sum_collapses_to_one_term_a_token() -> None:
    reading = random_reading(np.random.default_rng(3), 12, 12, 12, tags=True)
    rows, _ = owned_rows(reading)
    data = costs.one_hot_data(reading, rows, Span(2, 4), 1)
    gold = {r["doc"]: r["gold"] for r in data["rows"]}
    assert [gold[d] for d in (2, 3, 4)] == [0, 1, 1]
    column = [added(r["costs"][r["gold"]]) for r in data["rows"]] + [added(data["rest"])]
    assert sum(column) == added(data["loss"]) == -added(data["likelihood"])
    tags = np.full(12, 2)
    tags[2:5] = [0, 1, 1]
    assert float(added(data["loss"])) == pytest.approx(-rows[np.arange(12), tags].sum(), abs=1e-3)
    assert "36 terms" in data["stages"][0]["says"]
    assert "24 terms had t = 0" in data["stages"][1]["says"]


@pytest.mark.parametrize(
    ("log_p", "printed"), [(np.log(0.25), "0.250"), (np.log(3.4e-7), "3.4 · 10^−7")]
)
def test_a_small_product_is_printed_in_powers_of_ten(log_p: float, printed: str) -> None:
    assert costs.chance(float(log_p)) == printed


def test_a_long_text_lists_few_rows() -> None:
    reading = random_reading(np.random.default_rng(3), 200, 60, 30, tags=True)
    shown = costs.rows_shown(soft_terms(reading, (Span(3, 150),) * 3))
    assert shown == sorted(shown) and len(shown) <= 20
