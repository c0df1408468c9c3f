"""Check that every example of the pool shows what it promises, with the reader that ships or with another one.

    python -m qa_demo.training.examples check [--reader bundled|DIR] [--only ID ...]

Prints one line for each promise and exits with 1 when one is broken.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from qa_demo.core.errors import QADemoError
from qa_demo.core.reader import Reader
from qa_demo.training.promises import PoolExample, check, load_pool

ASSETS = Path(__file__).resolve().parents[2] / "assets"
POOL = ASSETS / "examples.json"


def rows(reader: Reader, pool: Iterable[PoolExample]) -> Iterable[tuple[str, str, str, bool, str]]:
    """(id, kind, promise, kept, what was found instead) for every promise, in the order of the pool."""
    for example in pool:
        for name, fault in check(example, reader.read(example.question, example.context, example.options)).items():
            yield example.id, example.kind, name, fault is None, fault or ""


def select(pool: tuple[PoolExample, ...], only: list[str]) -> tuple[PoolExample, ...]:
    """The examples named by id, all of them without a name; an unknown id is refused."""
    unknown = set(only) - {e.id for e in pool}
    if unknown:
        raise QADemoError(f"no example has the id {', '.join(sorted(unknown))}; there are {', '.join(e.id for e in pool)}")
    return tuple(e for e in pool if not only or e.id in only)


def main(argv: list[str] | None = None) -> int:
    """Parse the command line, check, and return the exit code: 0 when all promises hold, 1 when not, 2 on bad input."""
    p = argparse.ArgumentParser(prog="python -m qa_demo.training.examples", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("action", choices=["check"])
    p.add_argument("--reader", default="bundled", help="bundled, or a folder")
    p.add_argument("--pool", type=Path, default=POOL)
    p.add_argument("--only", nargs="*", default=[], metavar="ID")
    a = p.parse_args(argv)
    try:
        pool = select(load_pool(a.pool), a.only)
        from qa_demo.model.loading import load_reader  # after the pool, so that a fault in the file is told at once
        done = []
        for row in rows(load_reader(a.reader), pool):
            done.append(row[3])
            sys.stdout.write(f"{'kept  ' if row[3] else 'BROKEN'}  {row[0]:<16} {row[1]:<28} {row[2]:<16} {row[4]}\n")
            sys.stdout.flush()
    except QADemoError as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    sys.stdout.write(f"{sum(done)} of {len(done)} promises kept, {len(pool)} examples\n")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
