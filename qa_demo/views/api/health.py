"""`/health`: whether this server can answer, for whoever sends it visitors."""

import threading
from collections.abc import Callable
from typing import Any

from qa_demo.views.services import Services
from qa_demo.views.session.errors import attempt, failures

Health = Callable[[], tuple[int, dict[str, Any]]]
QUESTION, CONTEXT = "Is the reader well?", "The reader is well."


def health(services: Services) -> Health:
    """status and body: 200 when all is well, 503 with a sentence while the reader loads or when it
    cannot read.

    After an unexpected failure of anything the reader reads one short text; otherwise it is not
    asked, so that the question costs nothing.
    """
    lock, seen = threading.Lock(), 0

    def check() -> tuple[int, dict[str, Any]]:
        nonlocal seen
        if not services.loaded():
            return 503, {"status": "loading", "error": "the reader is being loaded"}
        with lock:
            failed = failures()
            if failed != seen:
                _, error = attempt(lambda: services.first().read(QUESTION, CONTEXT))
                if error is not None:
                    return 503, {"status": "failing", "error": error}
                seen = failed
        return 200, {"status": "ok", "failures": seen}

    return check
