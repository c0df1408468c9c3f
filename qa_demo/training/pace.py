"""How much longer does a reader take than the bundled one, and how large is it? Written beside its
scores, for the reader menu.

    python -m qa_demo.training.pace --reader assets/reader-large --base ENCODER \\
        --dev squad-dev.json.gz

Both read the same questions, one at a time as the page does, in turn, so that other work on the
machine falls on both. Run it after `qa_demo.training.score`.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from qa_demo.core.reader import Reader
from qa_demo.core.types import Example
from qa_demo.evaluation.questions import read_squad
from qa_demo.model.loading import load_reader
from qa_demo.model.source import LOOPBACK
from qa_demo.training.export import write_checksums
from qa_demo.training.loop import described, exit_code

QUESTIONS = 60


def times_as_long(reader: Reader, other: Reader, examples: Sequence[Example]) -> float:
    """The median over the questions of seconds(reader) / seconds(other)."""

    def seconds(one: Reader, example: Example) -> float:
        began = time.perf_counter()
        one.read(example.question, example.context)
        return time.perf_counter() - began

    return median(seconds(reader, e) / seconds(other, e) for e in examples)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Measure, and put ratio and size into metrics.json."""
    p = described(__doc__, "pace")
    p.add_argument("--reader", type=Path, required=True)
    p.add_argument("--base", type=Path, help="the encoder that an adapter changes")
    p.add_argument("--dev", type=Path, required=True)
    a = p.parse_args(argv)
    examples = read_squad(a.dev)
    chosen = examples[:: max(1, len(examples) // QUESTIONS)][:QUESTIONS]
    reader = load_reader(str(a.reader), replace(LOOPBACK, base=a.base))
    ratio = times_as_long(reader, load_reader(), chosen)
    path = a.reader / "metrics.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    found["speed"]["times_as_long"] = round(ratio, 1)
    found["parameters"] = sum(parameter.numel() for parameter in reader.model.parameters())
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    write_checksums(a.reader)
    sys.stdout.write(f"{ratio:.1f} times as long, median of {len(chosen)} questions\n")


if __name__ == "__main__":
    raise SystemExit(main())
