"""Check that every passage of the SpanBERT chapter shows what it promises, with the model that ships or with another one.

    python -m qa_demo.training.passages check [--model bundled|DIR] [--only ID ...]

Prints one line for each promise and exits with 1 when one is broken.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from qa_demo.core.errors import QADemoError
from qa_demo.core.infill import Infiller
from qa_demo.core.passages import Passage, check, load_passages

PASSAGES = Path(__file__).resolve().parents[2] / "assets" / "passages.json"


def rows(infiller: Infiller, passages: Iterable[Passage]) -> Iterator[tuple[str, str, str, bool, str]]:
    """(id, kind, promise, kept, what was found instead) for every promise, in the order of the file."""
    for passage in passages:
        for name, fault in check(passage, infiller).items():
            yield passage.id, passage.kind, name, fault is None, fault or ""


def select(passages: tuple[Passage, ...], only: list[str]) -> tuple[Passage, ...]:
    """The passages named by id, all of them without a name; an unknown id is refused."""
    unknown = set(only) - {p.id for p in passages}
    if unknown:
        raise QADemoError(f"no passage has the id {', '.join(sorted(unknown))}; there are {', '.join(p.id for p in passages)}")
    return tuple(p for p in passages if not only or p.id in only)


def main(argv: list[str] | None = None) -> int:
    """Parse the command line, check, and return the exit code: 0 when all promises hold, 1 when not, 2 on bad input."""
    p = argparse.ArgumentParser(prog="python -m qa_demo.training.passages", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("action", choices=["check"])
    p.add_argument("--model", default="bundled", help="bundled, or a folder")
    p.add_argument("--passages", type=Path, default=PASSAGES)
    p.add_argument("--only", nargs="*", default=[], metavar="ID")
    a = p.parse_args(argv)
    try:
        passages = select(load_passages(a.passages), a.only)
        from qa_demo.model.spanbert_loading import load_spanbert  # after the passages, so that a fault in the file is told at once
        done = []
        for row in rows(load_spanbert(a.model), passages):
            done.append(row[3])
            sys.stdout.write(f"{'kept  ' if row[3] else 'BROKEN'}  {row[0]:<12} {row[1]:<32} {row[2]:<10} {row[4]}\n")
            sys.stdout.flush()
    except QADemoError as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    sys.stdout.write(f"{sum(done)} of {len(done)} promises kept, {len(passages)} passages\n")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
