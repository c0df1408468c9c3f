"""Write a finished run as a reader's folder, such as assets/reader and assets/reader-large.

    python -m qa_demo.training.export --run runs/student --out assets/reader
    python -m qa_demo.training.export --run runs/teacher --encoder FOLDER \\
        --repo sentence-transformers/all-mpnet-base-v2 --revision COMMIT --out assets/reader-large
    python -m qa_demo.training.export --merge assets/reader-large --encoder FOLDER --out OTHER

In half precision: a standard folder that `AutoModelForQuestionAnswering.from_pretrained` loads,
with the tags' head beside it; of a run with an adapter the change to its encoder alone (5 MB), and
where that encoder comes from. The last line writes adapter and encoder as one standard folder, in
single precision. Scores, threshold and card come afterwards from `score` and `card`.
"""

import json
import platform
import re
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from qa_demo.core.base import BadInput
from qa_demo.core.types import TAGS
from qa_demo.model.card import ADAPTER_FILE, BASE_FILE, BIO_FILE, merged
from qa_demo.model.source import CARD_FILE, sha256
from qa_demo.model.tokenizer import prepare
from qa_demo.training import heads
from qa_demo.training.heads import TwoHeads, load, load_weights, of_run, tokenizer_of
from qa_demo.training.loop import described, exit_code, log, read_json, write_json

PLACES = ("out", "teacher", "logits", "pool")
"""Settings that name folders and files of one machine."""
FILES = {"train", "dev", "text", "more_text"}
"""Settings that name data: their names stand on the card, not their places."""
Tensors = dict[str, torch.Tensor]


def write_checksums(folder: Path) -> None:
    """checksums.json: SHA-256 of every other file of the folder, by name, but of the card: a word
    changed in it leaves the reader, and what was stored of its readings, the same.
    """
    apart = ("checksums.json", "README.md")
    files = sorted(p for p in folder.iterdir() if p.is_file() and p.name not in apart)
    write_json(folder / "checksums.json", {p.name: sha256(p) for p in files})
    log.info("%s: %.1f MB", folder, sum(p.stat().st_size for p in files) / 2**20)


def versions(*packages: str) -> dict[str, str]:
    """What figures were measured with: the versions of packages, and of Python."""
    return {name: version(name) for name in packages} | {"python": platform.python_version()}


def called(encoder: str) -> str:
    """The name of an encoder: that of the model card beside it, where it is a folder."""
    card = Path(encoder) / "README.md"
    found = re.search(r"^# (\S+)$", card.read_text("utf-8"), re.M) if card.is_file() else None
    return found[1] if found else Path(encoder).name if Path(encoder).is_dir() else encoder


def phase(run: Path) -> dict[str, Any]:
    """The settings of a run with its steps and seconds, files and encoder by name."""
    settings, state = read_json(run / "settings.json"), read_json(run / "state.json", step=0)
    kept = {key: value for key, value in settings.items() if key not in PLACES}
    for key in FILES & kept.keys():
        one = isinstance(kept[key], str)
        kept[key] = Path(kept[key]).name if one else [Path(item).name for item in kept[key]]
    took = {"steps_taken": state["step"], "seconds": round(state.get("seconds", 0))}
    return {**kept, "name": run.name, "encoder": called(settings["encoder"]), **took}


def about(run: Path, name: str) -> dict[str, Any]:
    """What reader.json says of a reader before it was scored: its run, and how its teacher was made
    where that lies here, a run or a reader that this command wrote; else the teacher's name alone.
    """
    made = {"name": name, "threshold": None, "tag_order": list(TAGS), "phases": [phase(run)]}
    if given := read_json(run / "settings.json").get("teacher"):
        folder, teacher = Path(given), {"name": Path(given).name, "phases": list[Any]()}
        if (folder / CARD_FILE).is_file() and (folder / "checksums.json").is_file():
            said = read_json(folder / CARD_FILE)
            teacher = {n: said.get(n, known) for n, known in teacher.items()}
            teacher["checksum"] = sha256(folder / "checksums.json")
        elif (folder / "settings.json").is_file():
            teacher["phases"] = [phase(folder)]
        made["teacher"] = teacher
    return made


def export(run: Path, out: Path, encoder: str, base: dict[str, str] | None = None) -> None:
    """Save a run as a reader, or what changes the encoder `base` (as `origin` names it). Errors:
    BadInput for another encoder, and for weights that half precision cannot hold.
    """
    told, average = about(run, "large" if base else "bundled"), run / "average.safetensors"
    model = of_run(read_json(run / "settings.json"), encoder, dropout=0.1)
    load_weights(model, average)
    if base:
        out.mkdir(parents=True, exist_ok=True)
        save_file(adapter_of(heads.trainable(model)), out / ADAPTER_FILE)
        write_bio(model.bio, out)
        told["base"] = base
    else:
        tokenizer = tokenizer_of(encoder)
        write_model(halved(model), out)
        tokenizer.model_max_length = model.reader.config.max_position_embeddings
        prepare(tokenizer)
        tokenizer.save_pretrained(out)
    write_json(out / CARD_FILE, told)
    write_checksums(out)


def adapter_of(trained: Tensors) -> Tensors:
    """What a run trained, by the names of the merged reader: LAYER.A, LAYER.B and the start/end
    head, in half precision. The factor alpha / r goes into B, so that W' = W + B A.
    """
    out = {}
    for name, tensor in trained.items():
        layer, _, part = name.removeprefix("reader.").partition(".lora_")
        if part:
            factor = heads.SCALE if part.startswith("B") else 1
            out[f"{layer.split('.', 1)[1]}.{part[0]}"] = factor * tensor  # without "mpnet."
        elif not name.startswith("bio."):
            out[layer] = tensor
    return {name: tensor.half().contiguous() for name, tensor in out.items()}


def origin(base: Path, repo: str | None, revision: str | None) -> dict[str, str]:
    """Where the encoder of a folder comes from, and its SHA-256. Errors: BadInput."""
    if not (base / BASE_FILE).is_file():
        raise BadInput(f"--encoder must name the folder of the run's encoder, with {BASE_FILE}")
    if not (repo and revision):
        raise BadInput(f"--repo and --revision must both say where {base.name} comes from")
    return {"repo": repo, "revision": revision, "sha256": sha256(base / BASE_FILE)}


def merge(folder: Path, base: Path, out: Path) -> None:
    """Adapter and encoder as one standard folder. Errors: BadInput for another's encoder."""
    wanted = read_json(folder / CARD_FILE).get("base")
    if wanted is None:
        raise BadInput(f"{folder.name} is no adapter: its {CARD_FILE} names no base")
    if origin(base, wanted["repo"], wanted["revision"]) != wanted:
        raise BadInput(f"{folder.name} was trained on {wanted['repo']}, {base.name} is another")
    model, tokenizer = load(str(base), dropout=0.1), tokenizer_of(base)
    prefix, change = f"{model.reader.base_model_prefix}.", heads.tensors_of(folder / ADAPTER_FILE)
    model.reader.load_state_dict(merged(model.reader.base_model.state_dict(), change, prefix))
    write_model(model, out)
    tokenizer.save_pretrained(out)
    for name in (BIO_FILE, CARD_FILE):
        shutil.copy(folder / name, out)
    write_checksums(out)


def write_model(model: TwoHeads, out: Path) -> None:
    """Encoder and start/end head as transformers reads them, the BIO head beside them."""
    out.mkdir(parents=True, exist_ok=True)
    model.reader.config.attention_probs_dropout_prob = 0.1
    model.reader.save_pretrained(out)
    write_bio(model.bio, out)


def write_bio(bio: nn.Linear, out: Path) -> None:
    """The BIO head, W [3, d] and b [3], in its own file."""
    save_file(bio.state_dict(), out / BIO_FILE, {"id2label": json.dumps(dict(enumerate(TAGS)))})


def halved(model: nn.Module) -> Any:
    """The model in half precision. Errors: BadInput for a weight that it cannot hold."""
    half = model.half()
    if not all(bool(torch.isfinite(p).all()) for p in half.parameters()):
        raise BadInput("a weight does not fit into half precision (largest 65,504)")
    return half


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and export; 2 on a run or a folder that cannot be used."""
    p = described(__doc__, "export")
    what = p.add_mutually_exclusive_group(required=True)
    what.add_argument("--run", type=Path, help="a run of finetune or teach")
    what.add_argument("--merge", type=Path, metavar="FOLDER", help="an adapter to merge")
    p.add_argument("--encoder", default="", help="by default the one that the run names")
    p.add_argument("--repo", help="of an adapter: its encoder's id on Hugging Face")
    p.add_argument("--revision", help="of an adapter: its encoder's commit there")
    p.add_argument("--out", type=Path, required=True)
    a = p.parse_args(argv)
    if a.merge:
        merge(a.merge, Path(a.encoder), a.out)
        return
    settings = read_json(a.run / "settings.json")
    if "dev" not in settings:
        raise BadInput(f"{a.run.name} is no run of finetune or teach")
    encoder = a.encoder or settings["encoder"]
    base = origin(Path(encoder), a.repo, a.revision) if settings.get("adapter") else None
    export(a.run, a.out, encoder, base)


if __name__ == "__main__":
    raise SystemExit(main())
