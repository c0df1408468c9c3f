"""One gradient step on the windows of a reading, and how far it moved S, E and the tokens."""

from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadInput, IsCancelled
from qa_demo.core.losses import Golds, LossTerm
from qa_demo.core.steps import Movement, Scope, movement
from qa_demo.core.types import Reading, Window
from qa_demo.model.outputs import output_layer
from qa_demo.model.private import PrivateWeights, hidden, window_loss
from qa_demo.model.workers import Workers


class Stepper:
    """Passes of a reader and a private copy; if only the head moves, states are kept."""

    def __init__(
        self,
        model: Any,
        workers: Workers,
        reading: Reading,
        golds: Golds,
        scope: Scope,
        windows: tuple[int, ...],
    ) -> None:
        """`windows`: those of the reading that training sees."""
        self._model, self._workers, self._scope = model, workers, scope
        self._reading, self._golds, self._windows = reading, golds, windows
        self.hidden: dict[int, torch.Tensor] = {}

    def step(
        self,
        private: PrivateWeights,
        optimizer: torch.optim.Optimizer,
        cancelled: IsCancelled | None,
    ) -> tuple[LossTerm, ...]:
        """One step on the windows' mean; returns the loss before it. Each runs alone, unpadded."""
        for p in private.own().values():
            p.requires_grad_(True)
            p.grad = None
        sums, count = np.zeros(2), len(self._windows)
        for w in self._windows:
            with self._workers.slot(cancelled, wide=False), torch.enable_grad():
                window = self._reading.windows[w]
                losses = window_loss(self._logits(private.model, window), window, self._golds)
                (losses.mean() / count).backward()  # type: ignore[no-untyped-call]
            sums += losses.detach().double().numpy() / count
        if not np.isfinite(sums).all():
            raise BadInput("the loss is not finite")
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return LossTerm("start", float(sums[0]), 0.5, count), LossTerm(
            "end", float(sums[1]), 0.5, count
        )

    def _logits(self, model: Any, window: Window) -> torch.Tensor:
        """[n, 2] of the private model; a head alone reads hidden states that are computed once."""
        if self._scope != "head":
            logits: torch.Tensor = output_layer(model)(hidden(model, window))
            return logits
        if window.index not in self.hidden:
            with torch.no_grad():
                self.hidden[window.index] = hidden(self._model, window)
        return output_layer(model)(self.hidden[window.index])  # type: ignore[no-any-return]

    def movements(self, private: PrivateWeights | None, w: int) -> tuple[Movement, ...]:
        """S, E and the T of one window, against the reader's own."""
        window, moved = self._reading.windows[w], private is not None
        other = self._model if private is None else private.model
        with self._workers.slot(wide=False), torch.no_grad():
            before = self.hidden.setdefault(w, hidden(self._model, window))
            after = hidden(other, window) if moved and self._scope != "head" else before
        rows = [output_layer(m).weight.detach().double().numpy() for m in (self._model, other)]
        return (
            movement("S", rows[0][0], rows[1][0]),
            movement("E", rows[0][1], rows[1][1]),
            movement("T", before.numpy(), after.numpy()),
        )
