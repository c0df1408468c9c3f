"""How well each head returns lists of answers, measured once on paragraphs kept apart."""

from collections.abc import Mapping
from typing import Any

from qa_demo.core.measuring.lists import ListScores
from qa_demo.core.measuring.measured import Measured
from qa_demo.figures.numbers import number
from qa_demo.figures.payload import table
from qa_demo.figures.prose import plural

WHAT = (
    "The table of lists counts questions whose answer is a list, none of them trained on; overlap "
    "gives a span credit for the characters that it shares with a wanted one, exact only for the "
    "very same words."
)
Lists = Mapping[str, Mapping[str, ListScores]]
ALL = "all"
"""The files scored as one; no file of its own."""


def name_of(file: str) -> str:
    """A file's name without what says how it is packed."""
    return "all together" if file == ALL else file.split(".")[0]


def lists_sentence(lists: Lists) -> str:
    """In how many files the tags do better, by either measure; how rarely a whole list is right."""
    files = {file: heads for file, heads in lists.items() if file != ALL}
    of = len(files)
    better = {
        measure: sum(
            getattr(heads["bio"], measure).f1 > getattr(heads["span"], measure).f1
            for heads in files.values()
        )
        for measure in ("overlap", "exact")
    }
    total = sum(heads["bio"].total for heads in files.values())
    whole = {
        head: round(sum(h[head].whole_lists * h[head].total / 100 for h in files.values()))
        for head in ("span", "bio")
    }
    return (
        f"By overlap the tags are ahead of start and end in {better['overlap']} of {of} "
        f"{'file' if of == 1 else 'files'}, by exact words in {better['exact']}. The whole list is "
        f"right for {whole['bio']:,} of {plural(total, 'question')} by the tags, for "
        f"{whole['span']:,} by start and end."
    )


def lists_says(measured: Measured | None) -> tuple[str, ...]:
    """What the table counts and shows."""
    return (f"{WHAT} {lists_sentence(measured.lists)}",) if measured and measured.lists else ()


def lists_table(measured: Measured | None) -> list[dict[str, Any]]:
    """Both heads on each file; nothing where nothing was measured."""
    if measured is None or not measured.lists:
        return []
    rows = [
        [
            name_of(file),
            f"{heads[head].total:,}",
            name,
            *(
                number(value, 1)
                for rates in (heads[head].overlap, heads[head].exact)
                for value in (rates.precision, rates.recall, rates.f1)
            ),
            number(heads[head].whole_lists, 1),
        ]
        for file, heads in measured.lists.items()
        for head, name in (("span", "start/end"), ("bio", "tags"))
    ]
    head = [
        "file",
        "questions",
        "head",
        *(f"{m} {r}" for m in ("overlap", "exact") for r in ("precision", "recall", "F1")),
        "whole list right",
    ]
    return [table("Lists of answers, in percent", head, rows)]
