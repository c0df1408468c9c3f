"""The card's account of the training: the commands of its phases, one after the other."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Metrics = Mapping[str, Any]
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"

TEACHER = "runs/teacher"
WIDTH = 150
"""Characters of a line of a command, about."""
FITTED = ("windows", "loss_before", "loss_after")
NOT_FLAGS = ("name", "train", "steps_taken", "torch", "mixed_precision", "resume")


def flag(name: str, value: Any) -> str:
    """One option of a training command: a list's values one after another, a switch as --name or
    --no-name.
    """
    shown = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{shown}" if value else f"--no-{shown}"
    return f"--{shown} " + (" ".join(map(str, value)) if isinstance(value, list) else str(value))


def command(phase: Metrics, earlier: str | None, encoder: str) -> str:
    """The command line of one training phase, rebuilt from the settings that it wrote."""
    taught = "label_share" in phase
    parts = [f"python -m qa_demo.training.finetune --encoder {encoder}"]
    if taught:
        parts = [f"python -m qa_demo.training.teach --student {encoder} --teacher {TEACHER}"]
    if earlier is not None:
        parts.append(f"--resume runs/{earlier}")
    parts += ["--train " + " ".join(phase["train"]), "--dev squad-dev.json.gz"]
    parts += [flag(name, value) for name, value in phase.items() if name not in NOT_FLAGS]
    return packed([*parts, f"--out runs/{phase['name']}"])


def packed(parts: Sequence[str]) -> str:
    """The parts of a command on few lines, none of which splits a part."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return " \\\n    ".join(lines)


def run_of(reader: Metrics, prefix: str, encoder: str, more: str = "") -> list[str]:
    """One run as commands: its phases, oldest first, with steps, and the export with `more`."""
    phases = [{**phase, "name": prefix + phase["name"]} for phase in reader["phases"]]
    blocks = []
    for k, phase in enumerate(phases):
        about = (
            f"{phase['name']}: {phase['steps_taken']:,} steps, torch {phase['torch']}, "
            f"mixed precision {phase['mixed_precision']}"
        )
        blocks.append(
            f"{about}\n\n```\n{command(phase, phases[k - 1]['name'] if k else None, encoder)}\n```"
        )
    added = reader.get("tag_bias", [0, 0, 0])
    tag_bias = f" --tag-bias {' '.join(f'{b:g}' for b in added)}" if any(added) else ""
    if reader.get("share", 1) != 1:
        tag_bias += f" --share {reader['share']}"
    run = f"--run runs/{phases[-1]['name']}"
    if "base" in reader:
        where = more or " --out assets/reader-large"
        line = f"python -m qa_demo.training.export_adapter {run} --base ENCODER{tag_bias}{where}"
        return [*blocks, f"Exported as the average of its last steps:\n\n```\n{line}\n```"]
    export = (
        f"python -m qa_demo.training.export --encoder {encoder} {run} "
        f"--weights {' '.join(reader['weights'])}{tag_bias}{more}"
    )
    return [
        *blocks,
        f"Exported as the mean of these states of the last phase:\n\n```\n{export}\n```",
    ]


def readers_before(reader: Metrics) -> int:
    """How many readers stand before this one, each begun with the one before it."""
    before = reader.get("began_with")
    return 0 if before is None else 1 + readers_before(before)


def training(reader: Metrics, outer: str = "", own: str = "", out: str = "") -> str:
    """The commands of the run; before them those of the reader and runs that it began with.

    Readers are numbered from the oldest; `outer` and `own` stand before the names of the runs.
    """
    prefix, number = outer + own, readers_before(reader)
    more = f" --out {out}" if out else ""
    blocks, encoder = [], reader.get("base", {}).get("repo", ENCODER)
    if (before := reader.get("began_with")) is not None:
        encoder = f"exported/{outer}reader{number}"
        blocks = [
            training(before, outer, f"reader{number}-", encoder),
            "The run began with the encoder and both heads of that reader "
            f"(SHA-256 of its `checksums.json`: `{before['checksum']}`).",
        ]
    blocks += teacher(reader)
    others, refitted = reader.get("mean_with", []), tags_refitted(reader)
    if not others:
        return "\n\n".join([*blocks, *run_of(reader, prefix, encoder, more), *refitted])
    known = {before["checksum"]: encoder} if before is not None else {}
    folders = [
        known.get(other.get("checksum"), f"exported/{prefix}run{k}")
        for k, other in enumerate(others, 1)
    ]
    share = reader.get("share", 1)
    shares = "each with the same share" if share == 1 else f"the last with a share of {share}"
    blocks.append(f"The mean of the weights of {1 + len(others)} runs, {shares}.")
    for k, (other, folder) in enumerate(zip(others, folders, strict=True), 1):
        if folder == encoder:
            blocks.append(f"One of them is the reader of `{folder}` itself.")
        else:
            blocks.append(training(other, f"{prefix}run{k}-", "", folder))
    last = run_of(
        reader,
        f"{prefix}run{len(others) + 1}-",
        encoder,
        f" \\\n    --mean-with {' '.join(folders)}{more}",
    )
    return "\n\n".join([*blocks, *last, *refitted])


def tags_refitted(reader: Metrics) -> list[str]:
    """The command that fitted the tags' layer anew, for a reader whose layer was."""
    found = reader.get("tags_refitted")
    if found is None:
        return []
    known = [flag(k, v) for k, v in found.items() if k not in (*NOT_FLAGS, *FITTED)]
    train = "--train " + " ".join(found["train"])
    parts = ["python -m qa_demo.training.refit_tags --reader READER", train, *known, "--out READER"]
    return [
        f"The tags' layer was then fitted anew, the encoder frozen, on {found['windows']:,} "
        f"windows: the loss of a window fell from {found['loss_before']:.3f} to "
        f"{found['loss_after']:.3f} nats.\n\n```\n{packed(parts)}\n```"
    ]


def teacher(reader: Metrics) -> list[str]:
    """The commands of the teacher's phases, for a reader that had one."""
    found = reader.get("teacher")
    if found is None:
        return []
    if "phases" not in found:
        return ["Its teacher was that of the reader before."]
    names = [f"teacher-{phase['name']}" for phase in found["phases"][:-1]] + [Path(TEACHER).name]
    blocks = [f"Its teacher began with `{found['encoder']}`, a folder here."]
    for k, (name, phase) in enumerate(zip(names, found["phases"], strict=True)):
        encoder = f"encoders/{found['encoder']}"
        line = command({**phase, "name": name}, names[k - 1] if k else None, encoder)
        blocks.append(f"{name}: {phase['steps_taken']:,} steps\n\n```\n{line}\n```")
    return blocks
