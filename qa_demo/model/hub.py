"""Fetch a reader from the Hugging Face hub into its cache: probe, sizes, then our files."""

import fnmatch
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint, ModelUnavailable
from qa_demo.model.checks import MAX_JSON
from qa_demo.model.deadline import TookTooLong, within
from qa_demo.model.folder_tokenizer import TOKENIZER_FILES
from qa_demo.model.source import HostLimits, Source

FILES = [
    "config.json",
    "model.safetensors",
    "model.safetensors.index.json",
    "model-*-of-*.safetensors",
    *TOKENIZER_FILES,
    "merges.txt",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "bio_head.safetensors",
    "sbo_head.safetensors",
    "reader.json",
    "checksums.json",
]
PROBE_SECONDS = 3.0
FORBIDDEN = (
    "HF_HUB_OFFLINE is set and this reader is not in the local cache; the bundled reader works"
)
NO_INTERNET = (
    "Hugging Face cannot be reached from here and this reader is not in the local "
    "cache; the bundled reader works offline"
)


def offline() -> bool:
    """Whether the environment forbids network calls (HF_HUB_OFFLINE)."""
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "ON", "YES", "TRUE"}


def reachable() -> bool:
    """One HEAD request to the hub with a budget of 3 seconds, name lookup included."""
    from huggingface_hub import constants, get_session

    def probe() -> bool:
        get_session().head(constants.ENDPOINT, timeout=PROBE_SECONDS, follow_redirects=False)
        return True

    try:
        return within(PROBE_SECONDS, probe)
    except (OSError, TookTooLong):
        return False
    except Exception as fault:
        # The client library's own transport errors; their common base is not part of
        # huggingface_hub's interface.
        if type(fault).__module__.split(".")[0].startswith("http"):
            return False
        raise


def _cached(source: Source) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(
            snapshot_download(
                source.repo, revision=source.revision, allow_patterns=FILES, local_files_only=True
            )
        )
    except (LocalEntryNotFoundError, OSError, ValueError):
        return None


def fetch(
    source: Source, limits: HostLimits, check_config: Callable[[Path], object]
) -> tuple[Path, str]:
    """The local snapshot of a hub reader and its commit; `check_config` before the weights."""
    if offline() or not reachable():
        folder = _cached(source)
        if folder is None:
            raise ModelUnavailable(f"{source.name}: {FORBIDDEN if offline() else NO_INTERNET}")
        return folder, folder.name
    token = None if limits.use_token else False
    try:
        return _download(source, limits, check_config, token)
    except (BadCheckpoint, ModelUnavailable):
        raise
    except Exception as fault:
        raise _translated(source, fault) from fault


def _download(
    source: Source, limits: HostLimits, check_config: Callable[[Path], object], token: bool | None
) -> tuple[Path, str]:
    from huggingface_hub import HfApi, hf_hub_download, snapshot_download

    info = HfApi().model_info(
        source.repo, revision=source.revision, files_metadata=True, timeout=10, token=token
    )
    _check_listing(source, info, limits)
    revision = str(info.sha)
    config = Path(hf_hub_download(source.repo, "config.json", revision=revision, token=token))
    check_config(config.parent)
    return Path(
        snapshot_download(source.repo, revision=revision, allow_patterns=FILES, token=token)
    ), revision


def _check_listing(source: Source, info: Any, limits: HostLimits) -> None:
    sizes = {
        item.rfilename: item.size or 0
        for item in info.siblings or ()
        if any(fnmatch.fnmatchcase(item.rfilename, pattern) for pattern in FILES)
    }
    weights = {name: size for name, size in sizes.items() if name.endswith(".safetensors")}
    if not any(name.startswith("model") for name in weights):
        raise BadCheckpoint(
            f"{source.name} has no model.safetensors; other weight formats can run code and are "
            f"not loaded"
        )
    for name, size in sizes.items():
        if name not in weights and size > MAX_JSON:
            raise BadCheckpoint(
                f"{source.name}: {name[:60]} has {size:,} bytes, allowed are {MAX_JSON:,}"
            )
    total = sum(weights.values())
    # Eight bytes a parameter is the widest type a safetensors file can hold.
    if limits.max_parameters is not None and total > 8 * limits.max_parameters:
        raise BadCheckpoint(
            f"{source.name} has {total:,} bytes of weights, this host allows "
            f"{limits.max_parameters:,} parameters"
        )


def _translated(source: Source, fault: Exception) -> ModelUnavailable:
    """One sentence for each refusal of the hub; the library's own would quote addresses."""
    from huggingface_hub import errors

    for kind, sentence in (
        (errors.GatedRepoError, "asks its users to accept terms first, and this host has not"),
        (errors.RepositoryNotFoundError, "does not exist on Hugging Face, or is private"),
        (errors.RevisionNotFoundError, "has no such revision"),
        (errors.EntryNotFoundError, "has no config.json, so it is not a transformers reader"),
    ):
        if isinstance(fault, kind):
            return ModelUnavailable(
                f"{source.name} {sentence}; check the spelling (owner/name or owner/name@revision)"
            )
    return ModelUnavailable(
        f"{source.name} could not be fetched from Hugging Face ({type(fault).__name__}); "
        "try again, or use the bundled reader"
    )
