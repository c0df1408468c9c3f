"""Write a finished run with an adapter as a small folder: the change to the encoder, not the
encoder.

    python -m qa_demo.training.export_adapter --run runs/teacher --base ENCODER \\
        --out assets/reader-large
    python -m qa_demo.training.export_adapter --merge assets/reader-large --base ENCODER \\
        --out FOLDER

The second form goes the other way: adapter and encoder as one standard folder, which any code that
knows transformers loads, `teach` takes as a teacher, and `finetune` as an encoder. A run that began
with it names the adapter by `--onto`: the new one then holds both changes, side by side.
"""

import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from qa_demo.core.base import BadInput
from qa_demo.core.types import TAGS
from qa_demo.model.adapter import ADAPTER_FILE, BASE_FILE, CARD_FILE, base_of
from qa_demo.model.blueprint import blueprint
from qa_demo.model.checks import sha256, weight_files
from qa_demo.model.folder_tokenizer import load_tokenizer
from qa_demo.model.heads import BIO_FILE
from qa_demo.model.source import LOOPBACK
from qa_demo.model.weights import weights
from qa_demo.training import checkpoints
from qa_demo.training.export import finish, history, origin, taught_by, write_bio, write_checksums
from qa_demo.training.flags import described, exit_code
from qa_demo.training.twoheads import ALPHA

LIMIT = 15
"""MB of the folder."""
BASE = {
    "repo": "sentence-transformers/all-mpnet-base-v2",
    "revision": "e8c3b32edf5434bc2275fc9bab85f82640a19130",
    "sha256": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}
"""The encoder of assets/reader-large."""
Tensors = dict[str, torch.Tensor]


def adapter_of(trained: Tensors) -> Tensors:
    """What a run trained, by the names of the merged reader: LAYER.A, LAYER.B and the start/end
    head, in half precision. The factor alpha / r goes into B, so that W' = W + B A.
    """
    out = {}
    for name, tensor in trained.items():
        short = name.removeprefix("reader.")
        for part, factor in (("A", 1), ("B", ALPHA)):
            ending = f".lora_{part}.default.weight"
            if short.endswith(ending):
                layer = short.removesuffix(ending).split(".", 1)[1]  # without the model's prefix
                out[f"{layer}.{part}"] = factor * tensor
                break
        else:
            if not short.startswith("bio."):
                out[short] = tensor
    return {name: tensor.half().contiguous() for name, tensor in out.items()}


def joined(new: Tensors, old: Tensors) -> Tensors:
    """Two adapters of one encoder as one: B1 A1 + B2 A2 = [B1 B2] [A1; A2]."""
    side = {"A": 0, "B": 1}
    return {
        name: torch.cat([old[name], tensor], side[part]) if part in side else tensor
        for name, tensor in new.items()
        for part in [name.rpartition(".")[2]]
    }


def export(
    run: Path, base: dict[str, str], out: Path, onto: Path | None, bias: list[float]
) -> None:
    """Write adapter, heads and what is known of them; refuse a folder over LIMIT. `base`: as
    `named` gives it.
    """
    trained = load_file(run / "average.safetensors")
    adapter = adapter_of(trained)
    about = {"name": "large", "threshold": None, "tag_order": list(TAGS), "tag_bias": bias}
    about |= {"phases": history(run), "mean_with": [], "curve": curve_of(run)} | taught_by(run)
    about["base"] = base
    if onto is not None:
        adapter = joined(adapter, load_file(onto / ADAPTER_FILE))
        about["began_with"] = origin(onto)
    out.mkdir(parents=True, exist_ok=True)
    save_file(adapter, out / ADAPTER_FILE)
    write_bio(trained["bio.weight"], trained["bio.bias"] + torch.tensor(bias), out)
    (out / "reader.json").write_text(json.dumps(about, indent=1) + "\n")
    finish(out, LIMIT)


def named(base: Path, repo: str | None, revision: str | None) -> dict[str, str]:
    """Where the encoder of a folder comes from, and its SHA-256. Errors: BadInput for another than
    BASE without both names.
    """
    found = sha256(base / BASE_FILE)
    if repo and revision:
        return {"repo": repo, "revision": revision, "sha256": found}
    if found == BASE["sha256"] and not repo and not revision:
        return BASE
    raise BadInput(
        f"--repo and --revision must both say where {base.name} comes from, unless it is "
        f"{BASE['repo']} of {BASE['revision'][:7]}"
    )


def curve_of(run: Path) -> list[dict[str, float]]:
    """The averaged weights' scores of a run and those before it, in percent, on dev's part."""
    earlier = json.loads((run / "settings.json").read_text())["resume"]
    rows = [
        {"steps": row["step"] + row["before"], "questions": row["dev_questions"]}
        | {name: row["average"][name] for name in ("exact", "f1", "bio_f1")}
        for row in checkpoints.logged(run, "average")
    ]
    return curve_of(Path(earlier)) + rows if earlier else rows


def merge(folder: Path, base: Path, out: Path) -> None:
    """Adapter and encoder as one standard folder, in single precision; how the adapter was made
    goes along, for the card of a reader that it teaches.
    """
    base_of(folder, replace(LOOPBACK, base=base), blueprint)  # refuses another one
    plan = blueprint(base)
    whole = weights(plan, weight_files(base), adapter=folder / ADAPTER_FILE)
    whole.save_pretrained(out)
    load_tokenizer(base, plan.config).save_pretrained(out)
    for name in (BIO_FILE, CARD_FILE):
        shutil.copy(folder / name, out)
    write_checksums(out)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and write the folder."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "export_adapter")
    what = p.add_mutually_exclusive_group(required=True)
    what.add_argument("--run", type=Path, help="a run of finetune --adapter")
    what.add_argument("--merge", type=Path, metavar="FOLDER", help="an adapter to merge")
    p.add_argument("--base", type=Path, required=True, help="the folder of the encoder")
    p.add_argument("--repo", help=f"the encoder's hub id; needed but for {BASE['repo']}")
    p.add_argument("--revision", help="its commit there; needed with --repo")
    p.add_argument("--onto", type=Path, metavar="FOLDER", help="the adapter that the run began on")
    p.add_argument("--tag-bias", nargs=3, type=float, default=[0.0] * 3, metavar=("B", "I", "O"))
    p.add_argument("--out", type=Path, required=True)
    a = p.parse_args(argv)
    if a.merge:
        merge(a.merge, a.base, a.out)
    else:
        export(a.run, named(a.base, a.repo, a.revision), a.out, a.onto, a.tag_bias)


if __name__ == "__main__":
    raise SystemExit(main())
