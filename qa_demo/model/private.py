"""A private copy of some of a reader's weights, and the loss of one window as torch computes it.

Tensors that a scope does not train are shared with the reader, so a copy of the head costs
kilobytes, and a copy of the whole reader costs its layers only: the embedding tables stay fixed, as
in the project's own fine-tuning. Snapshots are half-precision differences from the reader's own
weights, so going back to the start is exact, and a later state is off by half a thousandth of its
difference, or by up to 3e-8 where the difference is below 6e-5, as after a few steps at a small
rate.
"""

import copy
from itertools import chain
from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadInput
from qa_demo.core.losses import Golds, start_end_targets
from qa_demo.core.steps import Plan, Scope
from qa_demo.core.types import Window
from qa_demo.model.forward import inputs_of
from qa_demo.model.outputs import BETWEEN, head_states, output_name

Weights = dict[str, torch.Tensor]
"""Tensors by the names of their parameters."""


def trained_names(model: Any, scope: Scope) -> tuple[str, ...]:
    """Names of the parameters that a scope moves: never an embedding table, nor the two biases of
    the head.

    A bias adds the same to every logit of its head, so its gradient sum_i (p_i - t_i) is exactly 0;
    in floating point it is noise, which AdamW would scale up to full steps.
    Errors: BadInput when the reader has no last layer of its own (ALBERT shares one layer's weights
    among all).
    """
    head = (f"{output_name(model)}.weight",)
    if scope == "head":
        return head
    prefix = f"{model.base_model_prefix}."
    tables, between = f"{prefix}embeddings.", f"{BETWEEN.get(model.config.model_type, prefix)}."
    if scope == "reader":
        own = tuple(
            name
            for name, _ in model.named_parameters()
            if name.startswith((prefix, between)) and not name.startswith(tables)
        )
        return own + head
    stack = next(
        (
            f"{prefix}{name}"
            for name, module in model.base_model.named_modules()
            if name.rsplit(".", 1)[-1] in ("layer", "layers")
            and isinstance(module, torch.nn.ModuleList)
        ),
        None,
    )
    if stack is None:
        raise BadInput(
            "this reader's layers share their weights, so the last one cannot be trained alone; "
            "train the head or the whole reader"
        )
    last = f"{stack}.{len(model.get_submodule(stack)) - 1}."
    return tuple(name for name, _ in model.named_parameters() if name.startswith(last)) + head


def private_copy(model: Any, names: tuple[str, ...]) -> Any:
    """A second model whose named parameters are its own and whose others are the first's."""
    shared = {
        id(tensor): tensor
        for name, tensor in chain(model.named_parameters(), model.named_buffers())
        if name not in names
    }
    return copy.deepcopy(model, shared)


class PrivateWeights:
    """One visitor's copy of some weights, the optimiser that moves them, and the way back."""

    def __init__(self, model: Any, names: tuple[str, ...]) -> None:
        self._shared, self._names = model, names
        self.model = private_copy(model, names)
        self._optimizer: torch.optim.Optimizer | None = None

    def own(self) -> dict[str, Any]:
        """The parameters that are not shared, by name."""
        wanted = set(self._names)
        return {name: p for name, p in self.model.named_parameters() if name in wanted}

    @torch.no_grad()
    def differences(self, exact: bool = False) -> Weights:
        """The way from the reader's weights to these: full precision in an action, half to keep."""
        theirs = dict(self._shared.named_parameters())
        kept = torch.float32 if exact else torch.float16
        return {name: (p.detach() - theirs[name]).to(kept) for name, p in self.own().items()}

    @torch.no_grad()
    def put_back(self, differences: Weights) -> None:
        """Go to a state that `differences` described; the optimiser starts anew."""
        theirs = dict(self._shared.named_parameters())
        for name, p in self.own().items():
            p.copy_(theirs[name] + differences[name].float())
        self._optimizer = None

    def optimizer_for(self, plan: Plan) -> torch.optim.Optimizer:
        """The running optimiser with the plan's rate; a fresh one after any other action."""
        kind = torch.optim.SGD if plan.optimizer == "sgd" else torch.optim.AdamW
        if type(self._optimizer) is not kind:
            own = self.own()
            more = {} if plan.optimizer == "sgd" else {"weight_decay": 0.01}
            self._optimizer = kind(
                [own[name] for name in self._names], lr=plan.learning_rate, **more
            )
        assert self._optimizer is not None
        for group in self._optimizer.param_groups:
            group["lr"] = plan.learning_rate
        return self._optimizer


def hidden(model: Any, window: Window) -> torch.Tensor:
    """The last hidden states T [n, d] of one unpadded window, which the heads read."""
    states: torch.Tensor = head_states(model, model.base_model(**inputs_of(model, window))[0])[0]
    return states


def window_loss(logits: torch.Tensor, window: Window, golds: Golds) -> torch.Tensor:
    """[2]: -sum_i t_i log p_i of start and end, p over the window's positions, logits [n, 2]."""
    targets = torch.from_numpy(np.stack(start_end_targets(window, golds), axis=1)).to(logits.dtype)
    return -(targets * logits.log_softmax(0)).sum(0)
