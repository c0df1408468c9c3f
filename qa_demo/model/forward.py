"""One window through a loaded model from its word embeddings on: where explanations start."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadCheckpoint, BadInput, Cancelled, IsCancelled, OnProgress
from qa_demo.core.types import Window
from qa_demo.model.config import knows_token_types
from qa_demo.model.outputs import span_logits
from qa_demo.model.workers import Workers

TOKENS_AT_ONCE = 1280
"""Positions in one pass: half a second of a small model, then others have their turn."""


@dataclass(frozen=True)
class Loaded:
    """What explanations need of a reader: its shared model, tokenizer, place in the queue."""

    model: Any
    tokenizer: Any
    workers: Workers
    name: str
    checksum: str


def token_types(model: Any, *windows: Window) -> torch.Tensor | None:
    """Token types [b, n] of windows of equal length; None for a model with one type."""
    if not knows_token_types(model.config):
        return None
    return torch.from_numpy(np.stack([window.token_type_ids for window in windows]))


def inputs_of(model: Any, *windows: Window) -> dict[str, torch.Tensor]:
    """What a model reads of windows of equal length: ids [b, n], and token types where it has
    them.
    """
    inputs = {"input_ids": torch.from_numpy(np.stack([window.input_ids for window in windows]))}
    types = token_types(model, *windows)
    return inputs if types is None else inputs | {"token_type_ids": types}


def word_embeddings(model: Any, ids: Any) -> torch.Tensor:
    """Rows of the word embedding table, [..., h], without positions and types."""
    with torch.no_grad():
        return model.get_input_embeddings()(torch.as_tensor(np.array(ids)))


def encode(model: Any, embeds: torch.Tensor, types: torch.Tensor | None, **wanted: bool) -> Any:
    """The encoder's output for word embeddings [b, n, h], all of the same token types."""
    inputs = {"inputs_embeds": embeds}
    if types is not None:
        inputs["token_type_ids"] = types.expand(len(embeds), -1)
    return model.base_model(**inputs, **wanted)


def logits(
    model: Any, embeds: torch.Tensor, types: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Start and end logits [b, n], [b, n] of word embeddings [b, n, h]."""
    both = span_logits(model, encode(model, embeds, types)[0])
    return both[..., 0], both[..., 1]


def special_id(tokenizer: Any, name: str) -> int:
    """The id of `mask` or `pad`. Errors: BadInput for a tokenizer without it."""
    found = getattr(tokenizer, f"{name}_token_id")
    if found is None:
        raise BadInput(
            f"this reader's tokenizer has no {name} token, so it cannot stand in for a word"
        )
    return int(found)


def chunks(count: int, length: int) -> Iterator[slice]:
    """Slices of `count` inputs of `length` positions: no pass holds over `TOKENS_AT_ONCE`."""
    size = max(1, TOKENS_AT_ONCE // max(1, length))
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def masked_logits(
    loaded: Loaded,
    window: Window,
    masks: np.ndarray,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Start and end logits [b, n] with the positions of each mask [b, n] replaced by the mask
    token; positions and types stay.

    Errors: BadInput for masks of another shape, Cancelled, BadCheckpoint for logits that are not
    finite.
    """
    masks = np.asarray(masks, dtype=bool)
    if masks.ndim != 2 or masks.shape[1] != len(window):
        raise BadInput(
            f"masks for this window have the shape [b, {len(window)}], got {masks.shape}"
        )
    ids = np.where(masks, special_id(loaded.tokenizer, "mask"), window.input_ids[None, :])
    types = token_types(loaded.model, window)
    out = np.empty((2, *masks.shape), dtype=np.float32)
    for rows in chunks(len(masks), len(window)):
        with loaded.workers.slot(cancelled), torch.inference_mode():
            start, end = logits(loaded.model, word_embeddings(loaded.model, ids[rows]), types)
            out[0, rows], out[1, rows] = start.float().numpy(), end.float().numpy()
        if on_progress is not None:
            on_progress(rows.stop, len(masks))
    if cancelled is not None and cancelled():
        raise Cancelled("the explanation was cancelled")
    if not np.isfinite(out).all():
        raise BadCheckpoint(f"{loaded.name} gave logits that are not finite on a masked text")
    return out[0], out[1]
