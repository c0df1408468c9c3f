"""What all endpoints share: one place in the server's queue, errors as sentences, texts and
windows checked at the door.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from qa_demo.core.inputs import check_texts
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.types import WindowOptions
from qa_demo.views.options import parse
from qa_demo.views.parse import sendable
from qa_demo.views.services import Services

Answer = Callable[[OnProgress, IsCancelled], dict[str, Any]]
_calls = itertools.count(1)


def answered(services: Services, work: Answer) -> dict[str, Any]:
    """Run one call in the server's queue; its error becomes the sentence of a `gr.Error`."""
    run = services.jobs.run(f"call {next(_calls)}", "call", work)
    while True:
        try:
            next(run)
        except StopIteration as stop:
            outcome = stop.value
            break
    if outcome.result is None:
        raise gr.Error(outcome.error or "", print_exception=False)
    result: dict[str, Any] = outcome.result
    return result


@dataclass(frozen=True)
class Asked:
    """The texts and the window options of a call, as they came."""

    question: Any
    context: Any
    max_seq_length: Any
    doc_stride: Any
    max_query_length: Any

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
