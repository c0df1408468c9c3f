"""What can be selected in a saved page."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading, Span
from qa_demo.views.state import Screen, Selection

MOST_SELECTIONS = 400
NONE = "none"
"""The name of the record that belongs to no selection."""


def place_of(selection: Selection | None) -> str:
    """The name of a selection on a tape."""
    if selection is None:
        return NONE
    return f"{selection.window} {selection.span.start} {selection.span.end}"


def listed(
    screen: Screen, pictures: Mapping[str, dict[str, Any]], went: Iterable[Selection] = ()
) -> list[Selection]:
    """What can be selected in a saved page: the selection itself, the listed spans, what annotators
    marked, what answers have selected, every row of a table, every word.
    """
    found: dict[str, Selection] = {}
    for selection in _candidates(screen, pictures, went):
        if len(found) < MOST_SELECTIONS:
            found.setdefault(place_of(selection), selection)
    return list(found.values())


def _candidates(
    screen: Screen, pictures: Mapping[str, dict[str, Any]], went: Iterable[Selection]
) -> Iterator[Selection]:
    reading = screen.reading
    if screen.selection is not None:
        yield screen.selection
    for ranked in screen.prediction.n_best:
        yield Selection(ranked.candidate.window, ranked.candidate.span)
    for gold in screen.gold:
        span = span_at(reading.encoding, gold.char_start, gold.char_end)
        home = reading.home(span)
        if home is not None:
            yield Selection(home.index, span)
    yield from went
    tables = [table for data in pictures.values() for table in data["tables"]]
    for table in sorted(tables, key=lambda one: len(one["rows"])):
        for row in table["select"] or ():
            if row is not None:
                yield Selection(row[0], Span(row[1], row[2]))
    for span in words(reading):
        owner = reading.windows[int(reading.owners[span.start])]
        if owner.holds(span):
            yield Selection(owner.index, span)


def words(reading: Reading) -> Iterator[Span]:
    """The word pieces of each word, as a click on it selects them."""
    ids, start = reading.encoding.whitespace_ids, 0
    for at in range(1, len(ids) + 1):
        if at == len(ids) or ids[at] != ids[start]:
            yield Span(start, at - 1)
            start = at
