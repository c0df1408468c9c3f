"""A Reading on disk: one .npz of plain arrays and one JSON string, nothing pickled.

It lets a page show an example before any model is loaded, and serves as a fixture.
"""

import json
import zipfile
import zlib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.types import (
    TAGS,
    Answerability,
    Calibration,
    Calibrations,
    Encoding,
    Reading,
    WindowOptions,
)
from qa_demo.core.windows import make_windows

PACKAGE = Path(__file__).resolve().parents[2]


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
        "model_name": reading.model_name,
        "threshold": reading.threshold,
        "checksum": reading.checksum,
        "seconds": reading.seconds,
        "baseline": reading.baseline,
        "calibrations": None if reading.calibrations is None else asdict(reading.calibrations),
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
            model_name=about["model_name"],
            threshold=about["threshold"],
            checksum=about["checksum"],
            seconds=about["seconds"],
            calibrations=_calibrations(about.get("calibrations")),
            baseline=about.get("baseline", "pad"),
        )
    except UNREADABLE as error:
        raise BadInput(
            f"{path.name} is not a stored reading of format {FORMAT}: {error}"
        ) from error


def _calibrations(raw: dict[str, dict[str, float] | None] | None) -> Calibrations | None:
    """Readings that were stored before there were calibrations hold none."""
    if raw is None:
        return None
    kinds = {"span": Calibration, "bio": Calibration, "answerable": Answerability}
    found: dict[str, Any] = {k: kinds[k](**one) for k, one in raw.items() if one is not None}
    return Calibrations(**found)
