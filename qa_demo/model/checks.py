"""Checks of a model folder's files before a library sees them: kinds, sizes, headers, checksums."""

import fnmatch
import hashlib
import json
import math
import stat
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint

MAX_JSON = 32 * 2**20  # tokenizer files of multilingual readers reach 17 MB; a config has a few kB
MAX_HEADER = 8 * 2**20  # one tensor takes about 120 bytes of header
MAX_TENSORS = 20_000
_BYTES = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "I64": 8,
    "I32": 4,
    "I16": 2,
    "I8": 1,
    "U8": 1,
    "BOOL": 1,
}
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt", "*.h5", "*.msgpack")


@dataclass(frozen=True)
class Tensor:
    """What a safetensors header says about one tensor."""

    dtype: str
    shape: tuple[int, ...]


def regular(folder: Path, name: str) -> Path | None:
    """The path of a plain file of this folder, or None when there is none.

    A link may lead elsewhere in the folder or, as in a hub cache, to the `blobs` beside
    `snapshots`; a link that leaves, a pipe or a device is refused, because opening one could block
    forever or read a file that is not the model's.
    """
    path = folder / name
    try:
        where, kind = path.resolve(strict=True), path.stat()
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as fault:
        raise BadCheckpoint(f"{name} cannot be read") from fault
    home = folder.resolve()
    blobs = home.parent.parent / "blobs"
    if not (where.is_relative_to(home) or where.is_relative_to(blobs)):
        raise BadCheckpoint(f"{name} is a link that leads out of the model's folder")
    if not stat.S_ISREG(kind.st_mode):
        raise BadCheckpoint(f"{name} is not a plain file")
    return path


POINTER = b"version https://git-lfs."


def refuse_pointer(path: Path) -> None:
    """BadCheckpoint for a git-LFS pointer: the lines that stand in for a file not fetched."""
    with path.open("rb") as file:
        if file.read(len(POINTER)) == POINTER:
            raise BadCheckpoint(
                f"{path.name} is a git-LFS pointer, not the file itself; run git lfs pull in the "
                f"model's folder"
            )


def read_json(folder: Path, name: str, limit: int = MAX_JSON) -> Any:
    """The content of a JSON file, or None without one. Errors: BadCheckpoint for no JSON."""
    path = regular(folder, name)
    if path is None:
        return None
    try:
        if path.stat().st_size > limit:
            raise BadCheckpoint(f"{name} has {path.stat().st_size:,} bytes, allowed are {limit:,}")
        refuse_pointer(path)
        return json.loads(path.read_bytes().decode("utf-8"))
    except OSError as fault:
        raise BadCheckpoint(f"{name} cannot be read") from fault
    except (ValueError, RecursionError) as fault:
        raise BadCheckpoint(f"{name} is not valid JSON") from fault


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that hold the model: one, or the shards that an index names."""
    single = regular(folder, "model.safetensors")
    if single is not None:
        return [single]
    index = read_json(folder, "model.safetensors.index.json")
    if index is not None:
        shards = index.get("weight_map") if isinstance(index, dict) else None
        names = sorted({str(name) for name in shards.values()}) if isinstance(shards, dict) else []
        if not names or any(
            "/" in name or "\\" in name or not name.endswith(".safetensors") for name in names
        ):
            raise BadCheckpoint(
                "model.safetensors.index.json names no safetensors files of this folder"
            )
        paths = [(name, regular(folder, name)) for name in names]
        for name, path in paths:
            if path is None:
                raise BadCheckpoint(f"{name} is missing, model.safetensors.index.json asks for it")
        return [path for _, path in paths if path is not None]
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    if pickles:
        raise BadCheckpoint(
            f"the weights are only there as {pickles[0][:60]}, a format that can run code when it "
            "is opened; allowed is model.safetensors (transformers' save_pretrained writes it)"
        )
    raise BadCheckpoint("there are no weights: model.safetensors is missing")


def _span(name: str, entry: Any, at: str) -> tuple[Tensor, int, int]:
    try:
        dtype, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        sound = all(type(n) is int and n >= 0 for n in (*shape, begin, end)) and dtype in _BYTES
    except (TypeError, KeyError, ValueError):
        sound = False
    if not sound or end - begin != math.prod(shape) * _BYTES[dtype]:
        raise BadCheckpoint(
            f"{at} is broken: the header entry of {name[:60]!r} does not describe its bytes"
        )
    return Tensor(dtype, shape), begin, end


def read_header(path: Path) -> dict[str, Tensor]:
    """Names, types and shapes of a safetensors file; its ranges must tile the file exactly.

    Layout: 8 bytes little-endian header length, that many bytes of JSON, then the tensors' bytes.
    """
    at = path.name
    try:
        refuse_pointer(path)
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
            if not 2 <= length <= min(MAX_HEADER, size - 8):
                raise BadCheckpoint(
                    f"{at} is broken or cut off: {size:,} bytes cannot hold the header it announces"
                )
            header = json.loads(file.read(length).decode("utf-8"))
    except OSError as fault:
        raise BadCheckpoint(f"{at} cannot be read") from fault
    except (ValueError, RecursionError) as fault:
        raise BadCheckpoint(f"{at} is broken: its header is not valid JSON") from fault
    if not isinstance(header, dict) or len(header) > MAX_TENSORS:
        raise BadCheckpoint(
            f"{at} is broken: its header must be an object of at most {MAX_TENSORS:,} tensors"
        )
    spans = {
        name: _span(name, entry, at) for name, entry in header.items() if name != "__metadata__"
    }
    reached = 0
    for _, begin, end in sorted(spans.values(), key=lambda item: item[1:]):
        if begin != reached:
            raise BadCheckpoint(f"{at} is broken: its tensors overlap or leave gaps")
        reached = end
    if 8 + length + reached != size:
        raise BadCheckpoint(
            f"{at} is broken or cut off: it has {size:,} bytes, its header describes "
            f"{8 + length + reached:,}"
        )
    return {name: tensor for name, (tensor, _, _) in spans.items()}


def sha256(path: Path) -> str:
    """The SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_manifest(folder: Path, required: bool, loaded: Sequence[str] = ("*",)) -> str:
    """Compare every file with checksums.json ({file: sha256}); return the checksum of the list, ""
    where there is none.

    A listed file that is absent is an error when its name fits a pattern of `loaded`: a snapshot of
    the hub holds only what is loaded, and its list names the card beside it.
    """
    manifest = read_json(folder, "checksums.json")
    if manifest is None:
        if required:
            raise BadCheckpoint("checksums.json is missing")
        return ""
    if not isinstance(manifest, dict) or not manifest:
        raise BadCheckpoint("checksums.json must map file names to SHA-256 sums")
    for name, expected in sorted(manifest.items()):
        path = regular(folder, name) if Path(name).name == name else None
        if path is None:
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in loaded):
                continue
            raise BadCheckpoint(f"{name[:60]} is missing, checksums.json lists it")
        if sha256(path) != expected:
            raise BadCheckpoint(f"{name} was changed: its SHA-256 differs from checksums.json")
    return sha256(folder / "checksums.json")
