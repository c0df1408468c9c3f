"""What config.json describes, laid out without one weight."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint
from qa_demo.model.checks import read_json
from qa_demo.model.config import build_config, clean_config
from qa_demo.model.source import LOOPBACK, HostLimits

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Blueprint:
    """What a folder's config.json describes: configuration, class, shapes; no memory taken."""

    folder: Path
    config: Any
    model_class: Any
    shapes: dict[str, tuple[int, ...]]
    head: tuple[str, ...]
    parameters: int


def blueprint(
    folder: Path, limits: HostLimits = LOOPBACK, head: str = "QuestionAnswering"
) -> Blueprint:
    """Read config.json and lay the model out on torch's meta device: no weight allocated."""
    import torch

    raw = read_json(folder, "config.json", limit=2**20)
    if raw is None:
        raise BadCheckpoint("config.json is missing, so this is not a transformers model")
    clean = clean_config(raw)
    answers = head == "QuestionAnswering"
    labels = raw.get("id2label")
    named, outputs = len(labels) if isinstance(labels, dict) else 2, raw.get("num_labels", 2)
    if answers and not named == outputs == 2:
        raise BadCheckpoint(
            f"config.json describes a head with other than two outputs (start and end), so it is "
            f"no span reader: id2label names {named}, num_labels is {outputs!r:.20}"
        )
    try:
        config, model_class = build_config(clean, head)
        with torch.device("meta"):
            skeleton = model_class(config)
    except Exception as fault:
        log.warning("no skeleton", exc_info=fault)
        raise BadCheckpoint(
            f"config.json describes no model that can be built ({type(fault).__name__})"
        ) from fault
    shapes = {name: tuple(tensor.shape) for name, tensor in skeleton.state_dict().items()}
    parameters = sum(parameter.numel() for parameter in skeleton.parameters())
    if limits.max_parameters is not None and parameters > limits.max_parameters:
        raise BadCheckpoint(
            f"the model has {parameters:,} parameters, this host allows {limits.max_parameters:,}"
        )
    # Only of a reader's head are all tensors stored: the decoder of a masked-language head is tied
    # to the embeddings.
    required = tuple(
        name for name in shapes if answers and not name.startswith(f"{skeleton.base_model_prefix}.")
    )
    return Blueprint(folder, config, model_class, shapes, required, parameters)
