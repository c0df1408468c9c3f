"""The entry point without a server: what it hands to the page, and what `--version` waits for."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from qa_demo import __version__, app
from qa_demo.core.reader import Reader
from qa_demo.model.source import LOOPBACK, PUBLIC, HostLimits
from tests.fakes import FakeReader


@pytest.mark.parametrize(("host", "limits"), [("127.0.0.1", LOOPBACK), ("0.0.0.0", PUBLIC)])
def test_a_reader_that_many_choose_at_once_is_loaded_once(
    host: str, limits: HostLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, tuple[HostLimits, ...]]] = []
    together = threading.Barrier(8)

    def load_reader(source: str, *given: HostLimits) -> Reader:
        asked.append((source, given))
        time.sleep(0.1)
        return FakeReader()

    monkeypatch.setattr("qa_demo.model.loading.load_reader", load_reader)
    handed = app.services("bundled", host)
    handed.first()

    def choose(_: int) -> Reader:
        together.wait()
        return handed.load("owner/name")

    with ThreadPoolExecutor(8) as pool:
        found = set(map(id, pool.map(choose, range(8))))
    assert len(found) == 1 and asked == [("bundled", ()), ("owner/name", (limits,))]


def test_the_version_waits_for_neither_gradio_nor_torch() -> None:
    code = (
        "import sys; from qa_demo import app\n"
        "try: app.main(['--version'])\n"
        "except SystemExit: print(*{'gradio', 'torch', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"spanlight {__version__}\n\n"
