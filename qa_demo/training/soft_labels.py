"""The teacher's logits on disk: written once, in half precision, part by part, so that a stopped
run goes on where it was.

A part holds PART windows: their digest, and five numbers a piece (start and end of [CLS] and the
passage, B, I and O of the passage; [CLS] has no tags).
"""

import hashlib
import json
import logging
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.types import Window
from qa_demo.training.teacher import Said, Teacher

log = logging.getLogger("teach")
PART, TOKENS = 256, 3072
"""Windows of a file, and padded tokens that the teacher reads together."""
VERSION = 2
"""Of how a teacher reads; the first gave every piece the token type 0."""


def write(folder: Path, teacher: Teacher, windows: Sequence[Window]) -> None:
    """Ask the teacher about every window whose part is not there yet. Errors: BadInput for a folder
    of another teacher, or of other windows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    check(folder, {"weights": teacher.digest, "version": VERSION})
    parts = [windows[at : at + PART] for at in range(0, len(windows), PART)]
    for number, part in enumerate(parts):
        if path(folder, number).is_file():
            read_part(folder, number, part)
            continue
        save_part(folder, number, part, asked(teacher, part))
        log.info("the teacher has read %d of %d parts", number + 1, len(parts))


def asked(teacher: Teacher, windows: Sequence[Window]) -> list[Said]:
    """What the teacher says of each window, windows of like length together."""
    order = sorted(range(len(windows)), key=lambda k: len(windows[k]))
    found: dict[int, Said] = {}
    while order:
        size = max(1, TOKENS // len(windows[order[-1]]))
        group, order = order[-size:], order[:-size]
        found |= dict(zip(group, teacher.says([windows[k] for k in group]), strict=True))
    return [found[k] for k in range(len(windows))]


def check(folder: Path, wanted: dict[str, str | int]) -> None:
    """Note in teacher.json who fills the folder; refuse one that is filled otherwise. Errors:
    BadInput.
    """
    about = folder / "teacher.json"
    if not about.is_file():
        about.write_text(json.dumps(wanted) + "\n")
    try:
        fits = json.loads(about.read_text()) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise BadInput(
            f"{folder.name} holds the logits of another teacher, or of an earlier version of this "
            f"command; take an empty folder"
        )


def path(folder: Path, number: int) -> Path:
    """The file of a part."""
    return folder / f"{number:05d}.npz"


def digest(windows: Sequence[Window]) -> str:
    """SHA-256 of the windows' pieces."""
    found = hashlib.sha256()
    for window in windows:
        found.update(np.asarray(window.input_ids, dtype=np.int64).tobytes() + b"|")
    return found.hexdigest()


def save_part(folder: Path, number: int, windows: Sequence[Window], said: Sequence[Said]) -> None:
    """Write a part whole or not at all."""
    rows = [
        np.concatenate([one.span, np.concatenate([np.zeros((1, 3), one.tags.dtype), one.tags])], 1)
        for one in said
    ]
    new = folder / "part.new.npz"
    np.savez(
        new,
        digest=np.frombuffer(digest(windows).encode(), dtype=np.uint8),
        sizes=np.asarray([len(row) for row in rows]),
        values=np.concatenate(rows).astype(np.float16),
    )
    os.replace(new, path(folder, number))


def read_part(folder: Path, number: int, windows: Sequence[Window]) -> list[Said]:
    """The logits of a part's windows, single precision. Errors: BadInput for an unfit file."""
    file = path(folder, number)
    try:
        with np.load(file, allow_pickle=False) as stored:
            made, sizes = stored["digest"].tobytes().decode(), stored["sizes"]
            values = stored["values"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise BadInput(f"{file.name} is no part of a teacher's logits: {fault}") from fault
    if made != digest(windows):
        raise BadInput(
            f"{file.name} was made for other windows: the data, the lengths or the seed differ"
        )
    rows = np.split(values, np.cumsum(sizes)[:-1])
    return [Said(row[:, :2], row[1:, 2:]) for row in rows]


def read(folder: Path, windows: Sequence[Window]) -> list[Said]:
    """All logits of a folder, in the order of the windows. Errors: BadInput."""
    return [
        one
        for number, at in enumerate(range(0, len(windows), PART))
        for one in read_part(folder, number, windows[at : at + PART])
    ]
