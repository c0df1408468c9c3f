"""The command that checks promises: of the page's examples and of chapter 8's passages."""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.core.examples import Passage, PoolExample
from qa_demo.training.loop import described

Text = TypeVar("Text", PoolExample, Passage)
Row = tuple[str, str, str, bool, str]
"""id, kind, promise, kept, and what was found instead."""


def unless(kept: bool, found: str) -> str | None:
    """None for a promise that is kept, else what was found instead."""
    return None if kept else found


def known(texts: tuple[Text, ...], promises: Collection[str], what: str) -> tuple[Text, ...]:
    """The texts, once all promises are known ones; BadInput names the others by id."""
    for text in texts:
        unknown = set(text.promise) - set(promises)
        if unknown or not text.promise:
            raise BadInput(
                f"{what} '{text.id}' promises {sorted(unknown) or 'nothing'}; known promises: "
                f"{', '.join(promises)}"
            )
    return texts


def select(texts: Sequence[Any], only: Sequence[str], what: str) -> tuple[Any, ...]:
    """The texts named by id, all of them without a name; an unknown id is refused."""
    unknown = set(only) - {t.id for t in texts}
    if unknown:
        raise QADemoError(
            f"no {what} has the id {', '.join(sorted(unknown))}; there are "
            f"{', '.join(t.id for t in texts)}"
        )
    return tuple(t for t in texts if not only or t.id in only)


def report(rows: Iterable[Row], texts: int, what: str) -> int:
    """Print a line for each promise, then their number; 0 when all are kept, else 1."""
    done = []
    for name, kind, promise, kept, instead in rows:
        done.append(kept)
        sys.stdout.write(
            f"{'kept  ' if kept else 'BROKEN'}  {name:<16} {kind:<32} {promise:<16} {instead}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{sum(done)} of {len(done)} promises kept, {texts} {what}s\n")
    return 0 if all(done) else 1


def command(
    argv: list[str] | None,
    about: str | None,
    what: str,
    model: str,
    file: tuple[str, Path],
    load: Callable[[Path], Sequence[Any]],
    rows: Callable[[str, Sequence[Any]], Iterator[Row]],
) -> int:
    """`check [--MODEL bundled|DIR] [--FILE PATH] [--only ID ...]`: exit code 0 when all promises
    hold, 1 when not.
    """
    p = described(about, f"{what}s")
    p.add_argument("action", choices=["check"])
    p.add_argument(f"--{model}", dest="model", default="bundled", help="bundled, or a folder")
    p.add_argument(f"--{file[0]}", dest="file", type=Path, default=file[1], help=f"the {what}s")
    p.add_argument("--only", nargs="*", default=[], metavar="ID")
    a = p.parse_args(argv)
    texts = select(load(a.file), a.only, what)
    return report(rows(a.model, texts), len(texts), what)
