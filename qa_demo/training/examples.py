"""Check that every example of the pool shows what it promises, with the reader that ships or with
another one.

    python -m qa_demo.training.examples check [--reader bundled|DIR] [--only ID ...]

Prints one line for each promise and exits with 1 when one is broken.
"""

import sys
from collections.abc import Iterable, Iterator

from qa_demo.core.assets import ASSETS
from qa_demo.core.examples import PoolExample
from qa_demo.core.reader import Reader
from qa_demo.training.promise_check import Row, command
from qa_demo.training.promises import check, load_pool

POOL = ASSETS / "examples.json"


def rows(reader: Reader, pool: Iterable[PoolExample]) -> Iterator[Row]:
    """(id, kind, promise, kept, what was found instead) for every promise, in the order of the
    pool.
    """
    for example in pool:
        for name, fault in check(
            example, reader.read(example.question, example.context, example.options)
        ).items():
            yield example.id, example.kind, name, fault is None, fault or ""


def read_and_check(source: str, pool: Iterable[PoolExample]) -> Iterator[Row]:
    """Load the reader, after the pool, so that a fault in the file is told at once."""
    from qa_demo.model.loading import load_reader

    yield from rows(load_reader(source), pool)


def main(argv: list[str] | None = None) -> int:
    """Check; see `promise_check.command`."""
    return command(argv, __doc__, "example", "reader", ("pool", POOL), load_pool, read_and_check)


if __name__ == "__main__":
    sys.exit(main())
