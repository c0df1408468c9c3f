"""The moment to do what would slow a visitor's first picture: when nobody has asked for a while."""

import threading
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send


class Lull:
    """When this server was last asked for something."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds; the server counts as asked now."""
        self.clock, self.last = clock, clock()
        self.over = threading.Event()

    def asked(self) -> None:
        """A request has come."""
        self.last = self.clock()

    def end(self) -> None:
        """Somebody waits for what was put off: no lull is waited for any more."""
        self.over.set()

    def wait(self, quiet: float = 0.5, longest: float = 3.0) -> None:
        """Return after `quiet` seconds without a request, `longest`, or at once if one waits."""
        latest = self.clock() + longest
        while (left := min(self.last + quiet, latest) - self.clock()) > 0:
            if self.over.wait(left):
                return


class Heard:
    """Tell a lull of every request but the checks of `/health`, behind which no visitor stands."""

    def __init__(self, app: ASGIApp, lull: Lull) -> None:
        self.app, self.lull = app, lull

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the request and pass it on."""
        if scope["type"] == "http" and scope["path"] != "/health":
            self.lull.asked()
        await self.app(scope, receive, send)
