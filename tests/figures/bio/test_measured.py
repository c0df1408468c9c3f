"""Chapter 7's evidence: its sentence is said again from the stored figures."""

import re
from dataclasses import replace

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.measuring.lists import ListScores, Rates
from qa_demo.core.measuring.measured import Measured, load_measured
from qa_demo.figures.bio.measured import lists_says, lists_sentence, lists_table

HALF, NIL = Rates(50.0, 50.0, 50.0), Rates(0.0, 0.0, 0.0)
BETTER, WORSE = ListScores(8, HALF, HALF, 25.0), ListScores(8, NIL, NIL, 0.0)


def test_a_reader_without_figures_has_no_table() -> None:
    for nothing in (None, Measured({}, {})):
        assert not lists_table(nothing) and not lists_says(nothing)


def test_by_hand() -> None:
    said = lists_sentence(
        {"a": {"span": WORSE, "bio": BETTER}, "b": {"span": BETTER, "bio": WORSE}}
    )
    assert "ahead of start and end in 1 of 2 files, by exact words in 1." in said
    assert "right for 2 of 16 questions by the tags, for 2 by start and end." in said
    alone = lists_sentence({"a": {"span": WORSE, "bio": replace(WORSE, exact=HALF)}})
    assert "in 0 of 1 file, by exact words in 1." in alone


def test_the_sentence_counts_what_the_table_prints() -> None:
    stored = load_measured(ASSETS / "reader")
    (printed,) = lists_table(stored)
    rows = [row for row in printed["rows"] if row[0] != "all together"]
    assert len(rows) == len(printed["rows"]) - 2 > 2
    counted = re.findall(r"\d[\d,]*", lists_sentence(stored.lists))
    assert lists_says(stored)[0].endswith(lists_sentence(stored.lists))
    tags, spans = rows[1::2], rows[0::2]
    ahead = [
        sum(float(t[k]) > float(s[k]) for s, t in zip(spans, tags, strict=True)) for k in (5, 8)
    ]
    whole = [
        sum(round(float(r[9]) / 100 * int(r[1].replace(",", ""))) for r in chosen)
        for chosen in (tags, spans)
    ]
    total = sum(int(r[1].replace(",", "")) for r in tags)
    assert [int(x.replace(",", "")) for x in counted] == [
        ahead[0], len(tags), ahead[1], whole[0], total, whole[1],
    ]  # fmt: skip
