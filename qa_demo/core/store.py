"""Readings and attributions on disk: plain arrays and JSON, nothing pickled.

A stored reading lets a page show an example before any model is loaded, and serves as a fixture.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from qa_demo.core import types
from qa_demo.core.attribution import Attribution, Target
from qa_demo.core.base import BadCheckpoint
from qa_demo.core.windows import make_windows


def find_assets(package: Path) -> Path:
    """The folder `assets`: inside an installed package (by setup.py), beside it in a checkout."""
    inside = package / "assets"
    return inside if inside.is_dir() else package.with_name("assets")


ASSETS = find_assets(Path(__file__).resolve().parents[1])
READERS = {"bundled": ASSETS / "reader", "large": ASSETS / "reader-large"}
"""The readers that come with the package, by the name to ask for."""


def bundled() -> tuple[str, str]:
    """The checksums of the bundled reader and of its weights alone; torch is not needed for it."""
    listed = (READERS["bundled"] / "checksums.json").read_bytes()
    return hashlib.sha256(listed).hexdigest(), json.loads(listed)["model.safetensors"]


ATTRIBUTIONS = ASSETS / "attributions.npz"
LOGITS = ("start_logits", "end_logits", "tag_logits")
PLAIN = ("model_name", "threshold", "checksum", "baseline")
"""Fields of a reading that are stored as they are."""


def _save(path: Path, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    text = np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, about=text, **arrays)


@contextmanager
def undamaged(path: Path) -> Iterator[None]:
    """Around the reading of a file that came with this program. Errors: BadCheckpoint for a damaged
    one, as a clone without git-LFS leaves it.
    """
    try:
        yield
    except (OSError, EOFError, ValueError, BadZipFile, zlib.error) as fault:
        raise BadCheckpoint(
            f"{path.name}, which came with this program, is damaged or a git-LFS pointer; get it "
            "again, in a clone with git lfs pull"
        ) from fault


def shipped_json(path: Path) -> Any:
    """The value of a JSON file that came with this program. Errors: BadCheckpoint."""
    with undamaged(path):
        return json.loads(path.read_bytes())


def shipped_arrays(path: Path) -> dict[str, Any]:
    """The arrays of such a file. Errors: BadCheckpoint."""
    with undamaged(path), np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _load(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    arrays = shipped_arrays(path)
    return json.loads(arrays.pop("about").tobytes().decode("utf-8")), arrays


# ---- readings


def save_reading(reading: types.Reading, path: Path) -> None:
    """Write a reading; the windows are not stored: the encoding and the options determine them."""
    held = {f.name: getattr(reading.encoding, f.name) for f in fields(types.Encoding)}
    logits = {name: getattr(reading, name) for name in LOGITS}
    arrays = {k: v for k, v in (held | logits).items() if isinstance(v, np.ndarray)}
    about = {
        "encoding": {name: value for name, value in held.items() if name not in arrays},
        "options": asdict(reading.options),
        "calibrations": None if reading.calibrations is None else asdict(reading.calibrations),
        **{name: getattr(reading, name) for name in PLAIN},
    }
    _save(path, about, arrays)


def load_reading(path: Path) -> types.Reading:
    """Read what `save_reading` wrote; the windows are built again."""
    about, arrays = _load(path)
    start, end, tags = (arrays.pop(name, None) for name in LOGITS)
    for name, value in about["encoding"].items():
        arrays[name] = tuple(value) if isinstance(value, list) else value
    encoding, options = types.Encoding(**arrays), types.WindowOptions(**about["options"])
    if (fits := about["calibrations"]) is not None:
        span = fits["span"] and types.Calibration(**fits["span"])
        line = fits["answerable"] and types.Answerability(**fits["answerable"])
        fits = types.Calibrations(span, line)
    more = {name: about[name] for name in PLAIN} | {"options": options, "calibrations": fits}
    return types.Reading(encoding, make_windows(encoding, options), start, end, tags, **more)


# ---- attributions


def save_attributions(found: Mapping[str, tuple[str, Attribution]], path: Path) -> None:
    """Write, by example, the checksum of a reader and its integrated gradients of the margin of
    the best span, so that the page shows them at once.
    """
    names = ("window", "f_x", "f_baseline", "baseline", "n_steps", "tried")
    about = {
        name: {
            "checksum": checksum,
            "span": [a.target.span.start, a.target.span.end],
            "record": {one: getattr(a, one) for one in names},
        }
        for name, (checksum, a) in found.items()
    }
    _save(path, about, {name: a.values.astype(np.float32) for name, (_, a) in found.items()})


@cache
def stored_attributions(path: Path = ATTRIBUTIONS) -> dict[str, tuple[str, Attribution]]:
    """What `save_attributions` wrote."""
    (about, arrays), found = _load(path), {}
    for name, one in about.items():
        record = one["record"] | {"tried": tuple(map(tuple, one["record"]["tried"]))}
        target = Target("span_minus_null", types.Span(*one["span"]), None, record["window"])
        made = Attribution(target, "integrated_gradients", values=arrays[name], **record)
        found[name] = one["checksum"], made
    return found
