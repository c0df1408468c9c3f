"""A port of this machine that nothing listens on, and whether a page answers on one."""

import itertools
import os
import socket
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress

FIRST, EACH, WORKERS = 20_000, 1_000, 12
"""Below 32768, where Linux begins to hand ports to connections that go out."""
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
NEXT = itertools.count(os.getpid())


def free_port() -> int:
    """The next one of this worker's thousand: no two workers are given the same."""
    for _ in range(EACH):
        port = FIRST + EACH * WORKER + next(NEXT) % EACH
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError(f"all ports of worker {WORKER} are taken: {EACH} from {FIRST + EACH * WORKER}")


def wait_for_page(port: int, runs: Callable[[], bool], patience: float) -> None:
    """Until the page on that port answers; AssertionError where its process or patience ended."""
    end = time.monotonic() + patience
    while runs() and time.monotonic() < end:
        with suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            return
        time.sleep(0.1)
    raise AssertionError("the page does not answer" if runs() else "the page's process has ended")
