"""The one door through which every handler's failure becomes a sentence."""

import logging
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from qa_demo.core.errors import QADemoError

log = logging.getLogger("qa_demo")
T = TypeVar("T")
UNEXPECTED = (
    "Something went wrong in this program and was written to its log; the last reading stays."
)


_failures: Counter[str] = Counter()


def failures() -> int:
    """How many unexpected errors there were since the start."""
    return _failures.total()


def sentence(error: BaseException) -> str:
    """What a visitor is told: our own errors literally, others neutrally (they may name paths)."""
    return str(error) if isinstance(error, QADemoError) else UNEXPECTED


def attempt(action: Callable[[], T]) -> tuple[T | None, str | None]:
    """Run an action; return its result and no sentence, or nothing and the sentence of its error.

    BaseException, because the tokenizers library panics with a class that is not an Exception, and
    a handler that dies of it never completes for the browser.
    """
    try:
        return action(), None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise
        if not isinstance(error, QADemoError):
            _failures[type(error).__name__] += 1
            log.exception("unexpected error in a handler")
        return None, sentence(error)
