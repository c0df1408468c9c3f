"""`/health`: 503 while the reader loads and when it cannot read, and asked only after a failure."""

from typing import Any

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.types import Reading
from qa_demo.views.api.health import health
from qa_demo.views.api.openapi import document
from qa_demo.views.session.errors import UNEXPECTED, attempt, failures
from tests.fakes import FakeReader
from tests.requests import services


class Reader(FakeReader):
    broken = False
    count = 0

    def read(self, *given: Any, **more: Any) -> Reading:
        self.count += 1
        if self.broken:
            raise MemoryError
        return super().read(*given, **more)


def fail(error: BaseException) -> None:
    def action() -> None:
        raise error

    attempt(action)


def test_a_reader_that_is_being_loaded_is_not_ready() -> None:
    ready: list[int] = []
    check = health(services(loaded=lambda: bool(ready)))
    assert check() == (503, {"status": "loading", "error": "the reader is being loaded"})
    ready.append(1)
    assert check()[0] == 200


@pytest.mark.parametrize("error", [MemoryError("x"), ZeroDivisionError("y")])
def test_the_reader_is_asked_after_an_unexpected_failure_only(error: BaseException) -> None:
    reader = Reader()
    check = health(services(lambda: reader))
    check()
    before, asked = failures(), reader.count
    fail(BadInput("a visitor's mistake"))
    assert check()[0] == 200 and reader.count == asked and failures() == before
    fail(error)
    assert check() == (200, {"status": "ok", "failures": before + 1})
    assert reader.count == asked + 1 and check()[0] == 200 and reader.count == asked + 1


def test_a_reader_that_cannot_read_is_said_until_it_can() -> None:
    reader = Reader()
    check = health(services(lambda: reader))
    reader.broken = True
    fail(ZeroDivisionError())
    for _ in range(2):
        assert check() == (503, {"status": "failing", "error": UNEXPECTED})
    reader.broken = False
    assert check()[0] == 200


def test_the_document_describes_each_reply() -> None:
    ready: list[int] = []
    check = health(services(loaded=lambda: bool(ready)))
    described = document({}, {})["paths"]["/health"]["get"]["responses"]
    assert set(described) == {"200", "503"}
    for code in ("503", "200"):
        status, body = check()
        fields = described[code]["content"]["application/json"]["schema"]["properties"]
        assert str(status) == code and set(body) == set(fields)
        assert body["status"] in fields["status"]["enum"]
        ready.append(1)
