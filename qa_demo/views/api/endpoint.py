"""What all endpoints share: one place in the server's queue, errors as sentences, texts and
windows checked at the door.
"""

import itertools
from collections.abc import Callable
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


def checked(services: Services, question: Any, context: Any, **windows: Any) -> WindowOptions:
    """The window options of a call, once its texts can be read and sent back. Errors: BadInput."""
    check_texts(question, context, services.max_characters)
    sendable(question, context)
    return parse(WindowOptions(), **windows)
