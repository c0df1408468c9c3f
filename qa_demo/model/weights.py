"""Tensors of a folder, checked against its configuration, and the model made of them."""

import logging
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadCheckpoint
from qa_demo.model.adapter import merged
from qa_demo.model.blueprint import Blueprint
from qa_demo.model.checks import Tensor, read_header
from qa_demo.model.whole import transformers

_building = threading.Lock()


def _check_shapes(plan: Blueprint, found: dict[str, Tensor]) -> None:
    for name in plan.head:
        if name not in found:
            raise BadCheckpoint(
                f"it has no question-answering head ({name} is missing): it is an encoder that "
                f"was never trained to answer"
            )
    for name, tensor in found.items():
        # Old checkpoints, converted from TensorFlow, call LayerNorm's two vectors gamma and beta;
        # transformers renames them too.
        modern = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        if modern in plan.shapes and plan.shapes[modern] != tensor.shape:
            raise BadCheckpoint(
                f"{name[:80]} has the shape {list(tensor.shape)}, config.json asks for "
                f"{list(plan.shapes[modern])}"
            )


def _check_headers(plan: Blueprint, files: list[Path], lost: str) -> None:
    found = {key: tensor for path in files for key, tensor in read_header(path).items()}
    _check_shapes(plan, found)
    # from_pretrained allocates all that the config describes before it says what is missing. Half
    # is enough to ask here: tied weights
    # are stored once, and a file that holds half cannot make us take more than a few times its own
    # size.
    held = sum(math.prod(tensor.shape) for tensor in found.values())
    if 2 * held < plan.parameters:
        raise BadCheckpoint(
            f"{lost}its tensors hold {held:,} numbers, config.json describes {plan.parameters:,} "
            f"parameters"
        )


def tensors_of(*files: Path) -> dict[str, Any]:
    """The tensors of safetensors files. Errors: BadCheckpoint for one that is not finite."""
    import torch
    from safetensors.torch import load_file

    tensors: dict[str, Any] = {}
    for path in files:
        for name, tensor in load_file(path).items():
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                raise BadCheckpoint(
                    f"{path.name}: {name[:80]} holds numbers that are not finite (NaN or infinity)"
                )
            tensors[name] = tensor
    return tensors


def fill(head: Any, path: Path) -> Any:
    """A head with the tensors of a file beside a folder, in its own precision. Errors:
    BadCheckpoint for other tensors than it has.
    """
    shapes = {name: tensor.shape for name, tensor in read_header(path).items()}
    needed = {name: tuple(tensor.shape) for name, tensor in head.state_dict().items()}
    for name in sorted(shapes.keys() | needed.keys()):
        if shapes.get(name) != needed.get(name):
            raise BadCheckpoint(
                f"{path.name}: {name[:60]} must have the shape {needed.get(name)}, got "
                f"{shapes.get(name)}"
            )
    head.load_state_dict(tensors_of(path))
    return head


class _Report(logging.Filter):
    """transformers prints a coloured table of missing tensors; our own error says it."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "LOAD REPORT" not in record.getMessage()


@contextmanager
def _without_report() -> Iterator[None]:
    """Keep the table off the terminal while a model is built; every other warning comes through."""
    log, silent = logging.getLogger("transformers.modeling_utils"), _Report()
    log.addFilter(silent)
    try:
        yield
    finally:
        log.removeFilter(silent)


def weights(plan: Blueprint, files: list[Path], lost: str = "", adapter: Path | None = None) -> Any:
    """The model from tensors we read ourselves: transformers never sees the folder, so nothing else
    in it can matter.

    `lost` is said before the list of missing tensors; an `adapter` is merged into what the files
    hold.
    """
    import torch

    _check_headers(plan, [*files, *([adapter] if adapter else [])], lost)
    tensors = tensors_of(*files)
    if adapter is not None:
        prefix = f"{plan.model_class.base_model_prefix}."
        tensors = merged(tensors, tensors_of(adapter), prefix)
    transformers().logging.disable_progress_bar()
    with _building, _without_report():
        model, info = plan.model_class.from_pretrained(
            None,
            config=plan.config,
            state_dict=tensors,
            dtype=torch.float32,
            trust_remote_code=False,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
        )
    missing = sorted(info["missing_keys"]) + sorted(str(name) for name in info["mismatched_keys"])
    if missing:
        raise BadCheckpoint(
            f"{lost}{len(missing)} tensors that config.json asks for are missing, the first is "
            f"{missing[0][:80]}"
        )
    return model
