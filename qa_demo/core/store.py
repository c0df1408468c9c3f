"""A reading and the recorded fine-tuning on disk: plain arrays and JSON, nothing pickled.

A stored reading lets a page show an example before any model is loaded, and serves as a fixture.
"""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.attribution import Attribution, Target
from qa_demo.core.base import BadInput, freeze
from qa_demo.core.types import (
    TAGS,
    Answerability,
    Calibration,
    Calibrations,
    Encoding,
    Reading,
    Span,
    WindowOptions,
)
from qa_demo.core.windows import make_windows

PACKAGE = Path(__file__).resolve().parents[1]


def find_assets(package: Path) -> Path:
    """The folder `assets`: inside an installed package (by setup.py), beside it in a checkout."""
    inside = package / "assets"
    return inside if inside.is_dir() else package.with_name("assets")


ASSETS = find_assets(PACKAGE)
READERS = {"bundled": ASSETS / "reader", "large": ASSETS / "reader-large"}
"""The readers that come with the package, by the name to ask for."""

FORMAT = 1
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy, zipfile and json raise at a file cut off, damaged, or with other fields."""


PLAIN = ("model_name", "threshold", "checksum", "seconds", "baseline")
"""Fields of a reading that are stored as they are."""


def save_reading(reading: Reading, path: Path) -> None:
    """Write a reading; the windows are not stored: the encoding and the options determine them."""
    held = {f.name: getattr(reading.encoding, f.name) for f in fields(Encoding)}
    arrays: dict[str, Any] = {k: v for k, v in held.items() if isinstance(v, np.ndarray)}
    plain = {name: value for name, value in held.items() if name not in arrays}
    for name in ("start_logits", "end_logits", "tag_logits"):
        if getattr(reading, name) is not None:
            arrays[name] = getattr(reading, name)
    about = {
        "format": FORMAT,
        "encoding": plain,
        "options": asdict(reading.options),
        "calibrations": None if reading.calibrations is None else asdict(reading.calibrations),
        **{name: getattr(reading, name) for name in PLAIN},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path, about=np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8), **arrays
    )


def load_reading(path: Path) -> Reading:
    """Read what `save_reading` wrote; windows are built again and must fit the stored logits."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(arrays.pop("about").tobytes().decode("utf-8"))
        start, end = arrays.pop("start_logits"), arrays.pop("end_logits")
        tags = arrays.pop("tag_logits", None)
        plain: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in about["encoding"].items()
        }
        encoding, options = Encoding(**{**plain, **arrays}), WindowOptions(**about["options"])
        windows = make_windows(encoding, options)
        shape = len(windows), max(len(w) for w in windows)
        if not start.shape == end.shape == shape or (
            tags is not None and tags.shape != (*shape, len(TAGS))
        ):
            raise BadInput(
                f"{path.name}: logits of shape {start.shape} do not fit {len(windows)} windows"
            )
        return Reading(
            encoding=encoding,
            windows=windows,
            options=options,
            start_logits=start,
            end_logits=end,
            tag_logits=tags,
            calibrations=_calibrations(about["calibrations"]),
            **{name: about[name] for name in PLAIN},
        )
    except UNREADABLE as error:
        raise BadInput(
            f"{path.name} is not a stored reading of format {FORMAT}: {error}"
        ) from error


def _calibrations(raw: dict[str, dict[str, float] | None] | None) -> Calibrations | None:
    if raw is None:
        return None
    kinds = {"span": Calibration, "bio": Calibration, "answerable": Answerability}
    found: dict[str, Any] = {k: kinds[k](**one) for k, one in raw.items() if one is not None}
    return Calibrations(**found)


ATTRIBUTIONS = ASSETS / "attributions.npz"


def save_attributions(found: Mapping[str, tuple[str, Attribution]], path: Path) -> None:
    """Write, by example, the checksum of a reader and its integrated gradients of the lead of the
    best span, so that the page shows them at once.
    """
    about, lanes = dict[str, Any](), dict[str, Any]()
    for name, (checksum, a) in found.items():
        plain: dict[str, Any] = {"window": a.window, "f_x": a.f_x, "f_baseline": a.f_baseline}
        plain |= {"baseline": a.baseline, "n_steps": a.n_steps, "tried": a.tried}
        span = [a.target.span.start, a.target.span.end]
        about[name] = {"checksum": checksum, "span": span, "record": plain}
        lanes[name] = np.stack([a.start, a.end]).astype(np.float32)
    text = np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8)
    np.savez_compressed(path, about=text, **lanes)


@cache
def stored_attributions(path: Path = ATTRIBUTIONS) -> dict[str, tuple[str, Attribution]]:
    """What `save_attributions` wrote; nothing where there is no file."""
    if not path.is_file():
        return {}
    found = {}
    try:
        with np.load(path, allow_pickle=False) as stored:
            for name, one in json.loads(stored["about"].tobytes().decode("utf-8")).items():
                record = one["record"] | {"tried": tuple(map(tuple, one["record"]["tried"]))}
                target = Target("span_minus_null", Span(*one["span"]), None, record["window"])
                start, end = stored[name].astype(np.float64)
                made = Attribution(target, "integrated_gradients", start=start, end=end, **record)
                found[name] = one["checksum"], made
    except UNREADABLE as error:
        raise BadInput(f"{path.name} holds no stored attributions: {error}") from error
    return found


class ReplayRows(NamedTuple):
    """One example's window over S recorded steps: logits [S, n]."""

    steps: tuple[int, ...]
    window: int
    start: NDArray[np.float32]
    end: NDArray[np.float32]


class Replay(NamedTuple):
    """The bundled reader's recorded fine-tuning: what each snapshot said of one window an example;
    `checksum` is the final reader's, whose rows stand last.
    """

    steps: tuple[int, ...]
    checksum: str
    places: dict[str, tuple[int, int, int]]
    start: NDArray[np.float16]
    end: NDArray[np.float16]

    def rows(self, example: str) -> ReplayRows | None:
        """The rows of one example; None when it was not recorded."""
        if example not in self.places:
            return None
        window, at, length = self.places[example]
        part = slice(at, at + length)
        start, end = (rows[:, part].astype(np.float32) for rows in (self.start, self.end))
        return ReplayRows(self.steps, window, freeze(start), freeze(end))


def load_replay(folder: Path) -> Replay | None:
    """Read what `qa_demo.training.assets` wrote, or None. Errors: BadInput for unfit files."""
    about_path, rows_path = folder / "replay.json", folder / "replay.npz"
    if not (about_path.is_file() and rows_path.is_file()):
        return None
    try:
        about = json.loads(about_path.read_text(encoding="utf-8"))
        with np.load(rows_path, allow_pickle=False) as stored:
            start, end = stored["start"], stored["end"]
        places = {
            e["id"]: (int(e["window"]), int(e["at"]), int(e["length"])) for e in about["examples"]
        }
        steps = tuple(int(s) for s in about["steps"])
        positions = sum(length for _, _, length in places.values())
        shape = (len(steps), positions)
        fits = about["format"] == FORMAT and start.shape == end.shape == shape
        checksum = str(about["checksum"])
    except UNREADABLE as fault:
        raise BadInput(f"the replay of the fine-tuning cannot be read: {fault}") from fault
    if not fits:
        raise BadInput(
            f"the replay of the fine-tuning does not fit together: {len(steps)} steps, "
            f"{positions} positions, rows {start.shape}"
        )
    return Replay(steps, checksum, places, start, end)
