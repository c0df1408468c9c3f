"""The loop of all training commands, and what belongs to a run: flags, number format, checkpoints,
log, the polite stop.

One run is one folder and one phase. Ctrl-C and SIGTERM finish the step, write a checkpoint and
stop; the same command given again goes on. The rate falls by steps, or by elapsed time where a run
is given `--minutes`.
"""

import argparse
import json
import logging
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args, get_origin

import torch
from accelerate import Accelerator
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from qa_demo.core.base import BadInput, QADemoError

Place = dict[str, Any]
"""Where in its data a run is; stored in every checkpoint."""
Terms = dict[str, torch.Tensor]
Draw = tuple[Place, dict[str, torch.Tensor], int]
"""The place after a step, its batch, and how many real tokens all hosts read in it."""
Options = TypeVar("Options")
FREE = ("out", "steps", "minutes", "workers", "log_every", "evaluate_every", "save_every")
"""Settings that may differ where a run goes on."""


class Settings(Protocol):
    """What the loop needs of a run's settings: how many steps, or else how many minutes."""

    out: str
    steps: int
    minutes: float
    warmup: int
    decay: str
    seed: int
    log_every: int
    evaluate_every: int
    save_every: int


@dataclass(frozen=True)
class Job:
    """What one kind of training brings to the loop: `batches(place)` goes on behind a place for
    ever; `measure` gives a row of held-out figures; `average` is moved by `after_step(step)`, and
    where there is one, snapshots are kept for the replay.
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


def described(doc: str | None, name: str) -> argparse.ArgumentParser:
    """A parser whose help is a module's docstring; `name` is the module's."""
    return argparse.ArgumentParser(
        prog=f"python -m qa_demo.training.{name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def setting(default: Any, **about: Any) -> Any:
    """A field of a record of settings with what its flag should say: `help`, `choices`,
    `metavar`, and `flag` where it is spelled otherwise than the field.
    """
    return field(default=default, metadata=about)


def parsed(kind: type[Options], doc: str | None, name: str, argv: Sequence[str] | None) -> Options:
    """The settings that a command line asks for: a flag for each field, spelled like it."""
    p = described(doc, name)
    for option in fields(kind):  # type: ignore[arg-type]
        about: dict[str, Any] = dict(option.metadata)
        if option.type is bool:
            about["action"] = argparse.BooleanOptionalAction
        elif get_origin(option.type) is tuple:
            about |= {"type": get_args(option.type)[0], "nargs": "+" if option.default else "*"}
        else:
            about["type"] = option.type
        if option.default is MISSING:
            about["required"] = True
        else:
            about["default"] = option.default
        flag = about.pop("flag", option.name)
        p.add_argument(f"--{flag.replace('_', '-')}", dest=option.name, **about)
    given = vars(p.parse_args(argv))
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})


def exit_code(main: Callable[[list[str] | None], int | None]) -> Callable[..., int]:
    """A command's `main` that gives an exit code: its own, or 2, and one sentence, for what its
    user can mend. What the command logs is shown with the time.
    """

    @wraps(main)
    def run(argv: list[str] | None = None) -> int:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
        try:
            return main(argv) or 0
        except (QADemoError, OSError, SafetensorError) as fault:
            sys.stderr.write(f"{fault}\n")
            return 2

    return run


def seconds_of_products(dtype: torch.dtype) -> float:
    """The fastest of twenty products [1024, 384] x [384, 1536], or of those that half a second
    holds: where bf16 is made by hand one takes longer.
    """
    a, b = torch.ones(1024, 384, dtype=dtype), torch.ones(384, 1536, dtype=dtype)
    taken = list[float]()
    while len(taken) < 20 and sum(taken) < 0.5:
        began = time.perf_counter()
        a @ b
        taken.append(time.perf_counter() - began)
    return min(taken)


@cache
def processor_has_bf16() -> bool:
    """True where bf16 matrix products pay: on a GPU, and on a CPU where a short measurement finds
    them a fifth faster than fp32.

    The processor's own word is not enough: one that lists AVX512-BF16 but hides AMX took 1.8 times
    as long in bf16. Measured once in a process and with a margin: other work on the same cores must
    not change the format of a run that goes on.
    """
    return torch.cuda.is_available() or seconds_of_products(
        torch.bfloat16
    ) < 0.8 * seconds_of_products(torch.float32)


def training_form(dropout: float) -> dict[str, Any]:
    """How `from_pretrained` loads an encoder that is to be trained: fp32, safetensors only, dropout
    on hidden states only. On a CPU attention by plain products: the backward pass of torch 2.13's
    fused kernel takes a quarter of a step at 128 tokens (512 ms against 391). On a GPU the model
    chooses: MPNet has no fused one.
    """
    return {
        "dtype": torch.float32,
        "use_safetensors": True,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": 0.0,
        "attn_implementation": None if torch.cuda.is_available() else "eager",
    }


def read_json(path: Path) -> Any:
    """A file of a run or a model. Errors: BadInput where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise BadInput(f"{path.parent.name} holds no {path.name} that can be read") from fault


def write_json(path: Path, what: Any) -> None:
    """A file of a run or a model, whole or not at all."""
    new = path.with_suffix(".new.json")
    new.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
    os.replace(new, path)


def versions(*packages: str) -> dict[str, str]:
    """What figures were measured with: the versions of packages, and of Python."""
    return {name: version(name) for name in packages} | {"python": platform.python_version()}


def trainable(model: nn.Module) -> dict[str, torch.Tensor]:
    """The tensors that training changes; the frozen embeddings stay in the encoder's own folder."""
    return {n: p.detach().contiguous() for n, p in model.named_parameters() if p.requires_grad}


def load_weights(model: nn.Module, path: Path) -> None:
    """Copy a checkpoint's tensors into a model. Errors: BadInput for a name that it lacks."""
    tensors, own = load_file(path), dict(model.named_parameters())
    unknown = [name for name in tensors if name not in own]
    if unknown:
        raise BadInput(f"{path.name} holds tensors that the model lacks, as {unknown[0]}")
    with torch.no_grad():
        for name, tensor in tensors.items():
            own[name].copy_(tensor)


def logged(run: Path, what: str) -> list[dict[str, Any]]:
    """The rows of a run's log that hold `what`; none for a run without a log."""
    log = run / "log.jsonl"
    rows = map(json.loads, log.read_text().splitlines() if log.is_file() else ())
    return [row for row in rows if what in row]


def is_snapshot(step: int) -> bool:
    """Steps that the replay keeps: 0, 1, 2, 3, 4, 6, 8, 11, 16, ... = round(2^(k/2)), spaced
    logarithmically.
    """
    return step == 0 or any(step == round(2 ** (k / 2)) for k in range(41))


def snapshot(out: Path, model: nn.Module, names: Sequence[str], name: str) -> None:
    """Keep trained tensors of one step in half precision (21 MB for six layers of 384)."""
    folder = out / "snapshots"
    folder.mkdir(exist_ok=True)
    kept = {k: p.detach().half().contiguous() for k, p in model.named_parameters() if k in names}
    save_file(kept, folder / f"{name}.safetensors")


def save(out: Path, job: Job, optimizer: Any, state: dict[str, Any]) -> None:
    """Write weights, average, optimiser and place; an old checkpoint goes when it is whole."""
    files = {"weights": trainable(job.model)}
    if job.average is not None:
        kept = dict(job.average.named_parameters())
        files["average"] = {k: kept[k].detach().contiguous() for k in files["weights"]}
    files["optimizer"] = {
        f"{i}.{k}": v.contiguous()
        for i, s in optimizer.state_dict()["state"].items()
        for k, v in s.items()
        if torch.is_tensor(v)
    }
    for name, tensors in files.items():
        save_file(tensors, out / f"{name}.new.safetensors")
    for name in files:
        os.replace(out / f"{name}.new.safetensors", out / f"{name}.safetensors")
    write_json(out / "state.json", state)


def resumed(out: Path, job: Job, optimizer: Any) -> dict[str, Any]:
    """The state to begin with: that of the folder's checkpoint, all tensors restored, or step 0."""
    if not (out / "state.json").is_file():
        return {"step": 0, "seconds": 0.0, **job.place}
    load_weights(job.model, out / "weights.safetensors")
    if job.average is not None:
        load_weights(job.average, out / "average.safetensors")
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, value in load_file(out / "optimizer.safetensors").items():
        index, name = key.split(".", 1)
        moments.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    state: dict[str, Any] = read_json(out / "state.json")
    return state


class Log:
    """Means of loss terms and tokens a second since the last row, to log.jsonl and logger."""

    def __init__(self, out: Path, seconds: float, logger: logging.Logger) -> None:
        self.path, self.logger = out / "log.jsonl", logger
        self.before, self.began = seconds, time.monotonic()
        self.tokens, self.taken = 0, 0.0
        self.sums: dict[str, list[torch.Tensor]] = {}

    @property
    def seconds(self) -> float:
        """Seconds of all sessions of this run."""
        return self.before + time.monotonic() - self.began

    def step(self, terms: Terms, tokens: int, seconds: float) -> None:
        """Keep the terms as tensors: turning each into a number would make a GPU wait."""
        self.tokens, self.taken = self.tokens + tokens, self.taken + seconds
        for name, value in terms.items():
            self.sums.setdefault(name, []).append(value.detach())

    def row(self, step: int, **more: Any) -> None:
        """Write one row, and start the means anew."""
        means = {k: round(float(torch.stack(v).mean()), 4) for k, v in self.sums.items()}
        row = {"step": step, "seconds": round(self.seconds), **more, **means}
        if self.taken:
            row["tokens_per_second"] = round(self.tokens / self.taken)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
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


def begin(s: Settings) -> Accelerator:
    """Seed torch, make the folder, write the settings, and find device and number format. Errors:
    BadInput for a folder that holds another run, and for both or neither of steps and minutes.
    """
    out, now = Path(s.out), json.loads(json.dumps(asdict(s)))  # type: ignore[call-overload]
    if (s.steps > 0) == (s.minutes > 0):
        raise BadInput("a run takes --steps or --minutes, one of them and above 0")
    if (out / "state.json").is_file():
        kept = read_json(out / "settings.json")
        for name in now.keys() - set(FREE):
            if kept.get(name) != now[name]:
                raise BadInput(
                    f"{s.out} holds a run of {read_json(out / 'state.json')['step']:,} steps with "
                    f"--{name.replace('_', '-')} {kept.get(name)}: give the same to go on with it, "
                    f"or another --out"
                )
    bf16 = "bf16" if processor_has_bf16() else "no"
    accelerator = Accelerator(mixed_precision=bf16, cpu=not torch.cuda.is_available())
    if s.minutes and accelerator.num_processes > 1:
        raise BadInput("--minutes is for one process: several would not stop at the same step")
    torch.manual_seed(s.seed)
    out.mkdir(parents=True, exist_ok=True)
    if accelerator.is_main_process:
        write_json(
            out / "settings.json", now | {"torch": torch.__version__, "mixed_precision": bf16}
        )
    return accelerator


def gone(s: Settings, step: int, seconds: float) -> float:
    """How much of a run is behind it, 1 at its end."""
    return step / s.steps if s.steps else seconds / (60 * s.minutes)


def rate(s: Settings, step: int, seconds: float) -> float:
    """Factor on the learning rate at a step, from 0."""
    warm = min(1.0, (step + 1) / s.warmup) if s.warmup else 1.0
    return warm * (max(0.0, 1 - gone(s, step, seconds)) if s.decay == "linear" else 1.0)


def descend(accelerator: Accelerator, model: Any, optimizer: Any, job: Job, batch: Any) -> Terms:
    """One step of the optimiser down the total of the loss terms; the terms before it."""
    model.train()
    with accelerator.autocast():
        terms = job.loss(model, batch)
    accelerator.backward(job.total(terms))
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return terms


def measure(out: Path, job: Job, step: int, log: Log) -> None:
    """Write a row of held-out figures, and keep the average that they are of: the last one is not
    always the best.
    """
    if job.measure is not None:
        log.row(step, **job.measure())
        if job.average is not None:
            snapshot(out, job.average, list(trainable(job.model)), f"average-{step:06d}")


def keep(s: Settings, job: Job, optimizer: Any, state: dict[str, Any], log: Log) -> None:
    """Write the rows and files that are due after a step."""
    out, step = Path(s.out), state["step"]
    if job.average is not None and is_snapshot(step):
        snapshot(out, job.model, list(trainable(job.model)), f"step-{step:06d}")
    if step % s.log_every == 0:
        log.row(step, **{name: state[name] for name in ("epoch",) if name in state})
    if step % s.evaluate_every == 0:
        measure(out, job, step, log)
    if step % s.save_every == 0:
        save(out, job, optimizer, {**state, "seconds": log.seconds})


def run(s: Settings, job: Job, accelerator: Accelerator, logger: logging.Logger) -> bool:
    """Take the steps; True when all were taken, False when a signal stopped the run."""
    main, out = accelerator.is_main_process, Path(s.out)
    optimizer = torch.optim.AdamW(job.groups, fused=True)
    state = resumed(out, job, optimizer)
    began = state["step"]
    peaks = [group["lr"] for group in job.groups]
    model, optimizer = accelerator.prepare(job.model, optimizer)
    if main and job.average is not None and state["step"] == 0:
        snapshot(out, job.model, list(trainable(job.model)), "step-000000")
    log, clock = Log(out, state["seconds"], logger), time.monotonic()
    with stop_asked() as asked:
        for place, batch, tokens in job.batches(state):
            if gone(s, state["step"], log.seconds) >= 1 or asked:
                break
            factor = rate(s, state["step"], log.seconds)
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = peak * factor
            there = {k: v.to(accelerator.device, non_blocking=True) for k, v in batch.items()}
            terms = descend(accelerator, model, optimizer, job, there)
            state = {**state, **place, "step": state["step"] + 1}
            if job.after_step is not None:
                job.after_step(state["step"])
            now = time.monotonic()
            log.step(terms, tokens, now - clock)
            clock = now
            if main:
                keep(s, job, optimizer, state, log)
                clock = time.monotonic()
    ended = gone(s, state["step"], log.seconds) >= 1
    if main:
        if ended and state["step"] > began and state["step"] % s.evaluate_every:
            measure(out, job, state["step"], log)
        save(out, job, optimizer, {**state, "seconds": log.seconds})
        logger.info("stopped at step %d", state["step"])
    return ended
