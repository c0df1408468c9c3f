"""The reading as it travels."""

import json

import numpy as np

from qa_demo.core.learning.golds import Answer
from qa_demo.figures.payload import formula, part
from qa_demo.figures.reading import reading_data
from tests.fakes import FakeReader
from tests.printed import unpacked


def test_tokens_are_slices_of_the_context_in_utf16() -> None:
    context = "A \U0001f600 smile by Zoë."
    reading = FakeReader().read("Who smiled?", context)
    data = reading_data(reading, (Answer("Zoë", context.index("Zoë")),), 1, False)
    units = context.encode("utf-16-le")
    offsets = unpacked(data["offsets"], "<i4").reshape(-1, 2)
    read = [units[2 * a : 2 * b].decode("utf-16-le") for a, b in offsets]
    assert read == [context[a:b] for a, b in reading.encoding.offset_mapping]
    gold = data["gold"][0]
    assert units[2 * gold["start"] : 2 * gold["end"]].decode("utf-16-le") == "Zoë"


def test_logits_arrive_as_they_are_and_small() -> None:
    reading = FakeReader().read("Where?", "The ship sailed on. " * 90)
    data = reading_data(reading, (), 1, False)
    assert len(reading.windows) > 1
    for w, sent in enumerate(data["windows"]):
        start, end = reading.logits(w)
        assert np.array_equal(unpacked(sent["start"]), start)
        assert np.array_equal(unpacked(sent["end"]), end)
    assert (
        len(json.dumps(reading_data(FakeReader().read("Where?", "ship " * 370), (), 1, False)))
        < 20_000
    )


def test_a_formula_has_its_subscripts_and_exponents() -> None:
    found = formula("p_{i} = x^{2}")
    assert found == [part("p"), part("i", "sub"), part(" = x"), part("2", "sup")]
