"""What chapters may ask of the server: readers, infillers, a queue for slow work, limits."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from qa_demo.core.course.rooms import Rooms
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.options import WindowOptions
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader
from qa_demo.core.reading.windows import fitting
from qa_demo.core.types import Reading
from qa_demo.views.session.jobs import JobQueue
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.session.recent import RecentValues, held_bytes

BUNDLED = "bundled"
MAX_CHARACTERS = 50_000
READINGS_BYTES = 32_000_000
"""Some 200 readings of 200 words, or some 20 of 8,000."""


@dataclass(frozen=True, eq=False)
class Services:
    """Made once for a page. `first()` waits for the reader named `default`; `load(source)` loads
    another one or refuses.

    `checksum()` is that of the bundled reader and waits for nothing: readings that other weights
    made are not shown.
    """

    first: Callable[[], Reader]
    load: Callable[[str], Reader]
    examples: Mapping[str, PoolExample]
    default: str = BUNDLED
    checksum: Callable[[], str | None] = lambda: None
    infillers: ModelCache[Infiller] | None = None
    """Models that fill blanks, by name; None on a page that was started without one."""
    max_characters: int = MAX_CHARACTERS
    jobs: JobQueue = field(default_factory=JobQueue)
    loaded: Callable[[], bool] = lambda: True
    """Whether `first()` would wait for nothing."""
    readings: RecentValues[Reading] = field(
        default_factory=lambda: RecentValues(READINGS_BYTES, held_bytes)
    )
    """Readings of any visitor, by reader and content; page and API share them."""
    rooms: Rooms | None = None
    """The rooms of classes; None where this server opens none."""
    sources: Sequence[str] = ("hub", "folder")
    """From where a visitor may have readers loaded, beside those that are offered."""
    offered: Sequence[str] = (BUNDLED,)
    """The readers that come with the package and can be loaded here."""
    _known: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name and checksum of the readers that have read, by the name they were asked for."""

    def reader(self, source: str) -> Reader:
        """The reader of that name, loaded when it is not in memory. Raises what loading raises."""
        return self.first() if source == self.default else self.load(source)

    def read(
        self,
        source: str,
        question: str,
        context: str,
        windows: WindowOptions,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Reading:
        """The reading of these texts by the reader of that name: the one kept, or a new one.

        The default windows are shortened for a reader of fewer positions. A reader without a
        checksum may change under its name, so its readings are not kept.
        """
        reader = self.reader(source)
        self._known[source] = reader.name, reader.checksum
        windows = fitting(windows, reader.max_seq_length)
        found = self.kept(source, question, context, windows)
        if found is not None:
            return found
        made = reader.read(question, context, windows, on_progress, cancelled)
        if not reader.checksum:
            return made
        return self.readings.put((reader.name, reader.checksum, question, context, windows), made)

    def kept(
        self, source: str, question: str, context: str, windows: WindowOptions
    ) -> Reading | None:
        """The reading that is kept of these texts, or None; waits for nothing."""
        name, checksum = self._known.get(source, ("", ""))
        key: Hashable = (name, checksum, question, context, windows)
        return self.readings.get(key) if checksum else None


def reading_name(source: str, question: str, context: str, windows: WindowOptions) -> Hashable:
    """The name under which visitors share a reading that is being made (`JobQueue.run`)."""
    return ("reading", source, question, context, windows)


def reading_size(source: str, question: str, context: str, windows: WindowOptions) -> float:
    """About how many windows of 384 positions the reader's work amounts to, by the texts' lengths:
    four characters are about a token.
    """
    tokens, positions = len(context) / 4, windows.max_seq_length
    room = positions - min(len(question) / 4, windows.max_query_length)
    several = 1 + max(0.0, tokens - room) / windows.doc_stride
    return max(0.1, several * min(tokens + positions - room, positions) / 384)
