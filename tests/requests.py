"""Services and jobs around fakes, for tests of views."""

from collections.abc import Callable, Mapping
from typing import Any

from qa_demo.core.files.examples import PoolExample
from qa_demo.core.masking.infiller import Infiller
from qa_demo.views.background import Job, never, untold
from qa_demo.views.examples import load_examples
from qa_demo.views.services import Services
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.state import Screen
from tests.fakes import FakeReader


def services(
    reader: Callable[[], Any] = FakeReader,
    load: Callable[[str], Any] | None = None,
    examples: Mapping[str, PoolExample] | None = None,
    infillers: ModelCache[Infiller] | None = None,
    **more: Any,
) -> Services:
    """A server with a fake reader under every name, and the bundled examples."""
    return Services(
        reader,
        load or (lambda source: FakeReader(name=source)),
        load_examples() if examples is None else examples,
        infillers=infillers,
        **more,
    )


def job(
    screen: Screen,
    name: str = "",
    value: Any = None,
    reader: Any = None,
    visitor: str = "me",
    progress: Any = untold,
    cancelled: Any = never,
    load: Callable[[str], Any] | None = None,
    **more: Any,
) -> Job:
    """A visitor's request; `reader` answers under every name, but for those that `load` answers."""
    used = FakeReader() if reader is None else reader
    return Job(
        screen,
        name,
        value,
        services(lambda: used, load or (lambda source: used), **more),
        visitor,
        progress,
        cancelled,
    )
