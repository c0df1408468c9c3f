"""The loop of all training commands: settings and flags, steps, checkpoints, log, the polite stop.

One run is one folder and one phase; the same command given again goes on.
"""

import argparse
import json
import logging
import math
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import nn
from transformers.hf_argparser import HfArg, HfArgumentParser

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.files import alone, write_file
from qa_demo.training import heads
from qa_demo.training.heads import Batch, Terms

log = logging.getLogger("training")
Model = TypeVar("Model", bound=heads.Trained)
Place = dict[str, Any]
"""Where in its data a run is; stored in every checkpoint."""
Draws = Generator[tuple[Place, Batch], None, None]
"""Batches, each with the place behind it."""
FREE = ("out", "steps", "minutes", "workers", "log_every", "evaluate_every", "save_every")
"""Settings that may differ where a run goes on."""
COUNTS = ("batch_tokens", "evaluate_every", "save_every", "log_every", "dev_limit", "held_limit")
FROM_1 = (*COUNTS, "temperature")
"""Settings that are at least 1; no other number is below 0."""
SHARES = ("negatives", "unlabelled", "exchanged", "label_share", "average", "dropout")
"""Settings that are at most 1."""
START = {"step": 0, "seconds": 0.0}  # of state.json, beside a place
MOST = 10**12  # of any number: a seed of 20 digits overflows


# ---- a command: its flags, its exit code, its files


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every run depends on; written beside its weights. Each field is a flag."""

    encoder: str = HfArg(help="folder or hub id of the encoder to start from")
    out: str
    steps: int = 0
    minutes: float = HfArg(default=0.0, help="in place of --steps: the rate falls by elapsed time")
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


def command(kind: Any, train: Callable[[Any], bool], doc: str | None, name: str) -> Any:
    """The `main` of a command that trains by such settings; 130 where a signal stopped the run."""

    def main(argv: list[str] | None = None) -> int:
        return 0 if train(kind(**vars(described(doc, name, kind).parse_args(argv)))) else 130

    return exit_code(main)


def exit_code(main: Callable[[list[str] | None], int | None]) -> Callable[..., int]:
    """A command's `main` that gives an exit code: its own, 130 after Ctrl-C or SIGTERM, or 2 with
    one sentence for what its user can mend; what it logs is shown with the time.
    """

    @wraps(main)
    def run(argv: list[str] | None = None) -> int:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
        transformers.logging.set_verbosity_error()  # it calls an encoder without heads corrupted
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return main(argv) or 0
        except (QADemoError, OSError, SafetensorError, KeyboardInterrupt) as fault:
            sys.stderr.write(f"{str(fault) or 'interrupted'}\n")
            return 130 if isinstance(fault, KeyboardInterrupt) else 2

    return run


def read_json(path: Path, **least: float) -> Any:
    """A file of a run or a model, its numbers at least these. Errors: BadInput for another."""
    name = path.absolute().parent.name
    try:
        found = dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as fault:
        raise BadInput(f"{name} holds no {path.name} that can be read") from fault
    for key, x in least.items():
        if not isinstance(got := found.get(key), (int, type(x))) or not x <= got <= MOST:
            raise BadInput(f"{path.name} of {name}: {key} must be at least {x}, got {got!r:.40}")
    return found


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

    model: heads.Trained
    groups: list[dict[str, Any]]
    place: Place
    batches: Callable[[Place], Draws]
    loss: heads.Loss
    measure: Callable[[], dict[str, Any]] | None = None
    average: nn.Module | None = None
    decay: float = 0.0


def save(out: Path, job: Job, optimizer: Any, state: dict[str, Any]) -> None:
    """Write all tensors; the state, written once they are whole, makes them the checkpoint."""
    own, state_of = job.model.named_parameters(), optimizer.state.get
    moments = {f"{n}.{kind}": x for n, p in own for kind, x in state_of(p, {}).items()}
    files = {"weights": heads.trainable(job.model), "optimizer": moments}
    if job.average is not None:
        files["average"] = heads.trainable(job.average)
    for name, tensors in files.items():
        save_file(tensors, out / f"{name}.safetensors.{state['step']}")
    write_json(out / "state.json", state)
    settle(out, state["step"])


def settle(out: Path, step: int) -> None:
    """Give the files of a step's checkpoint their names."""
    for path in out.glob(f"*.safetensors.{step}"):
        path.replace(path.with_suffix(""))


def resumed(out: Path, job: Job, optimizer: Any) -> dict[str, Any]:
    """The state to begin with: that of the folder's checkpoint, all tensors restored, or step 0."""
    if not (out / "state.json").is_file():
        return START | job.place
    state = read_json(out / "state.json", **START, **job.place)
    settle(out, state["step"])
    heads.load_weights(job.model, out / "weights.safetensors")
    if job.average is not None:
        heads.load_weights(job.average, out / "average.safetensors")
    own = dict(job.model.named_parameters())
    for key, moment in heads.tensors_of(out / "optimizer.safetensors").items():
        name, _, kind = key.rpartition(".")
        optimizer.state[own[name]][kind] = moment.to(own[name].device)
    return state


class Log:
    """Means of loss terms and tokens a second since the last row, to log.jsonl and the screen."""

    def __init__(self, out: Path, seconds: float) -> None:
        self.path, self.last = out / "log.jsonl", time.monotonic()
        self.began, self.terms = self.last - seconds, list[Terms]()

    @property
    def seconds(self) -> float:
        """Seconds of all sessions of this run."""
        return time.monotonic() - self.began

    def row(self, step: int, measure: Callable[[], Mapping[str, Any]] | None) -> None:
        """Write one row, start the means anew. Errors: BadInput for a loss that is no number."""
        row: dict[str, Any] = {"step": step, "seconds": round(self.seconds)}
        for name in self.terms[0]:
            row[name] = round(float(torch.stack([t[name] for t in self.terms]).mean()), 4)
        if not all(map(math.isfinite, row.values())):
            raise BadInput(f"the loss is no number any more at step {step}: lower --learning-rate")
        tokens = row.pop("tokens") * len(self.terms)
        row["tokens_per_second"] = round(tokens / (time.monotonic() - self.last))
        row |= measure() if measure else {}
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        log.info("%s", row)
        self.terms, self.last = [], time.monotonic()


# ---- a run


@contextmanager
def stop_asked() -> Iterator[list[int]]:
    """A list that Ctrl-C and SIGTERM add to, so that a checkpoint is written before the stop."""
    asked = list[int]()
    with ExitStack() as behind:
        for number in (signal.SIGINT, signal.SIGTERM):
            earlier = signal.signal(number, lambda n, _: asked.append(n))
            behind.callback(signal.signal, number, earlier)
        yield asked


def begin(s: Settings, load: Callable[[], Model]) -> Model:
    """The model of a run, loaded behind its seed, on its device, in the number format that the run
    began with; the folder, held from before it is read, with its settings. Errors: BadInput for
    another process or run in it, both or neither of steps and minutes, a number out of its range.
    """
    out, now = Path(s.out), asdict(s)
    for name, value in now.items():
        least, most = int(name in FROM_1), 1 if name in SHARES else MOST
        if isinstance(value, int | float) and not least <= value <= most:
            raise BadInput(f"--{name.replace('_', '-')} takes {least} to {most:,}, got {value}")
    if (s.steps > 0) == (s.minutes > 0):
        raise BadInput("a run takes --steps or --minutes, one of them and above 0")
    if not s.out:
        raise BadInput("--out takes the folder of the run, got an empty name")
    out.mkdir(parents=True, exist_ok=True)
    alone(out)
    stored = read_json(out / "settings.json") if (out / "settings.json").is_file() else {}
    other = [name for name in now if name not in FREE and stored.get(name) != now[name]]
    trained = read_json(kept, **START)["step"] if (kept := out / "state.json").is_file() else 0
    if other and trained:
        raise BadInput(
            f"{s.out} holds a run of {trained:,} steps with --{other[0].replace('_', '-')} "
            f"{stored.get(other[0])}: give the same to go on with it, or another --out"
        )
    torch.manual_seed(s.seed)
    model = load().to("cuda" if torch.cuda.is_available() else "cpu")
    if trained:
        model.check_origin(stored)
    form = None if other else stored.get("mixed_precision")  # measured anew it could be another
    model.use_bf16(form == "bf16" if form else heads.bf16_pays())
    made = {"mixed_precision": ("no", "bf16")[model.bf16], "origin": model.origin}
    write_json(out / "settings.json", now | made | {"torch": torch.__version__})
    log.info("mixed precision: %s", made["mixed_precision"])
    return model


def share_done(s: Settings, step: int, seconds: float) -> float:
    """How much of a run is behind it, 1 at its end."""
    return step / s.steps if s.steps else seconds / (60 * s.minutes)


def rate(s: Settings, step: int, seconds: float) -> float:
    """Factor on the learning rate at a step, from 0: it warms up, and falls to nothing."""
    warm = min(1.0, (step + 1) / s.warmup) if s.warmup else 1.0
    return warm * max(0.0, 1 - share_done(s, step, seconds))


def run(s: Settings, job: Job) -> bool:
    """Take the steps; True when all were taken, False when a signal stopped the run."""
    out, optimizer = Path(s.out), torch.optim.AdamW(job.groups, fused=True)
    state = resumed(out, job, optimizer)
    step, peaks = state["step"], [group["lr"] for group in job.groups]
    if job.average is not None and step == 0:
        heads.snapshot(out, job.model, 0)
    journal = Log(out, state["seconds"])
    over = done = share_done(s, step, journal.seconds) >= 1
    with stop_asked() as asked, closing(job.batches(state)) as batches:
        while not over:
            place, batch = next(batches)
            # one that goes on drops out what one session would
            torch.manual_seed(int(np.random.SeedSequence([s.seed, step]).generate_state(1)[0]))
            factor = rate(s, step, journal.seconds)
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                group["lr"] = peak * factor
            journal.terms.append(heads.descend(job.model, job.loss, optimizer, batch))
            step += 1
            if job.average is not None:
                heads.move_average(job.average, job.model, job.decay, step)
                heads.snapshot(out, job.model, step)
            done = share_done(s, step, journal.seconds) >= 1
            over = done or bool(asked)
            score_due, save_due = (done or step % n == 0 for n in (s.evaluate_every, s.save_every))
            if score_due or save_due or over or step % s.log_every == 0:
                journal.row(step, job.measure if score_due else None)
            if save_due or over:
                save(out, job, optimizer, {**place, "step": step, "seconds": journal.seconds})
    log.info("stopped at step %d", step)
    return done
