"""What "show me the code" of any chapter prints the numbers of."""

from collections.abc import Callable

from qa_demo.core.errors import BadInput
from qa_demo.figures.code import Shown
from qa_demo.views.state import Screen


def printed(make: Callable[[Shown], str]) -> Callable[[Screen], str]:
    """The `code` of a chapter: plain torch, made of the numbers on screen alone."""
    return lambda screen: make(shown_of(screen))


def shown_of(screen: Screen) -> Shown:
    """The numbers on this screen. Errors: BadInput where nothing is selected."""
    chosen, changed = screen.selection, screen.what_if
    if chosen is None:
        raise BadInput("nothing is selected; the code prints the numbers of a selected span")
    return Shown(
        screen.reading,
        screen.source,
        chosen.window,
        chosen.span,
        screen.decode,
        screen.merge,
        changed.temperature,
        changed.logits,
        changed.offset,
    )
