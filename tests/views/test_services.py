"""Readings kept for whoever asks again, by reader and content."""

from dataclasses import fields
from typing import Any

from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading
from qa_demo.views.services import Services
from tests.fakes import FakeReader

QUESTION, CONTEXT = "Who told Anna?", "The keepers of Kalmar told Anna about old mills."


class Counting(FakeReader):
    """Counts its readings."""

    count = 0

    def read(self, *given: Any, **more: Any) -> Reading:
        self.count += 1
        return super().read(*given, **more)


def test_equal_questions_are_read_once_and_others_are_not_mistaken_for_them() -> None:
    reader = Counting()
    services = Services(lambda: reader, lambda _: reader, {})
    windows = WindowOptions(32, 8)
    first = services.read("bundled", QUESTION, CONTEXT, windows)
    assert services.read("bundled", QUESTION, CONTEXT, windows) is first and reader.count == 1
    for question, context, options in (
        (QUESTION + " ", CONTEXT, windows),
        (QUESTION, CONTEXT + " ", windows),
        (QUESTION, CONTEXT, WindowOptions()),
    ):
        found = services.read("bundled", question, context, options)
        assert (found.encoding.question, found.encoding.context) == (question, context)
        assert found.options == options
    assert reader.count == 4


def test_readers_do_not_share_and_one_without_a_checksum_keeps_nothing() -> None:
    readers = {name: Counting(name) for name in ("bundled", "other", "folder")}
    readers["other"].checksum = "other weights"
    readers["folder"].checksum = ""
    services = Services(lambda: readers["bundled"], readers.__getitem__, {})
    for name in readers:
        for _ in range(2):
            assert services.read(name, QUESTION, CONTEXT, WindowOptions()).model_name == name
    assert [r.count for r in readers.values()] == [1, 1, 2]


def test_nothing_of_a_visitor_is_kept() -> None:
    """A reading is made of texts, weights and options; its fields are all there is."""
    texts, numbers = {"encoding", "windows"}, {"start_logits", "end_logits", "tag_logits"}
    weights = {"model_name", "threshold", "baseline", "checksum", "calibrations"}
    cost = {"seconds", "tokenise_seconds"}
    assert {one.name for one in fields(Reading)} == texts | numbers | weights | cost | {"options"}
