"""Fill the tables of the documents and of the reader's model card from the measured figures; no
number is typed by hand.

    python -m qa_demo.training.card [--reader assets/reader] [--checkout .]

A table stands between `<!-- NAME -->` and `<!-- /NAME -->`. Run this after
`qa_demo.training.score`.
"""

import logging
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from qa_demo.core.base import BadInput
from qa_demo.training import card_tables as tables_of
from qa_demo.training.card_phases import training
from qa_demo.training.examples import POOL
from qa_demo.training.flags import described, exit_code
from qa_demo.training.learning_curve import stored
from qa_demo.training.promises import load_pool

log = logging.getLogger("card")


def fill(text: str, name: str, body: str) -> str:
    """Put `body` between the two marks of `name`; BadInput unless they stand there exactly once."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise BadInput(
            f"the text needs exactly one pair of marks <!-- {name} --> and <!-- /{name} -->"
        )
    return pattern.sub(lambda m: f"{m.group(1)}{body}\n{m.group(2)}", text)


def filled(text: str, bodies: Mapping[str, str]) -> str:
    """Fill every pair of marks."""
    for name, body in bodies.items():
        text = fill(text, name, body)
    return text


def cli(folder: Path) -> str:
    """The command line's answer to the shortest example of the pool, as it came out."""
    example = min(load_pool(POOL), key=lambda e: len(e.context))
    flags = [
        "answer",
        "--question",
        example.question,
        "--context",
        example.context,
        "--n-best-size",
        "5",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "qa_demo", *flags, "--reader", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BadInput(
            f"the command line ended with {done.returncode} for example '{example.id}': "
            f"{done.stderr.strip()}"
        )
    return f"```\n$ .venv/bin/python -m qa_demo {shlex.join(flags)}\n{done.stdout}```"


def write(path: Path, shown: Mapping[str, str]) -> None:
    """Fill one file's marks."""
    path.write_text(filled(path.read_text(encoding="utf-8"), shown), encoding="utf-8")
    log.info("filled %s", path)


def bodies(folder: Path) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """What stands between the marks of each document and of the model card, by their name; the
    documents show the bundled reader, and README.md its answer besides.
    """
    reader, metrics = stored(folder)
    large = "base" in reader
    tables = {
        "scores": tables_of.scores(metrics),
        "calibration": tables_of.calibration(metrics),
        "aims": tables_of.aims(metrics, tables_of.LARGE if large else tables_of.SMALL),
        "curve": tables_of.log_curve(reader) if large else tables_of.learning_curve(metrics),
        "versions": tables_of.versions(metrics),
        "training": training(reader),
    }
    if "lists" in metrics:
        tables["lists"] = tables_of.lists(metrics)
    return {} if large else {"docs/how-sure.md": {"scores": tables["scores"]}}, tables


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and fill; 2 when a file or a pair of marks is missing."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "card")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"))
    p.add_argument("--checkout", type=Path, default=Path())
    a = p.parse_args(argv)
    documents, card = bodies(a.reader)
    write(a.reader / "README.md", card)
    for name, shown in documents.items():
        write(a.checkout / name, shown)
    if documents:
        write(a.checkout / "README.md", {"cli": cli(a.reader)})


if __name__ == "__main__":
    sys.exit(main())
