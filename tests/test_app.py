"""The entry point without a server: what it hands to the page."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import app
from qa_demo.core.reader import Reader
from qa_demo.model.source import LOOPBACK, PUBLIC, HostLimits
from tests.fakes import FakeReader


@pytest.mark.parametrize(("host", "limits"), [("127.0.0.1", LOOPBACK), ("0.0.0.0", PUBLIC)])
def test_a_reader_that_many_choose_at_once_is_loaded_once(
    host: str, limits: HostLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: dict[str, Any] = {}
    asked: list[tuple[str, tuple[HostLimits, ...]]] = []
    together = threading.Barrier(8)

    def load_reader(source: str, *given: HostLimits) -> Reader:
        asked.append((source, given))
        time.sleep(0.1)
        return FakeReader()

    monkeypatch.setattr(sys, "argv", ["app.py", "--host", host])
    monkeypatch.setattr("qa_demo.model.loading.load_reader", load_reader)
    monkeypatch.setattr(
        app, "build", lambda first, load, **more: handed.update(first=first, load=load)
    )
    monkeypatch.setattr(app, "launch", lambda *a, **k: (None, "", None))
    monkeypatch.setattr(app, "wait_for_the_end", lambda: None)
    app.main()
    handed["first"]()

    def choose(_: int) -> Reader:
        together.wait()
        return handed["load"]("owner/name")

    with ThreadPoolExecutor(8) as pool:
        found = set(map(id, pool.map(choose, range(8))))
    assert len(found) == 1 and asked == [("bundled", ()), ("owner/name", (limits,))]
