"""What endpoints share: one place in the queue, errors as sentences, texts checked."""

import itertools
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

import gradio as gr

from qa_demo.core.errors import QADemoError
from qa_demo.core.inputs import check_texts
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading
from qa_demo.views.options import parse
from qa_demo.views.parse import sendable, text
from qa_demo.views.services import Services, reading_name
from qa_demo.views.session.errors import attempt
from qa_demo.views.session.jobs import Outcome, Work
from qa_demo.views.session.recent import RecentValues

T = TypeVar("T")
_calls = itertools.count(1)


class Call:
    """One call: what it asks of the reader is done in the server's queue, together with everybody
    who wants the same; what is kept waits for nobody.
    """

    def __init__(self, services: Services) -> None:
        self.services, self._name = services, f"call {next(_calls)}"
        self.seconds = dict.fromkeys(("tokenise", "queue", "model"), 0.0)
        """What this call has cost; what was kept cost nothing."""

    def reading(self, asked: "Asked") -> Reading:
        """The reading of the texts by the reader that is asked for. Errors: QADemoError."""
        windows = asked.windows(self.services)
        of = asked.source(self.services), asked.question, asked.context, windows
        kept = self.services.kept(*of)
        if kept is not None:
            return kept
        made = self.queued(
            "reading",
            lambda tell, cancelled: self.services.read(*of, tell, cancelled),
            reading_name(*of),
        )
        self.seconds["tokenise"] += made.tokenise_seconds
        self.seconds["model"] -= made.tokenise_seconds
        return made

    def wanted(self, kind: str, key: Hashable, cache: RecentValues[T], work: Work[T]) -> T:
        """What is kept under a key, or made by `work`, which keeps it. Errors: QADemoError."""
        found = cache.get(key)
        return self.queued(kind, work, key) if found is None else found

    def queued(self, kind: str, work: Work[T], share: Hashable | None = None) -> T:
        """The result of work in the queue. Errors: QADemoError with its sentence."""
        began = time.monotonic()
        run = self.services.jobs.run(self._name, kind, work, share=share)
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


def answered(services: Services, work: Callable[[Call], dict[str, Any]]) -> dict[str, Any]:
    """The reply of one call and the seconds it cost; its error becomes a `gr.Error`'s sentence."""
    call = Call(services)
    reply, error = attempt(lambda: work(call))
    if reply is None:
        raise gr.Error(error or "", print_exception=False)
    return {**reply, "seconds": {name: round(s, 4) for name, s in call.seconds.items()}}


@dataclass(frozen=True)
class Asked:
    """The texts, the window options and the reader of a call, as they came."""

    question: Any
    context: Any
    max_seq_length: Any
    doc_stride: Any
    max_query_length: Any
    reader: Any = None

    def source(self, services: Services) -> str:
        """The name of the reader, null for the page's own; what may be loaded is decided where it
        is loaded. Errors: BadInput.
        """
        return services.default if self.reader is None else text(self.reader, "reader", 1000)

    def windows(self, services: Services) -> WindowOptions:
        """The window options, once the texts can be read and sent back. Errors: BadInput."""
        check_texts(self.question, self.context, services.max_characters)
        sendable(self.question, self.context)
        return parse(
            WindowOptions(),
            max_seq_length=self.max_seq_length,
            doc_stride=self.doc_stride,
            max_query_length=self.max_query_length,
        )
