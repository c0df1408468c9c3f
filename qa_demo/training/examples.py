"""Check that every example of the pool shows what it promises, and that every second question of
its paragraph has another answer, with the reader that ships or with another one.

    python -m qa_demo.training.examples check [--reader bundled|DIR] [--only ID ...]

Prints one line for each promise and exits with 1 when one is broken.
"""

import sys
from collections.abc import Iterable, Iterator

from qa_demo.core.examples import PoolExample, questions_asked
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.store import ASSETS
from qa_demo.core.types import Reading
from qa_demo.training.loop import exit_code
from qa_demo.training.promise_check import Row, command
from qa_demo.training.promises import check, load_pool

POOL = ASSETS / "examples.json"


def rows(reader: Reader, pool: Iterable[PoolExample]) -> Iterator[Row]:
    """(id, kind, promise, kept, what was found instead) for every promise, in pool order, and for
    each second question of chapter 2: it must have another answer than the first, or none.
    """
    texts = tuple(pool)
    asked = questions_asked(texts)
    for example in texts:
        reading = reader.read(example.question, example.context, example.options)
        for name, fault in check(example, reading, reader).items():
            yield example.id, example.kind, name, fault is None, fault or ""
        others = [one for one in asked[example.context] if one != example.question][:2]
        first = _says(reading)
        for other in others:
            found = _says(reader.read(other, example.context, example.options))
            yield example.id, example.kind, "second question", found != first, f"{other} {found}"


def _says(reading: Reading) -> str:
    """The answer at the reader's threshold."""
    return predict(reading).answer or "no answer"


def read_and_check(source: str, pool: Iterable[PoolExample]) -> Iterator[Row]:
    """Load the reader, after the pool, so that a fault in the file is told at once."""
    from qa_demo.model.loading import load_reader

    yield from rows(load_reader(source), pool)


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Check; see `promise_check.command`."""
    return command(argv, __doc__, "example", "reader", ("pool", POOL), load_pool, read_and_check)


if __name__ == "__main__":
    sys.exit(main())
