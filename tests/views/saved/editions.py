"""A small edition by the fake reader: three texts, one often read wrong, lesson, passage."""

import base64
import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import PoolExample, load_passages
from qa_demo.core.types import Reading
from qa_demo.views.examples import load_failures, load_menu
from qa_demo.views.frame import Frame
from qa_demo.views.lessons.course import load
from qa_demo.views.page import CHAPTERS, frame_of, tabs
from qa_demo.views.saved.site import OWN, Edition
from qa_demo.views.session.model_cache import ModelCache
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.requests import services

SPAN = next(lesson for lesson in load() if lesson.id == "span")
TRAIN = replace(SPAN.steps[1], view="loss", step="steps", act="train")
"""A step that presses what the edition does not hold."""
LESSON = replace(SPAN, steps=(SPAN.steps[0], TRAIN, *SPAN.steps[2:]))
PASSAGE = load_passages(ASSETS / "passages.json")[0]
READER = FakeReader(bio=True)


def examples() -> dict[str, PoolExample]:
    """The lesson's texts, and the first that readers get wrong."""
    wanted = {LESSON.example, *(step.example for step in LESSON.steps if step.example)}
    wrong = next(iter(load_failures()))
    return {key: one for key, one in load_menu().items() if key in {*wanted, wrong}}


def read(key: str) -> Reading:
    example = examples()[key]
    return READER.read(example.question, example.context, example.options)


def edition(home: str = "") -> Edition:
    """By the fake reader, with a model that fills blanks."""
    models = ModelCache(FakeInfiller)
    served = services(lambda: READER, examples=examples(), infillers=models)

    def frame(own: bool) -> Frame:
        return frame_of(served, [m for m in CHAPTERS if (m.CHAPTER.key == OWN) == own])

    return Edition((frame(False), frame(True)), read, (LESSON,), (PASSAGE,), home, tabs())


def written(folder: Path) -> Path:
    """All files in a folder."""
    for name, text in edition().files():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return folder


def data(folder: Path, name: str) -> Any:
    """What a file of the edition hands over."""
    text = (folder / "data" / f"{name}.js").read_text(encoding="utf-8")
    found = re.fullmatch(r'spanlight\("([^"]+)", "([\w+/=]+)"\);\n', text)
    assert found is not None and found[1] == name
    return json.loads(gzip.decompress(base64.b64decode(found[2])))
