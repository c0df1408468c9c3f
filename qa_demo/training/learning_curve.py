"""Keep the scores of the states that a reader came from beside it: its learning curve.

    python -m qa_demo.training.learning_curve exported/one exported/two [--reader assets/reader]

Each state is a folder that `qa_demo.training.export` wrote and `qa_demo.training.score` measured on
the same files. They stand in the order given, the reader itself last. Run this after `score` and
before `qa_demo.training.card`.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.training.flags import described, exit_code


def steps_so_far(about: Mapping[str, Any]) -> int:
    """Training steps on the way to a reader: those of its phases and of the reader that it began
    with. Runs that it was only averaged with do not count.
    """
    own = sum(phase["steps_taken"] for phase in about["phases"])
    return own + (steps_so_far(about["began_with"]) if "began_with" in about else 0)


def row(name: str, about: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """One point of the curve: steps, and the scores in percent that the aims are about."""
    plain, mixed = metrics["squad_dev"], metrics["squad_dev_v2"]["span"]
    return {
        "state": name,
        "steps": steps_so_far(about),
        "exact": plain["span"]["exact"],
        "f1": plain["span"]["f1"],
        "bio_f1": plain["bio"]["f1"],
        "best_f1": mixed["best_f1"],
        "best_accuracy": mixed["best_answer_or_not_accuracy"],
    }


def stored(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """(reader.json, metrics.json) of a folder. Errors: BadInput where one cannot be read."""
    try:
        about, metrics = (
            json.loads((folder / name).read_text(encoding="utf-8"))
            for name in ("reader.json", "metrics.json")
        )
    except (OSError, ValueError) as fault:
        raise BadInput(
            f"{folder.name} holds no reader.json and metrics.json that can be read; run "
            f"qa_demo.training.export and qa_demo.training.score first"
        ) from fault
    return about, metrics


def curve(states: Sequence[Path], reader: Path) -> list[dict[str, Any]]:
    """A row for each state, then the reader's. Errors: BadInput if measured on other files."""
    own, wanted = stored(reader)
    rows = []
    for folder in states:
        about, metrics = stored(folder)
        other = [
            name for name, digest in metrics["data"].items() if wanted["data"].get(name) != digest
        ]
        if other:
            raise BadInput(f"{folder.name} was measured on another {other[0]} than {reader.name}")
        rows.append(row(folder.name, about, metrics))
    return [*rows, row("this reader", own, wanted)]


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and keep the curve in metrics.json; 2 on an unusable folder."""
    p = described(__doc__, "learning_curve")
    p.add_argument("states", nargs="+", type=Path, help="scored folders, oldest first")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"))
    a = p.parse_args(argv)
    # imports torch, which the rows do not need
    from qa_demo.training.export import write_checksums

    rows = curve(a.states, a.reader)
    path = a.reader / "metrics.json"
    metrics = json.loads(path.read_text(encoding="utf-8")) | {"learning_curve": rows}
    path.write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
    write_checksums(a.reader)


if __name__ == "__main__":
    sys.exit(main())
