"""The loop of both training commands: loss, log, snapshots, checkpoints, the polite stop."""

import dataclasses
import json
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from accelerate import Accelerator
from torch import nn

from qa_demo.core.base import BadInput
from qa_demo.training import checkpoints
from qa_demo.training.processor import processor_has_bf16
from qa_demo.training.progress import Log, Terms, descend, stop_asked

Place = dict[str, Any]
"""Where in its data a run is; stored in every checkpoint."""

Draw = tuple[Place, dict[str, torch.Tensor], int]
"""The place after a step, its batch, and how many real tokens all hosts read in it."""


class LoopSettings(Protocol):
    """What the loop needs of a run's settings; steps are counted from the beginning of a phase."""

    out: str
    steps: int
    warmup: int
    decay: str
    seed: int
    log_every: int
    evaluate_every: int
    save_every: int


@dataclass(frozen=True)
class Job:
    """What one kind of training brings to the loop.

    `batches(place)` goes on behind a place for ever; `carried` names the parts of the place that a
    new phase takes over from the one before it; `measure` gives a row of held-out figures;
    `average` is moved by `after_step(step of all phases)`.
    """

    model: nn.Module
    groups: list[dict[str, Any]]
    place: Place
    batches: Callable[[Place], Iterator[Draw]]
    loss: Callable[[nn.Module, dict[str, torch.Tensor]], Terms]
    total: Callable[[Terms], torch.Tensor]
    measure: Callable[[], dict[str, Any]] | None = None
    average: nn.Module | None = None
    after_step: Callable[[int], None] | None = None
    carried: tuple[str, ...] = ()
    snapshots: bool = False


def begin(s: LoopSettings, resume: str | None) -> Accelerator:
    """Seed torch, make the folder, and find the device and number format of a run. Errors: BadInput
    for a folder that holds another run.
    """
    state = Path(s.out) / "state.json"
    if state.is_file() and not checkpoints.same(resume, Path(s.out)):
        raise BadInput(
            f"{s.out} holds a run of {json.loads(state.read_text())['step']:,} steps: go on "
            f"with it by --resume {s.out}, or take another --out"
        )
    accelerator = Accelerator(
        mixed_precision="bf16" if processor_has_bf16() else "no", cpu=not torch.cuda.is_available()
    )
    torch.manual_seed(s.seed)
    Path(s.out).mkdir(parents=True, exist_ok=True)
    return accelerator


def rate(step: int, s: LoopSettings) -> float:
    """Factor on the learning rate at a step of this run, from 0."""
    warm = min(1.0, (step + 1) / s.warmup) if s.warmup else 1.0
    return warm * (max(0.0, 1 - step / s.steps) if s.decay == "linear" else 1.0)


def _start(s: LoopSettings, job: Job, optimizer: Any, resume: str | None) -> dict[str, Any]:
    """The state to begin with: the same folder goes on, another one starts a new phase."""
    if not resume:
        return {"step": 0, "step_before": 0, "seconds": 0.0, **job.place}
    same = checkpoints.same(resume, Path(s.out))
    state = checkpoints.resume(Path(resume), job.model, job.average, optimizer if same else None)
    if same:
        return state
    carried = {name: state[name] for name in job.carried}
    before = state["step"] + state["step_before"]
    return {"step": 0, "step_before": before, "seconds": state["seconds"], **job.place, **carried}


def _keep(s: LoopSettings, job: Job, optimizer: Any, state: dict[str, Any], logged: Log) -> None:
    """Write the rows and files that are due after a step."""
    out, done, before = Path(s.out), state["step"], state["step_before"]
    if job.snapshots and checkpoints.is_snapshot(done + before):
        checkpoints.snapshot(out, job.model, done + before)
    if done % s.log_every == 0:
        logged.row(done, before, **{name: state[name] for name in ("round",) if name in state})
    if job.measure is not None and (done % s.evaluate_every == 0 or done == s.steps):
        logged.row(done, before, **job.measure())
        if job.average is not None:
            # The last average is not always the best: keep each one that was scored, so that export
            # can choose on the dev set.
            checkpoints.snapshot(
                out, job.average, done + before, "average", list(checkpoints.trainable(job.model))
            )
    if done % s.save_every == 0 and done < s.steps:
        _save(s, job, optimizer, state, logged)


def _save(s: LoopSettings, job: Job, optimizer: Any, state: dict[str, Any], logged: Log) -> None:
    """Write a checkpoint."""
    state = {**state, "seconds": logged.seconds}
    checkpoints.save(Path(s.out), job.model, job.average, optimizer, state)


def _note(
    s: LoopSettings, job: Job, accelerator: Accelerator, resume: str | None, state: dict[str, Any]
) -> None:
    """Write the settings, and the snapshot before the very first step."""
    out = Path(s.out)
    checkpoints.write_settings(out, dataclasses.asdict(s), resume, str(accelerator.mixed_precision))
    if job.snapshots and state["step"] + state["step_before"] == 0:
        checkpoints.snapshot(out, job.model, 0)


def run(
    s: LoopSettings, job: Job, accelerator: Accelerator, resume: str | None, log: logging.Logger
) -> bool:
    """Take the steps; True when all were taken, False when a signal stopped the run."""
    main = accelerator.is_main_process
    optimizer = torch.optim.AdamW(job.groups, fused=True)
    state = _start(s, job, optimizer, resume)
    peaks = [group["lr"] for group in job.groups]
    prepared, optimizer = accelerator.prepare(job.model, optimizer)
    if main:
        _note(s, job, accelerator, resume, state)
    logged, clock = Log(Path(s.out), state["seconds"], log), time.monotonic()
    with stop_asked() as asked:
        for place, batch, tokens in job.batches(state):
            if state["step"] >= s.steps or asked:
                break
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = peak * rate(state["step"], s)
            there = {
                name: value.to(accelerator.device, non_blocking=True)
                for name, value in batch.items()
            }
            terms = descend(
                accelerator, prepared, optimizer, partial(job.loss, prepared, there), job.total
            )
            state = {**state, **place, "step": state["step"] + 1}
            if job.after_step is not None:
                job.after_step(state["step"] + state["step_before"])
            now = time.monotonic()
            logged.step(terms, tokens, now - clock)
            clock = now
            if main:
                _keep(s, job, optimizer, state, logged)
                clock = time.monotonic()
    if main:
        _save(s, job, optimizer, state, logged)
        log.info("stopped at step %d of %d", state["step"], s.steps)
    return bool(state["step"] >= s.steps)
