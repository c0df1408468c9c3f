"""The loop of all training commands: settings and flags, steps, checkpoints, log, the polite stop.

One run is one folder and one phase. Ctrl-C and SIGTERM finish the step, write a checkpoint and
stop; the same command given again goes on. The rate falls by steps, or by elapsed time where a run
is given `--minutes`.
"""

import argparse
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import nn
from transformers.hf_argparser import HfArg, HfArgumentParser

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.files import write_file
from qa_demo.training import heads
from qa_demo.training.heads import Trained, load_weights, trainable

log = logging.getLogger("training")
Options, Model = TypeVar("Options"), TypeVar("Model", bound=Trained)
Place = dict[str, Any]
"""Where in its data a run is; stored in every checkpoint."""
Batch = Mapping[str, torch.Tensor]
Terms = dict[str, torch.Tensor]
Draw = tuple[Place, Batch, int]
"""The place after a step, its batch, and how many real tokens stand in it."""
FREE = ("out", "steps", "minutes", "workers", "log_every", "evaluate_every", "save_every")
"""Settings that may differ where a run goes on."""
COUNTS = ("batch_tokens", "evaluate_every", "save_every", "log_every", "dev_limit", "held_limit")
"""Settings that are at least 1; no other number is below 0."""


# ---- a command: its flags, its exit code, its files


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every run depends on; written beside its weights. Each field is a flag."""

    out: str
    steps: int = 0
    minutes: float = HfArg(default=0.0, help="in place of --steps")
    batch_tokens: int = 3072
    learning_rate: float = 2e-4
    head_rate: float = 5.0
    warmup: int = 100
    weight_decay: float = 0.01
    dropout: float = 0.0
    seed: int = 1
    evaluate_every: int = 500
    save_every: int = 250
    log_every: int = 50


def described(doc: str | None, name: str, *kinds: type) -> HfArgumentParser:
    """A parser whose help is a module's docstring, with the flags of kinds of settings."""
    form, command = argparse.RawDescriptionHelpFormatter, f"python -m qa_demo.training.{name}"
    return HfArgumentParser(kinds, prog=command, description=doc, formatter_class=form)


def parsed(kind: type[Options], doc: str | None, name: str, argv: Sequence[str] | None) -> Options:
    """The settings that a command line asks for."""
    return kind(**vars(described(doc, name, kind).parse_args(argv)))


def exit_code(main: Callable[[list[str] | None], int | None]) -> Callable[..., int]:
    """A command's `main` that gives an exit code: its own, or 2 with one sentence for what its user
    can mend; what it logs is shown with the time.
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


def read_json(path: Path) -> Any:
    """A file of a run or a model. Errors: BadInput where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        name = path.absolute().parent.name
        raise BadInput(f"{name} holds no {path.name} that can be read") from fault


def write_json(path: Path, what: Any) -> None:
    """A file of a run or a model, whole or not at all."""
    write_file(path, json.dumps(what, indent=1) + "\n")


# ---- the files of a run


@dataclass(frozen=True)
class Job:
    """What one kind of training brings to the loop: `batches(place)` goes on behind a place for
    ever; of the terms that `loss(batch)` gives, "loss" is what falls; `measure` gives a row of
    held-out figures; `average` follows the weights by `decay`, and where there is one, snapshots
    are kept for the replay.
    """

    model: Trained
    groups: list[dict[str, Any]]
    place: Place
    batches: Callable[[Place], Iterator[Draw]]
    loss: Callable[[Batch], Terms]
    measure: Callable[[], dict[str, Any]] | None = None
    average: nn.Module | None = None
    decay: float = 0.0


def snapshot(out: Path, model: nn.Module, step: int) -> None:
    """Keep the trained tensors in half precision (21 MB for six layers of 384) at the steps of the
    replay: 0, 1, 2, 3, 4, 6, 8, 11, 16, ... = round(2^(k/2)).
    """
    if step == 0 or any(step == round(2 ** (k / 2)) for k in range(41)):
        (out / "snapshots").mkdir(exist_ok=True)
        kept = {name: tensor.half() for name, tensor in trainable(model).items()}
        save_file(kept, out / "snapshots" / f"step-{step:06d}.safetensors")


def save(out: Path, job: Job, optimizer: Any, state: dict[str, Any]) -> None:
    """Write weights, average, optimiser and place; an old checkpoint goes when it is whole."""
    files = {"weights.safetensors": trainable(job.model)}
    if job.average is not None:
        kept = dict(job.average.named_parameters())
        files["average.safetensors"] = {name: kept[name] for name in trainable(job.model)}
    for name, tensors in files.items():
        save_file(tensors, out / f"{name}.new")
    torch.save(optimizer.state_dict()["state"], out / "optimizer.pt.new")
    for name in (*files, "optimizer.pt"):
        os.replace(out / f"{name}.new", out / name)
    write_json(out / "state.json", state)


def resumed(out: Path, job: Job, optimizer: Any) -> dict[str, Any]:
    """The state to begin with: that of the folder's checkpoint, all tensors restored, or step 0."""
    if not (out / "state.json").is_file():
        return {"step": 0, "seconds": 0.0, **job.place}
    load_weights(job.model, out / "weights.safetensors")
    if job.average is not None:
        load_weights(job.average, out / "average.safetensors")
    moments = torch.load(out / "optimizer.pt", weights_only=True)
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return dict(read_json(out / "state.json"))


class Log:
    """Means of loss terms and tokens a second since the last row, to log.jsonl and the screen."""

    def __init__(self, out: Path, seconds: float) -> None:
        self.path, self.before = out / "log.jsonl", seconds
        self.began = self.last = time.monotonic()
        self.tokens, self.terms = 0, list[Terms]()

    @property
    def seconds(self) -> float:
        """Seconds of all sessions of this run."""
        return self.before + time.monotonic() - self.began

    def step(self, terms: Terms, tokens: int) -> None:
        """Keep the terms as tensors: turning each into a number would make a GPU wait."""
        self.tokens += tokens
        self.terms.append({name: value.detach() for name, value in terms.items()})

    def row(self, step: int, measure: Callable[[], Mapping[str, Any]] = dict) -> None:
        """Write one row, and start the means anew."""
        row: dict[str, Any] = {"step": step, "seconds": round(self.seconds)}
        if self.terms:
            for name in self.terms[0]:
                row[name] = round(float(torch.stack([t[name] for t in self.terms]).mean()), 4)
            row["tokens_per_second"] = round(self.tokens / (time.monotonic() - self.last))
        row |= measure()
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        log.info("%s", row)
        self.tokens, self.terms, self.last = 0, [], time.monotonic()


# ---- a run


@contextmanager
def stop_asked() -> Iterator[list[int]]:
    """A list that Ctrl-C and SIGTERM add to, so that a checkpoint is written before the stop."""
    asked, numbers = list[int](), (signal.SIGINT, signal.SIGTERM)
    earlier = [signal.signal(number, lambda n, _: asked.append(n)) for number in numbers]
    try:
        yield asked
    finally:
        for number, handler in zip(numbers, earlier, strict=True):
            signal.signal(number, handler)


def begin(s: Settings, load: Callable[[], Model]) -> Model:
    """The model of a run, loaded behind its seed, on its device, in the number format that the run
    began with; the folder with its settings. Errors: BadInput for a folder that holds another run,
    for both or neither of steps and minutes, and for a number that is too low.
    """
    out, now = Path(s.out), asdict(s)
    kept = read_json(out / "settings.json") if (out / "settings.json").is_file() else {}
    for name, value in now.items():
        if isinstance(value, int | float) and value < (name in COUNTS):
            flag = name.replace("_", "-")
            raise BadInput(f"--{flag} takes {int(name in COUNTS)} or more, got {value}")
    if (s.steps > 0) == (s.minutes > 0):
        raise BadInput("a run takes --steps or --minutes, one of them and above 0")
    if (out / "state.json").is_file():
        for name in now.keys() - set(FREE):
            if kept.get(name) != now[name]:
                raise BadInput(
                    f"{s.out} holds a run of {read_json(out / 'state.json')['step']:,} steps with "
                    f"--{name.replace('_', '-')} {kept.get(name)}: give the same to go on with it, "
                    f"or another --out"
                )
    torch.manual_seed(s.seed)
    model = load().to("cuda" if torch.cuda.is_available() else "cpu")
    form = kept.get("mixed_precision")  # under other work it could be measured as another
    model.take(form == "bf16" if form else heads.processor_has_bf16())
    out.mkdir(parents=True, exist_ok=True)
    made = {"torch": torch.__version__, "mixed_precision": "bf16" if model.bf16 else "no"}
    write_json(out / "settings.json", now | made)
    return model


def gone(s: Settings, step: int, seconds: float) -> float:
    """How much of a run is behind it, 1 at its end."""
    return step / s.steps if s.steps else seconds / (60 * s.minutes)


def rate(s: Settings, step: int, seconds: float) -> float:
    """Factor on the learning rate at a step, from 0: it warms up, and falls to nothing."""
    warm = min(1.0, (step + 1) / s.warmup) if s.warmup else 1.0
    return warm * max(0.0, 1 - gone(s, step, seconds))


def descend(job: Job, optimizer: torch.optim.Optimizer, batch: Batch) -> Terms:
    """One step of the optimiser down the loss; the terms before it."""
    job.model.train()
    device = next(job.model.parameters()).device
    there = {name: value.to(device, non_blocking=True) for name, value in batch.items()}
    with torch.autocast(device.type, torch.bfloat16, enabled=job.model.bf16):
        terms = job.loss(there)
    terms["loss"].backward()
    nn.utils.clip_grad_norm_(job.model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return terms


def run(s: Settings, job: Job) -> bool:
    """Take the steps; True when all were taken, False when a signal stopped the run."""
    out, optimizer = Path(s.out), torch.optim.AdamW(job.groups, fused=True)
    state = resumed(out, job, optimizer)
    began, peaks = state["step"], [group["lr"] for group in job.groups]
    if job.average is not None and began == 0:
        snapshot(out, job.model, 0)
    rows = Log(out, state["seconds"])
    with stop_asked() as asked:
        for place, batch, tokens in job.batches(state):
            if asked or gone(s, state["step"], rows.seconds) >= 1:
                break
            factor = rate(s, state["step"], rows.seconds)
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = peak * factor
            rows.step(descend(job, optimizer, batch), tokens)
            step = state["step"] + 1
            state = {**state, **place, "step": step}
            if job.average is not None:
                heads.move_average(job.average, job.model, job.decay, step)
                snapshot(out, job.model, step)
            if step % s.log_every == 0:
                rows.row(step)
            if job.measure is not None and step % s.evaluate_every == 0:
                rows.row(step, job.measure)
            if step % s.save_every == 0:
                save(out, job, optimizer, {**state, "seconds": rows.seconds})
    ended = gone(s, state["step"], rows.seconds) >= 1
    late = ended and state["step"] > began and state["step"] % s.evaluate_every
    if job.measure is not None and late:
        rows.row(state["step"], job.measure)
    save(out, job, optimizer, {**state, "seconds": rows.seconds})
    log.info("stopped at step %d", state["step"])
    return ended
