"""The examples of the menu, by their ids."""

from functools import cache
from pathlib import Path

from qa_demo.core import examples as core
from qa_demo.core.assets import ASSETS
from qa_demo.core.examples import PoolExample


def load_examples(path: Path | None = None) -> dict[str, PoolExample]:
    """Read `assets/examples.json`; an answer that does not stand where it says is refused with the
    example's id.
    """
    return {e.id: e for e in core.load_examples(path or ASSETS / "examples.json")}


def other_questions(question: str, context: str) -> list[str]:
    """Two questions that the examples ask of the same paragraph, beside this one; none for a text
    of one's own.
    """
    return [asked for asked in _asked().get(context, ()) if asked != question][:2]


@cache
def _asked() -> dict[str, tuple[str, ...]]:
    """All questions of each paragraph, those of examples first."""
    found: dict[str, dict[str, None]] = {}
    pool = load_examples().values()
    for own in (True, False):
        for e in pool:
            asked = (e.question,) if own else e.others
            found.setdefault(e.context, {}).update(dict.fromkeys(asked))
    return {context: tuple(questions) for context, questions in found.items()}
