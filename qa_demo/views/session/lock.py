"""One event of a visitor at a time, each on the screen that the one before it left.

Gradio hands a handler the state as it stood when its event came in. Two that come in together, a
slider's release and a click, would both start from that screen, and the later answer would undo the
other's change.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from qa_demo.views.state import Screen
from qa_demo.views.update import Change, Update

VISITORS = 400
"""As many as gradio keeps the state of, too; the longest silent start anew."""


@dataclass
class _Place:
    lock: threading.Lock = field(default_factory=threading.Lock)
    screen: Screen | None = None


class SessionLock:
    """The newest screen of each visitor, and a lock around its next change."""

    def __init__(self, visitors: int = VISITORS) -> None:
        self._visitors, self._guard = visitors, threading.Lock()
        self._places: OrderedDict[str, _Place] = OrderedDict()

    def apply(self, visitor: str | None, given: Screen | None, change: Change) -> Update:
        """change(newest screen) in this event's turn; its screen is the next one's."""
        if not visitor:
            return change(given)
        place = self._place(visitor)
        with place.lock:
            update = change(place.screen or given)
            if update.screen is not None:
                place.screen = update.screen
            return update

    def forget(self, visitor: str | None) -> None:
        """The visitor has left: nothing of theirs stays."""
        with self._guard:
            self._places.pop(visitor or "", None)

    def _place(self, visitor: str) -> _Place:
        with self._guard:
            place = self._places.setdefault(visitor, _Place())
            self._places.move_to_end(visitor)
            while len(self._places) > self._visitors:
                self._places.popitem(last=False)
            return place
