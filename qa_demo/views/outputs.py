"""The components of the page that events change, and how one update is handed to gradio."""

import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import gradio as gr

from qa_demo.views.picture import picture
from qa_demo.views.session.lock import SessionLock
from qa_demo.views.state import Screen
from qa_demo.views.update import Update

EVENT: dict[str, Any] = {
    "show_progress": "hidden",
    "api_visibility": "private",
    "trigger_mode": "multiple",
    "queue": True,
}
"""For pictures' events: "always_last" repeats the first's data; our outbox sends in turn."""
RUN: dict[str, Any] = {
    "show_progress": "hidden",
    "api_visibility": "private",
    "concurrency_limit": None,
    "concurrency_id": "slow",
}
"""For slow handlers: they wait in the server's job queue, which tells them so, not
in gradio's."""
SELECTED = ("screen", "selection", "message")
"""The few parts that a selection changes."""

Answer = Callable[[Screen | None, gr.EventData], Update]


class Outputs:
    """Every component that an event may change, by the names of `Update.parts`, and the receipt
    that tells the browser that its event was answered.
    """

    def __init__(self, sessions: SessionLock) -> None:
        self.sessions = sessions
        self.parts: dict[str, Any] = {
            "screen": gr.State(None),
            "reading": picture("store", elem_id="store"),
            "selection": picture("chosen", elem_id="chosen"),
            "message": picture("say", elem_id="say"),
        }
        self.receipt = picture("heard", elem_id="heard")
        self._receipts = itertools.count(1)

    @property
    def screen(self) -> gr.State:
        """The visitor's screen: the first input of every handler."""
        return self.parts["screen"]

    @property
    def pictures(self) -> dict[str, Any]:
        """Every picture that sends events, by its key; the one of the selection is "chosen"."""
        found = {"chosen": self.parts["selection"]}
        for name, made in self.parts.items():
            if name.startswith("picture:"):
                found[name.removeprefix("picture:")] = made
        return found

    def some(self, names: Sequence[str] | None = None) -> list[Any]:
        """The named components, all by default."""
        return [self.parts[name] for name in names or self.parts]

    def values(self, update: Update, names: Sequence[str] | None = None) -> list[Any]:
        """The update as gradio wants it: a value for each named component, in order."""
        parts = update.parts
        return [parts.get(name, gr.skip()) for name in names or self.parts]

    def receipted(
        self, answer: Answer, names: Sequence[str] | None = None, slow: Collection[str] = ()
    ) -> Callable[..., list[Any]]:
        """A handler whose last value is a receipt, which always differs, refused or not, since the
        browser sends the next event when it came. `slow` are the events whose work goes on after
        that.
        """

        def handler(screen: Screen | None, data: gr.EventData, request: gr.Request) -> list[Any]:
            update = self.sessions.apply(
                request.session_hash, screen, lambda now: answer(now, data)
            )
            event = data._data or {}
            receipt = {
                "id": numbered(event) or 0,
                "refused": update.refused,
                "slow": str(event.get("index")) in slow,
                "n": next(self._receipts),
            }
            return [*self.values(update, names), receipt]

        return handler


def numbered(event: Any) -> int | None:
    """The number that the browser gave to an event (outbox.js); None for one without."""
    number = event.get("id") if isinstance(event, dict) else None
    return number if type(number) is int else None
