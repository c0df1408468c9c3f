"""What the bench can be set to: cases of lessons and textbooks, from `assets/bench.json`."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from qa_demo.core.course.bench import Bench
from qa_demo.core.errors import BadInput
from qa_demo.core.files.assets import ASSETS
from qa_demo.views.bench.typed import parsed

FILE = ASSETS / "bench.json"
LESSONS = "From the lessons"


@dataclass(frozen=True)
class Preset:
    """A bench with a name; `about` says what to look at, `chapter` where it shows best."""

    id: str
    group: str
    title: str
    about: str
    chapter: str
    bench: Bench


@lru_cache(maxsize=2)
def load(path: Path = FILE) -> tuple[Preset, ...]:
    """The presets in the order of the menu. Errors: BadInput, with the id of the one at fault."""
    found = []
    for entry in json.loads(path.read_text(encoding="utf-8")):
        try:
            bench = parsed(entry["bench"])
        except BadInput as error:
            raise BadInput(f"{path.name}, preset '{entry['id']}': {error}") from error
        words = {name: entry[name] for name in ("id", "group", "title", "about", "chapter")}
        found.append(Preset(**words, bench=bench))
    return tuple(found)


def preset(key: object) -> Preset:
    """One of them by its id. Errors: BadInput."""
    for one in load():
        if one.id == key:
            return one
    raise BadInput(f"the bench has no preset '{str(key)[:40]}'")


def first(chapter: str) -> Preset:
    """The case of a lesson that a chapter shows best; where none does, that of three tokens."""
    cases = [one for one in load() if one.group == LESSONS]
    return next((one for one in cases if one.chapter == chapter), cases[0])
