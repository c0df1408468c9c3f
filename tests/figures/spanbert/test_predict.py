"""Chapter 8, step 2, as data: sums as printed, every blank, sentences that follow."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from qa_demo.core.masking.masked import Masked, changed, hide
from qa_demo.core.types import Span
from qa_demo.figures.numbers import moved, signed
from qa_demo.figures.spanbert import predict as figure
from qa_demo.figures.spanbert import trace as sums
from qa_demo.figures.spanbert.guess_sentences import (
    change_sentences,
    changes,
    notice,
    position_sentence,
)
from qa_demo.figures.spanbert.guessed import Guessed
from tests.fake_infiller import WIDTH, D, FakeInfiller
from tests.printed import exact as value
from tests.printed import text_of, unpacked

TEXT = "Anna  met Bertil near the old harbour of Visby on a cold and windy day in May."


def guessed(
    spans: list[Span],
    at: int | None = None,
    cut: str = "",
    word: tuple[int, str] | None = None,
    model: FakeInfiller | None = None,
    fates: str | None = None,
) -> Guessed:
    model = model or FakeInfiller()
    encoding = model.encode(TEXT)
    masked = hide(encoding.context_ids, spans, model.mask_id)
    if fates is not None:
        masked = replace(masked, fates=(fates,) * len(masked.hidden))
    at = int(masked.hidden[0]) if at is None else at
    now: Masked = masked
    if word is not None:
        now = changed(masked, word[0], int(model.encode(word[1]).context_ids[0]))
    base, found = model.infill(masked), model.infill(now, frozenset(cut.split()))
    has = model.has_sbo and masked.why_no_sbo(at, model.positions) is None
    trace = model.trace(now, at, frozenset(cut.split())) if has else None
    pieces = tuple(model.piece(i) for i in now.input_ids.tolist())
    return Guessed(encoding, base, found, trace, at, pieces)


def test_the_line_is_the_text_as_typed_with_every_blank_in_it() -> None:
    shown = guessed([Span(4, 6), Span(10, 10)])
    line = figure.line_data(shown)
    assert "".join(item["gap"] + item["text"] for item in line) == TEXT
    assert {item["doc"]: item["k"] for item in line if "k" in item} == {4: 1, 5: 2, 6: 3, 10: 1}
    assert all(item["given"] == "" for item in line if "k" in item)
    kept = figure.line_data(guessed([Span(4, 4)], fates="random"))[4]
    assert (kept["fate"], kept["given"]) == ("random", "[MASK]")
    assert figure.line_data(guessed([Span(4, 6)], word=(3, "on")))[3]["now"] == "on"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"cut": "left position"},
        {"word": (3, "on")},
        {"at": 6},
        {"model": FakeInfiller(positions=2), "at": 6},
    ],
)
def test_the_pictures_numbers_are_the_records(settings: dict) -> None:
    shown = guessed([Span(4, 6)], **settings)
    data = figure.picture_data(shown)
    for name, head in data["heads"].items():
        said = getattr(shown.blank, name)
        assert (head is None) == (said is None)
        if head is not None:
            assert head["rank"] == f"{said.rank:,}"
            assert [g["p"] for g in head["guesses"]] == [g.p for g in said.guesses[:8]]
            assert [g["true"] for g in head["guesses"]] == [
                g.id == shown.blank.id for g in said.guesses[:8]
            ]
    assert (data["strips"] is None) == (shown.blank.sbo is None) == (data["no_sbo"] is not None)
    assert data["changed"] == bool({"cut", "word"} & set(settings)) == bool(data["says"])
    if data["strips"]:
        x = unpacked(data["strips"]["y"]["values"])
        np.testing.assert_allclose(x, shown.trace.y, atol=1e-6)
        sizes = [data["strips"][w]["size"] for w in ("left", "right", "position", "h1")]
        assert sizes == [D, D, WIDTH, D]


def test_a_run_at_the_edge_has_no_sides_and_says_why() -> None:
    data = figure.picture_data(guessed([Span(0, 1)]))
    assert data["sides"] is data["heads"]["sbo"] is None and "first piece" in data["no_sbo"]
    assert "(SBO) has no guess: its run begins with the first" in notice(guessed([Span(0, 1)]))


def test_cutting_the_position_gives_every_blank_the_same_guesses_and_the_page_says_so() -> None:
    shown = guessed([Span(4, 6), Span(10, 11)], cut="position")
    said = figure.picture_data(shown)["says"]
    assert said[0] == "Changed: position wire cut."
    assert any("all 3 blanks of this run get the same guesses" in s for s in said)
    assert any("MLM's guess does not move. It has none of SBO's wires." in s for s in said)
    honest = replace(shown, now=replace(shown.now, pieces=shown.base.pieces))
    said = str(position_sentence(honest))
    assert "still get different guesses" in said, "it follows the data, not the switch"
    assert position_sentence(guessed([Span(4, 4)], cut="position")) is None


def test_the_sentence_of_a_change_names_rank_and_difference_before_and_after() -> None:
    shown = guessed([Span(4, 6)], at=5, cut="left")
    old, new = shown.before.sbo, shown.blank.sbo
    text = " ".join(change_sentences(shown))
    assert f"from {old.rank:,} to {new.rank:,}" in text or f"stays {old.rank:,}" in text
    assert signed(moved(old.loss, new.loss)) in text
    other = guessed([Span(4, 6)], word=(3, "on"))
    assert other.blank.mlm != other.before.mlm and "is “\u2068on\u2069” now" in changes(other)


def test_the_notice_counts_first_guesses_and_compares_the_edges_with_the_middle() -> None:
    shown = guessed([Span(3, 9)])
    right = sum(p.mlm.rank == 1 for p in shown.now.pieces)
    assert f"language model's (MLM's) first guess is right at {right} of 7" in notice(shown)
    losses = [p.sbo.loss for p in shown.now.pieces]
    a, b = (losses[0] + losses[-1]) / 2, float(np.mean(losses[2:-2]))
    assert f"{a:.2f} on average, in the middle of the run {b:.2f}" in notice(shown)
    assert ("knows less about the middle" in notice(shown)) == (b > a)
    longer = guessed([Span(3, 9)], model=FakeInfiller(positions=5))
    first = next(p.sbo.loss for p in longer.now.pieces)
    assert f"is {first:.2f} on average" in notice(longer), "the last term has no neighbour"


def test_table_twins_hold_every_blank_and_every_guess() -> None:
    shown = guessed([Span(0, 0), Span(4, 6)], at=5)
    table = figure.blanks_table(shown)
    assert len(table["rows"]) == 4 and "first piece" in table["rows"][0][-1]
    assert table["rows"][0][5] == table["rows"][-1][-1] == "–"
    assert len(figure.blanks_table(guessed([Span(4, 6)]))["head"]) == len(table["head"]) - 1
    listed = figure.guesses_table(shown)
    assert [r[1] for r in listed["rows"][:8]] == [g.piece for g in shown.blank.mlm.guesses[:8]]
    assert f"rank {shown.blank.sbo.rank:,}" in listed["rows"][-1][3]


# The sums


@pytest.mark.parametrize("at", [4, 5, 6])
def test_the_arithmetic_adds_up_as_printed(at: int) -> None:
    shown = guessed([Span(4, 6)], at=at)
    data = sums.steps_data(shown.trace, shown.encoding, shown.now, shown.blank.sbo)
    vectors = data["vectors"]["rows"]
    assert [row[2] for row in vectors] == [str(n) for n in (D, D, WIDTH, 2 * D + WIDTH, *(D,) * 6)]
    assert vectors[6][4:] == ["0.00", "1.00"], "LayerNorm over one vector's own features"
    addends, sign, squares = summed(data["squares"])
    assert sign == "≈" or sum(addends) == squares
    assert float(squares) == pytest.approx(float(np.sum(shown.trace.h0**2)), abs=0.01)
    *product, logit = map(value, data["product"]["rows"][-1][1:])
    assert sum(product) == logit and data["product"]["head"][-3] == f"{D - 6} others"
    assert float(logit) == pytest.approx(shown.trace.logit, abs=6e-4)
    *_, sums_to, sign, loss = (p["text"] for p in data["log"])
    log_z, minus = sums_to.split(" − ", 1)
    assert sign == "≈ " or value(log_z) - value(minus.strip("() ")) == value(loss)
    assert float(value(loss)) == pytest.approx(shown.blank.sbo.loss, abs=6e-4)


def test_the_formula_names_the_places_and_adds_the_two_losses() -> None:
    shown = guessed([Span(4, 6)], at=5)
    text = text_of(sums.formula_parts(shown.trace, shown.blank))
    assert "f([x3; x7; p2])" in text
    addends, printed = text.rsplit(") = ", 1)[1].split(" = ")
    assert sum(map(value, addends.split(" + "))) == value(printed)
    loss = shown.blank.mlm.loss + shown.blank.sbo.loss
    assert float(value(printed)) == pytest.approx(loss, abs=0.006)
    edge = guessed([Span(0, 1)])
    assert "y" not in text_of(sums.formula_parts(edge.trace, edge.blank))


def test_what_a_segment_carries_is_named() -> None:
    shown = guessed([Span(4, 6)], cut="left position", word=(7, "on"))
    data = sums.steps_data(shown.trace, shown.encoding, shown.now, shown.blank.sbo)
    left, right, position = (row[1] for row in data["vectors"]["rows"][:3])
    assert "cut" in left and "cut" in position
    assert "“\u2068on\u2069”" in right


def summed(parts: list[dict]) -> tuple[list[Decimal], str, Decimal]:
    """Addends, sign and total of a sentence that ends with a sum."""
    at = next(k for k, p in enumerate(parts) if p["role"] == "strong")
    *addends, sign = parts[at - 1]["text"].replace(" + ", " ").split()
    return [value(a) for a in addends], sign, value(parts[at]["text"])


def test_both_ways_to_add_the_loss_up_name_their_denominators() -> None:
    shown = guessed([Span(0, 0), Span(4, 6)])
    found = sums.loss_data(shown.now)
    mlm = [p.mlm.loss for p in shown.now.pieces]
    sbo = [p.sbo.loss for p in shown.now.pieces if p.sbo]
    for name, want in (("code", sum(mlm) / 4 + sum(sbo) / 4), ("paper", sum(mlm) + sum(sbo))):
        addends, sign, total = summed(found[name])
        assert sign == "≈" or sum(addends) == total
        assert float(total) == pytest.approx(want, abs=1e-3)
    said = text_of(found["code"])
    assert "over the M = 4 blanks" in said and "over the S = 3 targets and one more" in said
    assert "(3 + 1)" in said and said.endswith("with weight 1.")
    rows = found["table"]["rows"]
    assert [row[0] for row in rows if row[0].startswith("run")] == ["run of 1", "run of 3"]
    assert rows[0][2] == rows[1][2] == "no term" and "first piece" in found["why"]
    column = [value(row[1].removeprefix("≈ ")) for row in rows[2:]]
    assert (sum(column[:-1]) == column[-1]) == ("≈" not in rows[-1][1])
    for _, one, other, both in rows[2:]:
        plus = value(one.removeprefix("≈ ")) + value(other.removeprefix("≈ "))
        assert (plus == value(both.removeprefix("≈ "))) == ("≈" not in both)
