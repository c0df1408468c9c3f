"""A reader that is a small change to an encoder it does not hold: the adapter's two thin matrices a
layer and both heads lie in its folder, the encoder is fetched or named, and both are merged when
loaded.
"""

from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint, ModelUnavailable
from qa_demo.model.source import (
    CARD_FILE,
    HostLimits,
    Source,
    fetch,
    read_json,
    regular,
    scan,
    sha256,
)

ADAPTER_FILE, BASE_FILE = "adapter.safetensors", "model.safetensors"
FIELDS = {"repo", "revision", "sha256"}
Tensors = dict[str, Any]


def base_of(folder: Path, limits: HostLimits) -> Path | None:
    """The folder of the encoder that the adapter in `folder` changes: the host's own (`--base`),
    else the pinned revision of the hub; None where the folder holds no adapter.

    Errors: BadCheckpoint for other weights than those the adapter was trained on, ModelUnavailable
    where this host may not or cannot fetch them.
    """
    if regular(folder, ADAPTER_FILE) is None:
        return None
    about = read_json(folder, CARD_FILE) or {}
    base = about.get("base") if isinstance(about, dict) else None
    if not isinstance(base, dict) or set(base) != FIELDS or not all(map(_word, base.values())):
        raise BadCheckpoint(
            f"{CARD_FILE} must name the adapter's base by {', '.join(sorted(FIELDS))}, got "
            f"{str(base)[:60]}"
        )
    found = limits.base or _fetched(base, limits)
    weights = regular(found, BASE_FILE)
    if weights is None:
        raise BadCheckpoint(f"the base {found.name} holds no {BASE_FILE}")
    held = sha256(weights)
    if held != base["sha256"]:
        raise BadCheckpoint(
            f"the adapter was trained on {base['repo']} with the SHA-256 {base['sha256'][:12]}..., "
            f"the base {found.name} has {held[:12]}..."
        )
    return found


def _word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable()


def _fetched(base: dict[str, str], limits: HostLimits) -> Path:
    name = f"{base['repo']}@{base['revision']}"
    way = f"it needs {name}; start with --base FOLDER, which holds it"
    if not limits.anywhere:
        raise ModelUnavailable(f"this host does not load from Hugging Face, and {way}")
    source = Source("hub", name, repo=base["repo"], revision=base["revision"])
    try:
        return fetch(source, scan)[0]
    except ModelUnavailable as fault:
        raise ModelUnavailable(f"{way} ({fault})") from fault


def merged(base: Tensors, adapter: Tensors, prefix: str) -> Tensors:
    """W' = W + B A for each adapted layer, A [rank, in], B [out, rank]; other tensors of the
    adapter (the start/end head) are added as they are. `prefix`: what the layers' names begin with
    in a model that has a head.

    Errors: BadCheckpoint for a layer that the base lacks, or matrices that do not fit it.
    Source: Hu et al. 2021, "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1 (its
    factor alpha / r is in B already).
    """
    out = {f"{prefix}{name.removeprefix(prefix)}": tensor for name, tensor in base.items()}
    for name, tensor in adapter.items():
        layer, part = name.rpartition(".")[::2]
        if part == "A":
            key, b = f"{prefix}{layer}.weight", adapter.get(f"{layer}.B")
            shape = out[key].shape if key in out else None
            if b is None or shape != (b.shape[0], tensor.shape[-1]) or b.shape[1] != len(tensor):
                raise BadCheckpoint(
                    f"{ADAPTER_FILE}: {layer[:80]} does not fit the base, whose matrix is "
                    f"{None if shape is None else list(shape)}"
                )
            out[key] = out[key].float() + b.float() @ tensor.float()
        elif part != "B":
            out[name] = tensor
    return out
