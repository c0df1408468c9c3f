"""What endpoints share: one place in the queue, errors as sentences, texts checked."""

import inspect
import itertools
import time
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import gradio as gr

from qa_demo.core.errors import QADemoError
from qa_demo.core.inputs import check_texts
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading
from qa_demo.views.options import parse
from qa_demo.views.parse import sendable, text
from qa_demo.views.services import Services, reading_name, reading_size
from qa_demo.views.session.errors import attempt
from qa_demo.views.session.jobs import Outcome, Work
from qa_demo.views.session.recent import RecentValues

T = TypeVar("T")
P = ParamSpec("P")
Reply = dict[str, Any]
_calls = itertools.count(1)


class Call:
    """One call: what it asks of the reader is done in the server's queue, together with everybody
    who wants the same; what is kept waits for nobody.
    """

    def __init__(self, services: Services) -> None:
        self.services, self._name = services, f"call {next(_calls)}"
        self.seconds = dict.fromkeys(("tokenise", "queue", "model"), 0.0)
        """What this call has cost; what was kept cost nothing."""

    def source(self, reader: Any) -> str:
        """The name of the reader, null for the page's own; what may be loaded is decided where it
        is loaded. Errors: BadInput.
        """
        return self.services.default if reader is None else text(reader, "reader", 1000)

    def reading(
        self, question: Any, context: Any, length: Any, stride: Any, query: Any, reader: Any
    ) -> Reading:
        """The reading of the texts as they came, in windows of max_seq_length `length`, doc_stride
        `stride` and max_query_length `query`, by the reader of that name. Errors: QADemoError.
        """
        check_texts(question, context, self.services.max_characters)
        sendable(question, context)
        windows = parse(
            WindowOptions(), max_seq_length=length, doc_stride=stride, max_query_length=query
        )
        of = self.source(reader), question, context, windows
        kept = self.services.kept(*of)
        if kept is not None:
            return kept
        made = self.queued(
            "reading",
            lambda tell, cancelled: self.services.read(*of, tell, cancelled),
            reading_name(*of),
            reading_size(*of),
        )
        self.seconds["tokenise"] += made.tokenise_seconds
        self.seconds["model"] -= made.tokenise_seconds
        return made

    def wanted(self, kind: str, key: Hashable, cache: RecentValues[T], work: Work[T]) -> T:
        """What is kept under a key, or made by `work`, which keeps it. Errors: QADemoError."""
        found = cache.get(key)
        return self.queued(kind, work, key) if found is None else found

    def queued(
        self, kind: str, work: Work[T], share: Hashable | None = None, size: float = 1.0
    ) -> T:
        """The result of work in the queue. Errors: QADemoError with its sentence."""
        began = time.monotonic()
        run = self.services.jobs.run(self._name, kind, work, share=share, size=size)
        while True:
            try:
                next(run)
            except StopIteration as stop:
                outcome: Outcome[T] = stop.value
                break
        self.seconds["queue"] += outcome.waited
        self.seconds["model"] += time.monotonic() - began - outcome.waited
        if outcome.result is None:
            raise QADemoError(outcome.error or "")
        return outcome.result


def endpoint(
    work: Callable[Concatenate[Call, P], Reply],
) -> Callable[[Services], Callable[P, Reply]]:
    """Make `work(call, ...)` public: for the services of a page it gives the function that others
    call, with the other parameters and the docstring of `work`. That replies what `work` does and
    the seconds it cost; an error becomes a `gr.Error`'s sentence.
    """
    known = inspect.signature(work)
    public = known.replace(parameters=list(known.parameters.values())[1:])

    def made(services: Services) -> Callable[P, Reply]:
        @wraps(work)
        def answered(*args: P.args, **given: P.kwargs) -> Reply:
            call = Call(services)
            reply, error = attempt(lambda: work(call, *args, **given))
            if reply is None:
                raise gr.Error(error or "", print_exception=False)
            return {**reply, "seconds": {name: round(s, 4) for name, s in call.seconds.items()}}

        answered.__signature__ = public  # type: ignore[attr-defined]
        return answered

    return made
