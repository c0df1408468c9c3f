"""What was changed by hand: said in one line, given back by its button or one by one by Ctrl+Z."""

import json
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from qa_demo.views import parse
from qa_demo.views.link.parts import Part, parts_of
from qa_demo.views.state import Screen


def by_hand(modules: Mapping[str, ModuleType]) -> Iterator[Part]:
    """The parts that a hand may change."""
    return (part for parts in parts_of(modules).values() for part in parts if part.back)


def changes(screen: Screen, modules: Mapping[str, ModuleType]) -> list[str]:
    """What differs from how this reading started, as "threshold 8.42" or "2 logits"."""
    return [said for part in by_hand(modules) if (said := part.changed(screen))]


def give_back(screen: Screen, value: Any, modules: Mapping[str, ModuleType]) -> Screen:
    """The screen with these parts as `value` holds them, {name: as in a link}, and every other as
    it starts: {} gives all back. What is no part of this is left alone.
    """
    wanted = parse.record(value, "what was before")
    for part in by_hand(modules):
        now, then = part.save(screen), wanted.get(part.name)
        if part.back is None or json.dumps(now) == json.dumps(then):
            continue
        screen = part.back(screen) if part.changed(screen) else screen
        screen = screen if then is None else part.load(screen, then)
    return screen
