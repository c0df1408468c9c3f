"""Write a finished run as the bundled reader: the only writer of assets/reader.

    python -m qa_demo.training.export --encoder ENCODER --run runs/second \\
        --weights average step-004096 --out assets/reader
    python -m qa_demo.training.export --encoder ENCODER --run runs/second \\
        --mean-with exported/first --out assets/reader

A standard folder that `AutoModelForQuestionAnswering.from_pretrained` loads, in half precision; the
BIO head beside it. Scores, threshold and card come afterwards from `python -m
qa_demo.training.score`.
"""

import json
import logging
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoTokenizer

from qa_demo.core.measuring.measured import STEPS
from qa_demo.core.types import TAGS
from qa_demo.model.checks import sha256
from qa_demo.model.tokenizer import prepare
from qa_demo.training import checkpoints
from qa_demo.training.flags import described, exit_code
from qa_demo.training.twoheads import TwoHeads, load

log = logging.getLogger("export")
LIMIT = 50
"""MB of the bundled reader's folder."""
Model = TypeVar("Model", bound=nn.Module)


def write_checksums(folder: Path) -> None:
    """checksums.json: SHA-256 of every other file of the folder, by name, but of the card and of
    what was measured of windows: a word changed in them leaves the reader, and what was stored of
    its readings, the same.
    """
    apart = ("checksums.json", "README.md", STEPS)
    files = sorted(p for p in folder.iterdir() if p.is_file() and p.name not in apart)
    sums = {p.name: sha256(p) for p in files}
    (folder / "checksums.json").write_text(json.dumps(sums, indent=1) + "\n")


PLACES = ("encoder", "dev", "out", "teacher", "logits")
"""Settings that name folders of one machine."""


def history(run: Path) -> list[dict]:
    """Settings of the run and those it was resumed from, oldest first, with their steps."""
    phases: list[dict] = []
    folder: Path | None = run
    while folder is not None:
        settings = json.loads((folder / "settings.json").read_text())
        settings["steps_taken"] = json.loads((folder / "state.json").read_text())["step"]
        settings["train"] = [Path(x).name for x in settings["train"]]
        earlier = settings.pop("resume")
        phases.insert(
            0, {k: v for k, v in settings.items() if k not in PLACES} | {"name": folder.name}
        )
        folder = Path(earlier) if earlier else None
    return phases


def taught_by(run: Path) -> dict:
    """{"teacher": ...}, how the teacher of a run was made; nothing for a run without one."""
    settings = json.loads((run / "settings.json").read_text())
    if not settings.get("teacher"):
        return {}
    folder = Path(settings["teacher"])
    if (folder / "reader.json").is_file():
        about = json.loads((folder / "reader.json").read_text())
        encoder = about["base"]["repo"].rpartition("/")[2] if "base" in about else about["name"]
        return {"teacher": {"encoder": called(encoder)} | origin(folder)}
    encoder = json.loads((folder / "settings.json").read_text())["encoder"]
    return {"teacher": {"encoder": called(encoder), "phases": history(folder)}}


def called(encoder: str) -> str:
    """The name of an encoder: that of the model card beside it, where it is a folder."""
    card = Path(encoder) / "README.md"
    found = re.search(r"^# (\S+/\S+|\S+)$", card.read_text(), re.M) if card.is_file() else None
    return found[1] if found else Path(encoder).name if Path(encoder).is_dir() else encoder


def mean_of(run: Path, names: Sequence[str]) -> dict[str, torch.Tensor]:
    """The mean of several states of one run: `weights`, `average`, or a snapshot such as
    `step-004096`.

    Points of one trajectory lie in one basin, and their mean is often better than any of them
    (weight averaging).
    """
    paths = [
        run / f"{n}.safetensors"
        if n in ("weights", "average")
        else run / "snapshots" / f"{n}.safetensors"
        for n in names
    ]
    states = [load_file(path) for path in paths]
    return {key: torch.stack([state[key].float() for state in states]).mean(0) for key in states[0]}


def exported(folder: Path, names: Collection[str]) -> dict[str, torch.Tensor]:
    """The trained tensors `names` of a folder that this command wrote; else KeyError."""
    found = {f"reader.{k}": v for k, v in load_file(folder / "model.safetensors").items()}
    found |= {f"bio.{k}": v for k, v in load_file(folder / "bio_head.safetensors").items()}
    return {name: found[name].float() for name in names}


def soup(
    run: Path, weights: Sequence[str], others: Sequence[Path], share: int = 1
) -> dict[str, torch.Tensor]:
    """The mean of a run's own mean and of each other reader, w = (share w_run + sum of w_other) /
    (share + number of others).

    Runs that began with the same encoder and the same random heads can lie in one basin, though
    their data and rates differ; then the mean beats both (Wortsman et al. 2022, "Model soups"). If
    they do not, it is worse than either: score it.
    """
    own = mean_of(run, weights)
    states = [own] * share + [exported(folder, own.keys()) for folder in others]
    return {key: torch.stack([state[key] for state in states]).mean(0) for key in own}


ORIGIN = ("weights", "phases", "mean_with", "share", "tag_bias", "began_with", "teacher")


def origin(folder: Path) -> dict:
    """How an exported reader was made, and the SHA-256 of its list of files."""
    about = json.loads((folder / "reader.json").read_text())
    return {key: about[key] for key in ORIGIN if key in about} | {
        "checksum": sha256(folder / "checksums.json")
    }


def told_once(about: dict) -> dict:
    """The same, without telling again of a reader averaged with that the training began with, or of
    that reader's teacher: the checksum names them. Told twice at each step, a history doubles with
    every training.
    """
    before = about.get("began_with")
    if before is None:
        return about
    known = before["checksum"]
    others = [
        {"checksum": known} if other["checksum"] == known else told_once(other)
        for other in about.get("mean_with", [])
    ]
    teacher = about.get("teacher", {})
    if "checksum" in teacher and teacher == before.get("teacher"):
        about = about | {"teacher": {key: teacher[key] for key in ("encoder", "checksum")}}
    return about | {"began_with": told_once(before), "mean_with": others}


def export(
    encoder: str,
    run: Path,
    weights: Sequence[str],
    out: Path,
    name: str,
    others: Sequence[Path] = (),
    tag_bias: Sequence[float] = (0.0, 0.0, 0.0),
    share: int = 1,
) -> None:
    """Save encoder, both heads and tokenizer; refuse a folder over LIMIT or weights that half
    precision cannot hold.

    `tag_bias` is added to the biases of B, I and O, as a change of the shares of classes from
    training to use asks for (Menon et al. 2021, "Long-tail learning via logit adjustment").
    """
    model = load(encoder, dropout=0.1)
    # read before anything is written: one of the others may be `out` itself
    about = {"name": name, "threshold": None, "tag_order": list(TAGS), "weights": list(weights)}
    about |= {"phases": history(run), "mean_with": [origin(folder) for folder in others]}
    about |= {"share": share, "tag_bias": list(tag_bias)}
    if (Path(encoder) / "reader.json").is_file():
        about["began_with"] = origin(Path(encoder))
    about |= taught_by(run)
    checkpoints.copy_tensors(model, soup(run, weights, others, share), run.name)
    with torch.no_grad():
        model.bio.bias += torch.tensor(tag_bias)
    tokenizer = AutoTokenizer.from_pretrained(
        encoder, model_max_length=model.reader.config.max_position_embeddings
    )
    prepare(tokenizer)
    out.mkdir(parents=True, exist_ok=True)
    write_model(halved(model), out)
    tokenizer.save_pretrained(out)
    (out / "reader.json").write_text(json.dumps(told_once(about), indent=1) + "\n")
    finish(out, LIMIT)


def write_model(model: TwoHeads, out: Path) -> None:
    """Encoder and start/end head as transformers reads them, the BIO head beside them."""
    model.reader.config.attention_probs_dropout_prob = 0.1
    model.reader.save_pretrained(out)
    write_bio(model.bio.weight, model.bio.bias, out)


def write_bio(weight: torch.Tensor, bias: torch.Tensor, out: Path) -> None:
    """The BIO head, W [3, d] and b [3], in its own file."""
    save_file(
        {"weight": weight.detach().contiguous(), "bias": bias.detach().contiguous()},
        out / "bio_head.safetensors",
        metadata={"id2label": json.dumps(dict(enumerate(TAGS)))},
    )


def halved(model: Model) -> Model:
    """The model in half precision. Errors: OverflowError for a weight that it cannot hold."""
    half = model.half()
    if not all(bool(torch.isfinite(p).all()) for p in half.parameters()):
        raise OverflowError("a weight does not fit into half precision (largest 65,504)")
    return half


def finish(folder: Path, limit: int) -> None:
    """Write the checksums of an exported folder, and refuse one of more than `limit` MB."""
    write_checksums(folder)
    size = sum(p.stat().st_size for p in folder.iterdir() if p.is_file()) / 2**20
    log.info("%s: %.1f MB", folder, size)
    if size > limit:
        raise OverflowError(f"the folder has {size:.1f} MB, {limit} MB are allowed")


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and export."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "export")
    p.add_argument("--encoder", required=True)
    p.add_argument("--run", required=True, type=Path)
    p.add_argument(
        "--weights",
        nargs="+",
        default=["average"],
        help="weights, average, step-NNNNNN or average-NNNNNN; the mean of several",
    )
    p.add_argument(
        "--mean-with",
        nargs="+",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="exported readers, each with a share of one",
    )
    p.add_argument("--share", type=int, default=1, help="the share of the run beside them")
    p.add_argument(
        "--tag-bias",
        nargs=3,
        type=float,
        default=[0.0, 0.0, 0.0],
        metavar=("B", "I", "O"),
        help="added to the biases of the tags",
    )
    p.add_argument("--out", type=Path, default=Path("assets/reader"))
    p.add_argument("--name", default="bundled")
    a = p.parse_args(argv)
    export(a.encoder, a.run, a.weights, a.out, a.name, a.mean_with, a.tag_bias, a.share)


if __name__ == "__main__":
    raise SystemExit(main())
