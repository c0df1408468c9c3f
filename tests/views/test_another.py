"""Another reader on the text of the screen: each side says what its own reading says."""

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.views.another import compared, read_again
from qa_demo.views.state import Screen
from tests.fakes import FakeReader
from tests.requests import job

TEXT = "The bridge was drawn by Ada Byron. It opened in 1998 near Malmö, and Bob paid for it."


def test_both_sides_are_the_readings_under_their_own_thresholds() -> None:
    other = FakeReader("other/reader", threshold=-50.0, null=20.0)
    screen = Screen(FakeReader().read("Who drew it?", TEXT, WindowOptions(60, 12)), DecodeOptions())
    asked = job(screen, "compare", {"reader": "other/reader"}, load=lambda _: other)
    found = read_again(asked)
    made = compared(screen, found)
    assert [one["name"] for one in made["readings"]] == ["fake", "other/reader"]
    assert made["text"] == TEXT and made["note"] == ""
    for one, reading in zip(made["readings"], (screen.reading, found), strict=True):
        prediction = predict(reading)
        best = prediction.best.candidate
        assert one["answer"] == prediction.answer
        assert one["n"][0][:2] == [best.char_start, best.char_end]
        assert one["limit"] == prediction.limit
    assert made["readings"][1]["answer"] is None
    again = compared(screen, screen.reading)
    assert [one["name"] for one in again["readings"]] == ["fake (A)", "fake (B)"]


def test_a_reader_of_fewer_positions_is_said_to_read_in_other_windows() -> None:
    short = FakeReader("short")
    short.max_seq_length = 80
    screen = Screen(FakeReader().read("Who drew it?", TEXT), DecodeOptions())
    found = read_again(job(screen, "compare", {"reader": "short"}, load=lambda _: short))
    assert compared(screen, found)["note"].startswith("short has fewer positions, so its windows")


@pytest.mark.parametrize("value", [None, {}, {"reader": 3}, {"reader": "x" * 1001}])
def test_no_name_is_refused(value: object) -> None:
    screen = Screen(FakeReader().read("Who drew it?", TEXT), DecodeOptions())
    with pytest.raises(BadInput, match="the reader"):
        read_again(job(screen, "compare", value))
