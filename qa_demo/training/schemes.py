"""Measure how often the masked-language layer's first guess is right where single tokens are
hidden, and where whole spans are, at one budget.

    python -m qa_demo.training.schemes --model assets/spanbert

Every text of the pool that one sequence holds is hidden several times by both laws, each hidden
piece as [MASK]; the draws follow from their number alone. Writes assets/schemes.json, one entry for
each model by the checksum of its weights: chapter 8 shows the entry of the model that it runs.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import torch

from qa_demo.core.blanks import hidden, right
from qa_demo.core.examples import load_examples
from qa_demo.core.infill import Infiller
from qa_demo.core.store import ASSETS
from qa_demo.model.spanbert import load_spanbert
from qa_demo.training.flags import described, exit_code


def measure(model: Infiller, texts: Iterable[str], draws: int) -> dict[str, int]:
    """How many pieces each law hides, and how many of them are guessed: {"texts", "draws",
    "blanks", "tokens", "spans"}; a text that one sequence does not hold is left out.
    """
    found = {"texts": 0, "draws": draws, "blanks": 0, "tokens": 0, "spans": 0}
    for text in texts:
        for seed in range(1, draws + 1):
            said = hidden(text, seed, model)
            if isinstance(said, str):
                break
            found["texts"] += seed == 1
            found["blanks"] += len(said.spans.pieces)
            found["tokens"] += right(said.tokens)
            found["spans"] += right(said.spans)
    return found


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line, measure, and put the entry beside those of other weights."""
    p = described(__doc__, "schemes")
    p.add_argument("--model", type=Path, default=ASSETS / "spanbert")
    p.add_argument("--pool", type=Path, default=ASSETS / "examples.json")
    p.add_argument("--draws", type=int, default=6)
    p.add_argument("--out", type=Path, default=ASSETS / "schemes.json")
    a: argparse.Namespace = p.parse_args(argv)
    torch.set_num_threads(1)
    texts = dict.fromkeys(example.context for example in load_examples(a.pool))
    weights = hashlib.sha256((a.model / "model.safetensors").read_bytes()).hexdigest()
    kept = json.loads(a.out.read_text()) if a.out.is_file() else {}
    kept[weights] = measure(load_spanbert(str(a.model)), texts, a.draws)
    a.out.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    sys.stdout.write(json.dumps(kept[weights]) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
