"""What a handler answers with: the parts of the page that one event changes, by name."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from qa_demo.figures.pack import printable
from qa_demo.figures.payload import plain
from qa_demo.views.state import Screen

OWN = ("screen", "reading", "selection", "message")
numbers = itertools.count(1)
"""In a payload it makes news of what is said again."""


@dataclass(frozen=True, eq=False)
class Update:
    """One event's changes; a part that is None or not named stays as it is.

    `reading` fills the browser's store, `selection` is the record of what is selected, `pictures`
    maps chapters to their pictures, `controls` maps names of gradio controls to values.
    """

    screen: Screen | None = None
    reading: dict[str, Any] | None = None
    selection: dict[str, Any] | None = None
    message: dict[str, Any] | None = None
    pictures: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    controls: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, Any]:
        """Every part that changes: screen, reading, selection, message, pictures, controls."""
        own = {name: getattr(self, name) for name in OWN}
        return {
            **{name: value for name, value in own.items() if value is not None},
            **{f"picture:{key}": value for key, value in self.pictures.items()},
            **{f"control:{name}": value for name, value in self.controls.items()},
        }

    @property
    def refused(self) -> bool:
        """Whether the event was answered with an error."""
        return self.message is not None and self.message["kind"] == "error"

    def then(self, later: "Update") -> "Update":
        """Both, the later one last: what it does not change is the earlier one's."""
        news = {name: value for name in OWN if (value := getattr(later, name)) is not None}
        return replace(
            self,
            **news,
            pictures={**self.pictures, **later.pictures},
            controls={**self.controls, **later.controls},
        )


Change = Callable[[Screen | None], Update]
"""From the newest screen to what changes; called under the visitor's lock."""


def said(text: str, kind: str = "quiet") -> Update:
    """Nothing changes but what the line below says; kind is quiet, busy or error. Numbered, to be
    spoken again.
    """
    return Update(message={"text": printable(text), "kind": kind, "n": next(numbers)})


def sent(picture: str, **parts: Any) -> Update:
    """A numbered payload of one picture."""
    return Update(pictures={picture: plain({"n": next(numbers), **parts})})
