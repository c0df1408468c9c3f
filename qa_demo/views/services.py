"""What every chapter may ask of the server: readers, models that fill blanks, the queue for slow
work, limits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qa_demo.core.infill import Infiller
from qa_demo.core.reader import Reader
from qa_demo.views.examples import PageExample
from qa_demo.views.session.jobs import JobQueue
from qa_demo.views.session.model_cache import ModelCache

BUNDLED = "bundled"
MAX_CHARACTERS = 50_000


@dataclass(frozen=True, eq=False)
class Services:
    """Made once for a page. `first()` waits for the reader named `default`; `load(source)` loads
    another one or refuses.

    `checksum()` is that of the bundled reader and waits for nothing: readings that other weights
    made are not shown.
    """

    first: Callable[[], Reader]
    load: Callable[[str], Reader]
    examples: Mapping[str, PageExample]
    default: str = BUNDLED
    checksum: Callable[[], str | None] = lambda: None
    infillers: ModelCache[Infiller] | None = None
    """Models that fill blanks, by name; None on a page that was started without one."""
    max_characters: int = MAX_CHARACTERS
    jobs: JobQueue = field(default_factory=JobQueue)

    def reader(self, source: str) -> Reader:
        """The reader of that name, loaded when it is not in memory. Raises what loading raises."""
        return self.first() if source == self.default else self.load(source)
