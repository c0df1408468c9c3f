"""What Python sends to the browser, as files of JSON in which one value stands on each line."""

import base64
import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

from qa_demo.cli.site import edition_of
from qa_demo.core.reader import Reader
from qa_demo.views.bench import panel, presets
from qa_demo.views.page import CHAPTERS, frame_of
from qa_demo.views.saved.site import OWN, Edition
from qa_demo.views.saved.tape import record
from tests.fakes import FakeReader
from tests.requests import services
from tests.views.saved.editions import edition

DATA = re.compile(r'spanlight\("([^"]+)", "([\w+/=]+)"\);\n')
PASSING = {"stamp", "key", "seed"}
"""Fields that number the run rather than say something of a text."""


def steady(value: Any) -> Any:
    """The same without what differs from one run to the next."""
    if isinstance(value, dict):
        return {k: steady(v) for k, v in value.items() if k not in PASSING}
    return [steady(v) for v in value] if isinstance(value, list) else value


def write(path: Path, value: Any) -> None:
    """One file; names in order, so that a move in the code is no difference."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(steady(value), indent=0, sort_keys=True, ensure_ascii=False, default=str)
    path.write_text(text, encoding="utf-8")


def edition_by(name: str) -> Edition:
    """The static edition: all texts and lessons by the bundled reader, a few by the fake one."""
    if name == "fake":
        return edition()
    from qa_demo.model.loading import load_reader

    reader: Reader = load_reader("bundled")
    return edition_of(reader, "bundled", "")


def keep_payloads(folder: Path, name: str) -> None:
    """The edition's files, whose data are tapes of every text; a tape of each bench case."""
    for file, text in edition_by(name).files():
        path = folder / "edition" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if found := DATA.fullmatch(text):
            data = json.loads(gzip.decompress(base64.b64decode(found[2])))
            write(folder / "data" / f"{found[1]}.json", data)
        sys.stderr.write(f"{name}: {file}\n")
    chapters = [module for module in CHAPTERS if module.CHAPTER.key != OWN]
    frame = frame_of(services(lambda: FakeReader(bio=True)), chapters)
    for preset in presets.load():
        screen = panel.placed(None, preset.bench, preset.chapter)
        write(folder / "bench" / f"{preset.id}.json", record(frame, screen))
