"""Does span masking, or the span boundary head, make a better start for a reader? Four starts,
several seeds, the same steps.

    python -m qa_demo.training.ablation --encoder ENCODER --text text/*.txt.gz \\
        --train squad-train.json.gz:1 --dev squad-dev.json.gz \\
        --pretrain-steps 1200 --finetune-steps 900 --seeds 1 2 \\
        --work runs/ablation --out assets/spanbert

Each finished cell is one JSON file under OUT/ablation and is skipped when it is there, so the
command can be stopped and given again; a cell half done goes on from its checkpoint. A seed counts
for the pre-training and for the fine-tuning. Give the time you have as steps.
"""

import argparse
import json
import logging
import shutil
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoTokenizer

from qa_demo.core.base import BadInput
from qa_demo.training import checkpoints, finetune, pretrain
from qa_demo.training.evaluate import answerable, quick_scores
from qa_demo.training.export_spanbert import restore, write_model
from qa_demo.training.flags import described, exit_code, parsed
from qa_demo.training.spanbert_card import ablation as table
from qa_demo.training.spanbert_card import write as write_card
from qa_demo.training.twoheads import load

log = logging.getLogger("ablation")
CELLS: dict[str, dict[str, Any] | None] = {
    "plain encoder": None,
    "token masking": {"masking": "token", "sbo": False},
    "span masking": {"masking": "span", "sbo": False},
    "span masking + SBO": {"masking": "span", "sbo": True},
}


def slug(cell: str, seed: int) -> str:
    """File name of one finished cell."""
    return f"{cell.replace(' + ', '-').replace(' ', '-').lower()}-seed{seed}"


def resumable(folder: Path) -> str | None:
    """The run folder itself when it holds a checkpoint to go on from."""
    return str(folder) if (folder / "state.json").is_file() else None


def taken(folder: Path) -> int:
    """Steps that a run has behind it."""
    state = folder / "state.json"
    return int(json.loads(state.read_text())["step"]) if state.is_file() else 0


def start_of(cell: str, seed: int, a: argparse.Namespace) -> str | None:
    """Pre-train one cell in full precision and give the folder to fine-tune; None when stopped."""
    options = CELLS[cell]
    if options is None:
        return str(a.encoder)
    run, folder = a.work / f"{slug(cell, seed)}-pretrain", a.work / f"{slug(cell, seed)}-start"
    settings = pretrain.Settings(
        a.encoder,
        tuple(a.text),
        str(run),
        a.pretrain_steps,
        seed=seed,
        length=a.length,
        batch_tokens=a.batch_tokens,
        workers=a.workers,
        evaluate_every=max(1, a.pretrain_steps // 2),
        **options,
    )
    if taken(run) < a.pretrain_steps and not pretrain.train(settings, resumable(run)):
        return None
    tokenizer = AutoTokenizer.from_pretrained(a.encoder)
    model = restore(a.encoder, run, np.zeros(len(tokenizer), dtype=np.int64))
    write_model(model, tokenizer, folder, half=False)
    return str(folder)


def measured(start: str, seed: int, cell: str, a: argparse.Namespace) -> dict[str, float] | None:
    """Fine-tune one start and score its averaged weights on the whole development file; None when a
    signal stopped it.
    """
    run = a.work / f"{slug(cell, seed)}-finetune"
    flags = ["--encoder", start, "--train", *a.train, "--dev", str(a.dev), "--out", str(run)]
    flags += ["--steps", str(a.finetune_steps), "--decay", "linear", "--seed", str(seed)]
    flags += ["--dev-limit", "1", "--evaluate-every", str(10**9)]
    flags += ["--lengths", *map(str, a.lengths)]
    if taken(run) < a.finetune_steps:
        settings, _ = parsed(finetune.Settings, None, "finetune", flags)
        finetune.train(settings, resumable(run))
    if taken(run) < a.finetune_steps:
        return None
    model = load(start, 0.0)
    checkpoints.load_weights(model, run / "average.safetensors")
    return quick_scores(
        model, AutoTokenizer.from_pretrained(start), answerable(a.dev)[: a.dev_limit]
    )


def finished(a: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The finished cells by name, figures as lists over seeds; refuses cells of other budgets."""
    cells: dict[str, dict[str, Any]] = {}
    for name in CELLS:
        for path in sorted((a.out / "ablation").glob(f"{slug(name, 0)[:-1]}*.json")):
            row = json.loads(path.read_text())
            if row["budget"] != budget(a):
                raise BadInput(
                    f"{path.name} was run with {row['budget']}, now asked for are {budget(a)}; "
                    f"move it away or give its budget"
                )
            cell = cells.setdefault(
                name, {"seeds": [], "exact": [], "f1": [], "bio_exact": [], "bio_f1": []}
            )
            for key in cell:
                cell[key].append(row["seed"] if key == "seeds" else row["scores"][key])
    return cells


def budget(a: argparse.Namespace) -> dict[str, Any]:
    """What all cells must have in common to be compared."""
    return {
        "pretrain_steps": a.pretrain_steps,
        "finetune_steps": a.finetune_steps,
        "batch_tokens": a.batch_tokens,
        "length": a.length,
        "lengths": list(a.lengths),
        "train": [Path(x).name for x in a.train],
        "dev": Path(a.dev).name,
        "dev_limit": a.dev_limit,
        "text": [Path(x).name for x in a.text],
    }


def run(a: argparse.Namespace) -> bool:
    """All cells, seed by seed, so that a stop leaves whole rows; True when none is missing."""
    done = a.out / "ablation"
    done.mkdir(parents=True, exist_ok=True)
    finished(a)
    for seed in a.seeds:
        for cell in CELLS:
            path = done / f"{slug(cell, seed)}.json"
            if path.is_file():
                log.info("%s is finished", path.stem)
                continue
            began = time.monotonic()
            start = start_of(cell, seed, a)
            scores = None if start is None else measured(start, seed, cell, a)
            if scores is None:
                log.info("stopped in %s; give the command again to go on", path.stem)
                return False
            found = {"cell": cell, "seed": seed, "scores": scores, "budget": budget(a)}
            found |= {"date": date.today().isoformat()}
            found |= {"seconds_of_last_session": round(time.monotonic() - began)}
            path.write_text(json.dumps(found, indent=1) + "\n")
            for folder in a.work.glob(f"{path.stem}-*"):
                shutil.rmtree(folder)
    return True


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = described(__doc__, "ablation")
    p.add_argument("--encoder", required=True)
    p.add_argument("--text", nargs="+", required=True)
    p.add_argument("--train", nargs="+", required=True, metavar="FILE:K")
    p.add_argument("--dev", type=Path, required=True)
    p.add_argument("--dev-limit", type=int, help="only the first so many questions with an answer")
    p.add_argument("--pretrain-steps", type=int, required=True)
    p.add_argument("--finetune-steps", type=int, required=True)
    p.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    p.add_argument("--batch-tokens", type=int, default=2048)
    p.add_argument("--length", type=int, default=128)
    p.add_argument(
        "--lengths",
        type=int,
        nargs="+",
        default=[96, 128, 192],
        help="window sizes of the fine-tuning",
    )
    p.add_argument("--workers", type=int, default=0)
    p.add_argument(
        "--work",
        type=Path,
        default=Path("runs/ablation"),
        help="checkpoints of cells under way; emptied cell by cell",
    )
    p.add_argument("--out", type=Path, default=Path("assets/spanbert"))
    return p


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Parse the command line, run what is missing, write ablation.json and the card's table."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    a = parser().parse_args(argv)
    whole = run(a)
    cells = finished(a)
    (a.out / "ablation.json").write_text(
        json.dumps({"budget": budget(a), "starts": cells}, indent=1) + "\n"
    )
    write_card(a.out)
    from qa_demo.training.export import write_checksums

    write_checksums(a.out)
    sys.stdout.write(table(cells) + "\n")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
