"""Check that every passage of the SpanBERT chapter shows what it promises, with the model that
ships or with another one.

    python -m qa_demo.training.passages check [--model bundled|DIR] [--only ID ...]

Prints one line for each promise and exits with 1 when one is broken.
"""

import sys
from collections.abc import Iterable, Iterator

from qa_demo.core.examples import Passage
from qa_demo.core.infill import Infiller
from qa_demo.core.store import ASSETS
from qa_demo.training.loop import exit_code
from qa_demo.training.passage_promises import check, load_pool
from qa_demo.training.promise_check import Row, command

PASSAGES = ASSETS / "passages.json"


def rows(infiller: Infiller, passages: Iterable[Passage]) -> Iterator[Row]:
    """(id, kind, promise, kept, what was found instead) for every promise, in file order."""
    for passage in passages:
        for name, fault in check(passage, infiller).items():
            yield passage.id, passage.kind, name, fault is None, fault or ""


def fill_and_check(source: str, passages: Iterable[Passage]) -> Iterator[Row]:
    """Load the model, after the passages, so that a fault in the file is told at once."""
    from qa_demo.model.spanbert import load_spanbert

    yield from rows(load_spanbert(source), passages)


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Check; see `promise_check.command`."""
    return command(
        argv, __doc__, "passage", "model", ("passages", PASSAGES), load_pool, fill_and_check
    )


if __name__ == "__main__":
    sys.exit(main())
