"""One window through a model from its word embeddings on, and what families differ in."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadInput
from qa_demo.core.types import Window

TOKENS_AT_ONCE = 1280
"""Positions in one pass: half a second of a small model, then others have their turn."""
SHIFTED = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Families whose first position is padding id + 1, so that the rows up to there are never used."""


def longest_input(config: Any) -> int:
    """A model's longest input, special tokens included: rows that positions can have."""
    unused = int(config.pad_token_id or 0) + 1 if config.model_type in SHIFTED else 0
    return int(config.max_position_embeddings) - unused


def knows_token_types(config: Any) -> bool:
    """Whether token types tell question from paragraph: not in DistilBERT, MPNet, DeBERTa."""
    return (getattr(config, "type_vocab_size", 0) or 0) > 1


def adds_no_position(config: Any) -> bool:
    """Whether a word's vector reaches the first layer norm alone (positions in attention)."""
    relative = getattr(config, "position_biased_input", True) is False
    return relative or config.model_type == "modernbert"


def output_layer(model: Any) -> Any:
    """The linear layer d -> 2 whose two rows are S and E."""
    return model.classifier if model.config.model_type == "modernbert" else model.qa_outputs


def head_states(model: Any, last: Any) -> Any:
    """T [..., n, d], which the output layer reads, from the encoder's last hidden states: the same,
    but in ModernBERT, where a linear layer, its activation and a layer norm stand between.
    """
    return model.head(last) if model.config.model_type == "modernbert" else last


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


def logits(
    model: Any, embeds: torch.Tensor, types: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Start and end logits [b, n], [b, n] of word embeddings [b, n, h], all of the same types."""
    inputs = {"inputs_embeds": embeds}
    if types is not None:
        inputs["token_type_ids"] = types.expand(len(embeds), -1)
    both = output_layer(model)(head_states(model, model.base_model(**inputs)[0]))
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
