"""The lull that loading waits for, by a clock of the test's own."""

from qa_demo.server.lull import Heard, Lull
from tests.coroutines import finished


class Clock:
    """Seconds that pass only while a lull waits; `calls` come at their times."""

    def __init__(self, *calls: float) -> None:
        self.now, self.calls = 0.0, sorted(calls)
        self.lull = Lull(lambda: self.now)
        self.lull.over.wait = self.wait  # type: ignore[method-assign, assignment]

    def wait(self, seconds: float) -> bool:
        """Let time pass up to the next request."""
        due = self.now + seconds
        if self.calls and self.calls[0] <= due:
            due = self.calls.pop(0)
            self.lull.last = due
        self.now = due
        return self.lull.over.is_set()


def test_without_a_visitor_half_a_second_is_waited() -> None:
    clock = Clock()
    clock.lull.wait()
    assert clock.now == 0.5


def test_requests_put_it_off_until_half_a_second_after_the_last() -> None:
    clock = Clock(0.25, 0.625, 1.0, 2.0)
    clock.lull.wait()
    assert clock.now == 1.5


def test_it_ends_after_three_seconds_though_requests_go_on() -> None:
    clock = Clock(*(k / 4 for k in range(1, 40)))
    clock.lull.wait()
    assert clock.now == 3.0


def test_who_waits_for_the_reader_ends_it() -> None:
    lull = Lull()
    lull.end()
    lull.wait(quiet=1e6, longest=1e6)


def heard(path: str, kind: str = "http") -> bool:
    """Whether a request counted, and that it was passed on."""
    seconds, passed = iter((1.0, 2.0)), []
    lull = Lull(lambda: next(seconds))

    async def app(scope: object, receive: object, send: object) -> None:
        passed.append(scope)

    finished(Heard(app, lull)({"type": kind, "path": path}, None, None))  # type: ignore[arg-type]
    assert len(passed) == 1
    return lull.last == 2.0


def test_what_a_visitor_asks_for_counts_and_a_check_of_health_does_not() -> None:
    assert heard("/") and heard("/gradio_api/queue/join")
    assert not heard("/health") and not heard("/", "lifespan")
