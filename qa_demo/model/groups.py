"""Windows of equal length, side by side in one pass of the model."""

from collections.abc import Iterator, Sequence

from qa_demo.core.types import Window


def buckets(windows: Sequence[Window], size: int) -> Iterator[list[Window]]:
    """Groups of at most `size` windows of equal length, in order: nothing is padded."""
    waiting: dict[int, list[Window]] = {}
    for window in windows:
        group = waiting.setdefault(len(window), [])
        group.append(window)
        if len(group) == size:
            yield waiting.pop(len(window))
    yield from waiting.values()
