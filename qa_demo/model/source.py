"""What a reader's name means, and its folder, whose files are looked at before a library does."""

import fnmatch
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint, BadInput, ModelUnavailable
from qa_demo.core.store import READERS

TOKENIZER_FILES = (
    "tokenizer.json", "vocab.txt", "vocab.json",
    "spm.model", "spiece.model", "sentencepiece.bpe.model",
)  # fmt: skip
"""What a tokenizer is read from, the last three by the package sentencepiece alone."""
CARD_FILE, INDEX_FILE = "reader.json", "model.safetensors.index.json"
FETCHED = (
    "config.json", "checksums.json", CARD_FILE, INDEX_FILE,
    "model*.safetensors", "*_head.safetensors",
    *TOKENIZER_FILES, "merges.txt", "tokenizer_config.json",
    "special_tokens_map.json", "added_tokens.json",
)  # fmt: skip
"""What is fetched of a hub repository: no pickle, no Python."""
FAMILIES = (
    "bert", "distilbert", "roberta", "xlm-roberta", "camembert", "electra", "albert", "mpnet",
    "deberta", "deberta-v2", "modernbert",
)  # fmt: skip
"""The model types that are loaded."""
CHOOSE_CODE = (
    "auto_map", "custom_pipelines", "quantization_config", "fusion_config", "transformers_weights",
    "configuration_files", "fast_tokenizer_files", "attribute_map",
)  # fmt: skip
"""Keys that name code or files, or give another key a second name."""
MEANINGS = {"is_decoder": False, "is_causal": False, "position_embedding_type": "absolute"}
"""Switches that change what the weights mean, and the one value that readers here compute."""
INSTEAD = "use the bundled reader, which works offline"
NOT_FETCHED = dict.fromkeys(
    ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "TransportError"),
    "is not in the local cache, and Hugging Face cannot be reached from here or is forbidden "
    f"(HF_HUB_OFFLINE); {INSTEAD}",
) | {
    "RepositoryNotFoundError": "does not exist on Hugging Face, is private, or asks its users to "
    "accept terms",
    "EntryNotFoundError": "has no config.json, so it is not a transformers reader",
}
POINTER = b"version https://git-lfs."
_HUB = re.compile(
    r"([A-Za-z0-9][\w.-]{0,95})/([A-Za-z0-9_][\w.-]{0,95})(?:@([A-Za-z0-9_][\w./-]{0,99}))?",
    re.ASCII,
)


@dataclass(frozen=True)
class Source:
    """A parsed name: a folder, or a repository of the hub."""

    name: str
    path: Path | None = None
    repo: str = ""
    revision: str | None = None


def parse_source(
    text: str | Path, anywhere: bool = True, own: Mapping[str, Path] = READERS
) -> Source:
    """Turn a model's name into a Source; an existing folder wins over a hub id of the same
    spelling. Errors: BadInput; ModelUnavailable, before the disk is looked at, where not from
    `anywhere`: a host that others reach loads its own models only.
    """
    name = str(text).strip()
    if name in own:
        return Source(name, own[name])
    if not anywhere:
        raise ModelUnavailable(
            f"this host offers its own readers only: {' and '.join(map(repr, own))}"
        )
    folder = os.path.expanduser(name)
    if os.path.isdir(folder):
        called = " ".join(Path(folder).resolve().name.splitlines())
        return Source(called or name, Path(folder))
    found = _HUB.fullmatch(name)
    if found is None or ".." in name or "--" in name:
        raise BadInput(
            f"{name[:60]!r} is not a reader's name or an existing folder; allowed are "
            f"{', '.join(map(repr, own))} and a Hugging Face id such as owner/name or "
            f"owner/name@revision"
        )
    return Source(name, repo=f"{found[1]}/{found[2]}", revision=found[3])


def fetch(source: Source) -> tuple[Path, str]:
    """The snapshot of a hub reader in the local cache and its commit; config.json is scanned before
    the weights are fetched. Errors: ModelUnavailable; the library's own would quote addresses.
    """
    import huggingface_hub as hub

    config, at = (source.repo, "config.json"), {"revision": source.revision}
    try:
        if not hub.try_to_load_from_cache(*config, **at):
            # fails at once where there is no network; a download tries six times, for 24 seconds
            hub.get_hf_file_metadata(hub.hf_hub_url(*config, **at))
        folder = Path(hub.hf_hub_download(*config, **at)).parent
        scan(folder)
        wanted = {"revision": folder.name, "allow_patterns": list(FETCHED)}
        return Path(hub.snapshot_download(source.repo, **wanted)), folder.name
    except BadCheckpoint:
        raise
    except Exception as fault:
        said = f"was not fetched from the hub ({type(fault).__name__}); try again, or {INSTEAD}"
        for ancestor in type(fault).__mro__[::-1]:  # the nearest has the last word
            said = NOT_FETCHED.get(ancestor.__name__, said)
        raise ModelUnavailable(f"it {said}") from fault


def regular(folder: Path, name: str) -> Path | None:
    """The path of a plain file of this folder, or None when there is none.

    Refused are a link that leads neither into the folder nor, as in a hub cache, to the `blobs`
    beside `snapshots`; a pipe or a device, which could block forever; and a git-LFS pointer, the
    lines that stand in for a file that was not fetched.
    """
    path = folder / name
    try:
        if not path.exists() and not path.is_symlink():
            return None
        home, where = folder.resolve(), path.resolve(strict=True)
        if not any(where.is_relative_to(at) for at in (home, home.parent.parent / "blobs")):
            raise BadCheckpoint(f"{name} is a link that leads out of the model's folder")
        if not where.is_file():
            raise BadCheckpoint(f"{name} is not a plain file")
        with path.open("rb") as file:
            if file.read(len(POINTER)) == POINTER:
                held = "a git-LFS pointer, not the file itself; run git lfs pull in its folder"
                raise BadCheckpoint(f"{name} is {held}")
    except (OSError, RuntimeError) as fault:
        raise BadCheckpoint(f"{name} cannot be read") from fault
    return path


def read_json(folder: Path, name: str) -> Any:
    """The content of a JSON file, or None without one. Errors: BadCheckpoint for no JSON."""
    path = regular(folder, name)
    try:
        return None if path is None else json.loads(path.read_bytes())
    except (ValueError, RecursionError) as fault:
        raise BadCheckpoint(f"{name} is not valid JSON") from fault


def scan(folder: Path) -> None:
    """BadCheckpoint for a folder that chooses code or other files, or a kind of model that is not
    read. An attention implementation that is a hub address makes transformers fetch a kernel even
    where the caller asks for another one.
    """
    adapter = read_json(folder, "adapter_config.json")
    if adapter is not None:
        base = adapter.get("base_model_name_or_path") if isinstance(adapter, dict) else None
        of = str(base or "another model")[:100]
        raise BadCheckpoint(f"it is an adapter of {of}: merge it first")
    raw, words = (read_json(folder, name) for name in ("config.json", "tokenizer_config.json"))
    if not isinstance(raw, dict):
        raise BadCheckpoint(
            "config.json is missing or holds no object, so this is not a transformers model"
        )
    for name, held in (("config.json", raw), ("tokenizer_config.json", words or {})):
        for key, value in held.items():
            kernel = "attn_implementation" in key and value not in ("eager", "sdpa", True)
            if value and (kernel or key in CHOOSE_CODE):
                raise BadCheckpoint(
                    f"{name} has the key {key[:60]!r}, which chooses code or files; readers that "
                    f"need their own code are not loaded"
                )
    for key, meant in MEANINGS.items():
        if raw.get(key) not in (meant, None):
            raise BadCheckpoint(
                f"config.json has {key} = {str(raw[key])[:40]}; only {meant} is supported"
            )
    family = raw.get("model_type")
    if family not in FAMILIES:
        raise BadCheckpoint(
            f"config.json has model_type {str(family)[:40]!r}; readers of these families can be "
            f"loaded: {', '.join(FAMILIES)}"
        )


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files that hold the model. Errors: BadCheckpoint without one, and for others
    that transformers would read (an index names them, or they are parts of a distributed
    checkpoint): they might lie anywhere, and no checksum would hold them.
    """
    found = sorted(folder.glob("model*.safetensors"))
    if not found:
        raise BadCheckpoint(
            "model.safetensors is missing (transformers' save_pretrained writes it); pickles such "
            "as pytorch_model.bin can run code when they are opened, and are not read"
        )
    index = read_json(folder, INDEX_FILE) or {"weight_map": {}}
    read = {*index["weight_map"].values(), *(path.name for path in folder.glob("shard-*"))}
    for name in sorted(read - {path.name for path in found}):
        raise BadCheckpoint(
            f"{name[:60]!r} would be read too, and is no file model*.safetensors of this folder"
        )
    return found


def held(folder: Path) -> set[str]:
    """The names of the files here that a reader is made of."""
    return {path.name for pattern in FETCHED for path in folder.glob(pattern)}


def sha256(path: Path) -> str:
    """The SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(folder: Path, *more: Path) -> str:
    """One digest of config, tokenizer and weights, where no checksums.json lists all of them."""
    names = sorted(held(folder) - {"checksums.json", CARD_FILE})
    sums = [sha256(path) for path in (*(folder / name for name in names), *more)]
    return hashlib.sha256("".join(sums).encode()).hexdigest()


def check_manifest(folder: Path, required: bool, loaded: Sequence[str]) -> str:
    """Compare every file with checksums.json ({file: sha256}); return the checksum of the list, ""
    where there is none or it lacks a file that a reader is made of. A snapshot of the hub may lack
    files whose names fit no pattern of `loaded`: they are not asked for.
    """
    manifest = read_json(folder, "checksums.json")
    if manifest is None:
        if required:
            raise BadCheckpoint("checksums.json is missing")
        return ""
    for name, expected in sorted(manifest.items()):
        path = regular(folder, name) if Path(name).name == name else None
        if path is not None and sha256(path) != expected:
            what = "fetch it anew" if required else "where the change is yours, delete that list"
            raise BadCheckpoint(f"{name} was changed: its SHA-256 is not checksums.json's; {what}")
        if path is None and any(fnmatch.fnmatchcase(name, pattern) for pattern in loaded):
            raise BadCheckpoint(f"{name[:60]} is missing, checksums.json lists it")
    whole = held(folder) <= {*manifest, "checksums.json"}
    return sha256(folder / "checksums.json") if whole else ""
