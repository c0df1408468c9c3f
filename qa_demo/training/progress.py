"""What both training commands share: one step of the optimiser, the log, the polite stop."""

import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator

from qa_demo.training import checkpoints

Terms = dict[str, torch.Tensor]


def descend(
    accelerator: Accelerator,
    model: Any,
    optimizer: Any,
    terms_of: Callable[[], Terms],
    total: Callable[[Terms], torch.Tensor],
) -> Terms:
    """One step of the optimiser down the total of the loss terms; the terms before it."""
    model.train()
    with accelerator.autocast():
        terms = terms_of()
    accelerator.backward(total(terms))
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return terms


class Log:
    """Means of loss terms and tokens a second since the last row, to log.jsonl and logger."""

    def __init__(self, out: Path, seconds: float, logger: logging.Logger) -> None:
        self.path, self.logger = out / "log.jsonl", logger
        self.before, self.began = seconds, time.monotonic()
        self.tokens, self.taken = 0, 0.0
        self.sums: dict[str, list[torch.Tensor]] = {}

    @property
    def seconds(self) -> float:
        """Seconds of all sessions of this run, and of the runs it was resumed from."""
        return self.before + time.monotonic() - self.began

    def step(self, terms: Terms, tokens: int, seconds: float) -> None:
        """Keep the terms as tensors: turning each into a number would make a GPU wait."""
        self.tokens, self.taken = self.tokens + tokens, self.taken + seconds
        for name, value in terms.items():
            self.sums.setdefault(name, []).append(value.detach())

    def row(self, step: int, before: int, **more: Any) -> None:
        """Write one row, and start the means anew."""
        means = {
            name: round(float(torch.stack(values).mean()), 4) for name, values in self.sums.items()
        }
        row = {"step": step, "before": before, "seconds": round(self.seconds), **more, **means}
        if self.taken:
            row["tokens_per_second"] = round(self.tokens / self.taken)
        checkpoints.append(self.path, row)
        self.logger.info("%s", row)
        self.tokens, self.taken, self.sums = 0, 0.0, {}


@contextmanager
def stop_asked() -> Iterator[list[int]]:
    """A list that Ctrl-C and SIGTERM add to, so that a checkpoint is written before the stop."""
    asked: list[int] = []
    earlier = {
        number: signal.signal(number, lambda n, _: asked.append(n))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
