"""Files of a training run: what to resume from, the snapshots of the replay, the log."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn


def is_snapshot(step: int) -> bool:
    """Steps that the replay keeps: 0, 1, 2, 3, 4, 6, 8, 11, 16, ... = round(2^(k/2)), spaced
    logarithmically.
    """
    return step == 0 or any(step == round(2 ** (k / 2)) for k in range(41))


def trainable(model: nn.Module) -> dict[str, torch.Tensor]:
    """The tensors that training changes; the frozen embeddings stay in the encoder's own folder."""
    return {
        name: p.detach().contiguous() for name, p in model.named_parameters() if p.requires_grad
    }


def snapshot(
    out: Path, model: nn.Module, step: int, kind: str = "step", names: Sequence[str] | None = None
) -> None:
    """Keep the trained tensors of one step in half precision (21 MB for six layers of 384)."""
    folder = out / "snapshots"
    folder.mkdir(exist_ok=True)
    chosen = trainable(model) if names is None else names
    save_file(
        {k: p.detach().half().contiguous() for k, p in model.named_parameters() if k in chosen},
        folder / f"{kind}-{step:06d}.safetensors",
    )


def save(
    out: Path, model: nn.Module, average: nn.Module | None, optimizer: Any, state: dict[str, Any]
) -> None:
    """Write weights, average, optimiser and place; an old checkpoint goes when it is whole."""
    files = {"weights": trainable(model)}
    if average is not None:
        kept = dict(average.named_parameters())
        files["average"] = {k: kept[k].detach().contiguous() for k in files["weights"]}
    files["optimizer"] = {
        f"{i}.{k}": v.contiguous()
        for i, s in optimizer.state_dict()["state"].items()
        for k, v in s.items()
        if torch.is_tensor(v)
    }
    for name, tensors in files.items():
        save_file(tensors, out / f"{name}.new.safetensors")
    (out / "state.new.json").write_text(json.dumps(state))
    for name in files:
        os.replace(out / f"{name}.new.safetensors", out / f"{name}.safetensors")
    os.replace(out / "state.new.json", out / "state.json")


def load_weights(model: nn.Module, path: Path) -> None:
    """Copy a checkpoint's tensors into a model; a missing or unknown name is refused."""
    copy_tensors(model, load_file(path), path.name)


def copy_tensors(model: nn.Module, tensors: dict[str, torch.Tensor], source: str) -> None:
    """Copy named tensors into a model; a name that the model lacks is refused."""
    own = dict(model.named_parameters())
    unknown = [k for k in tensors if k not in own]
    if unknown:
        raise KeyError(f"{source} holds tensors that the model lacks: {unknown[:3]}")
    with torch.no_grad():
        for name, tensor in tensors.items():
            own[name].copy_(tensor)


def resume(
    folder: Path, model: nn.Module, average: nn.Module | None, optimizer: Any
) -> dict[str, Any]:
    """Restore weights, average, and a given optimiser; returns the state that `save` wrote."""
    load_weights(model, folder / "weights.safetensors")
    if average is not None:
        load_weights(average, folder / "average.safetensors")
    state: dict[str, Any] = json.loads((folder / "state.json").read_text())
    if optimizer is None:
        return state
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, value in load_file(folder / "optimizer.safetensors").items():
        index, name = key.split(".", 1)
        moments.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return state


def same(given: str | None, out: Path) -> bool:
    """Whether the run that --resume names is the one that is written, however it is spelled."""
    return given is not None and Path(given).resolve() == out.resolve()


def came_from(out: Path, given: str | None) -> str | None:
    """The run whose weights this one began with; one that goes on keeps what settings say."""
    if not same(given, out):
        return given
    earlier: str | None = json.loads((out / "settings.json").read_text())["resume"]
    return earlier


def write_settings(
    out: Path, settings: dict[str, Any], given: str | None, mixed_precision: str
) -> None:
    """settings.json: everything a run depends on, and the run that it came from."""
    about = {
        "resume": came_from(out, given),
        "torch": torch.__version__,
        "mixed_precision": mixed_precision,
    }
    (out / "settings.json").write_text(json.dumps({**settings, **about}, indent=1))


def append(path: Path, row: dict[str, Any]) -> None:
    """Add one line to a JSON-lines log."""
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")


def logged(run: Path, what: str) -> list[dict[str, Any]]:
    """The rows of a run's log that hold `what`; none for a run without a log."""
    log = run / "log.jsonl"
    rows = map(json.loads, log.read_text().splitlines() if log.is_file() else ())
    return [row for row in rows if what in row]
