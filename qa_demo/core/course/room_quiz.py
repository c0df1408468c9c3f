"""The quiz of a class before and after its lessons: right answers by item, and the gain.

    gain = (1/n) sum_k (a_k - b_k)

over the n people who can be paired: b_k and a_k are their right answers before and after. A page is
paired with itself, unless it handed in two different marks (two people shared it). What is left is
paired by its mark, which a student's browser made of a code of their own; a mark that two of them
hand in at one moment pairs nobody. The interval is that of drawing people with replacement
(core.measuring.bootstrap).
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from qa_demo.core.measuring.bootstrap import Draws, Estimate

Moment = Literal["before", "after"]
MOMENTS: tuple[Moment, Moment] = ("before", "after")
FORMS = ("A", "B", "C", "D")
"""The forms of the quiz: the same items with other numbers."""


@dataclass(frozen=True)
class Sheet:
    """One quiz that was handed in: whether each item is right, and the mark that pairs it, empty
    for none.
    """

    right: tuple[bool, ...]
    mark: str = ""


@dataclass(frozen=True)
class QuizLook:
    """What a page may know: when the class is asked, the form it gets, whether it has handed in;
    `handed` are the sheets before and after, the teacher's, else None.
    """

    moment: Moment | None
    form: str
    done: bool
    handed: tuple[int, int] | None


@dataclass(frozen=True)
class Outcome:
    """Right answers by item and sheets, before and after; `pairs` people were asked twice, `gain`
    in items is None where there is none.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    sheets: tuple[int, int]
    pairs: int
    gain: Estimate | None


@dataclass
class Quiz:
    """The sheets of a room, by moment and by the key of their page."""

    moment: Moment | None = None
    sheets: dict[Moment, dict[str, Sheet]] = field(
        default_factory=lambda: {moment: {} for moment in MOMENTS}
    )

    def look(self, code: str, key: str, teacher: bool) -> QuizLook:
        """What this page may know."""
        handed = (len(self.sheets["before"]), len(self.sheets["after"]))
        done = self.moment is not None and key in self.sheets[self.moment]
        return QuizLook(
            self.moment, form(code, self.moment or "before"), done, handed if teacher else None
        )

    def forget(self, key: str) -> None:
        """A page has left."""
        for sheets in self.sheets.values():
            sheets.pop(key, None)


def following(form: str) -> str:
    """The form behind another one, the first behind the last."""
    return FORMS[(FORMS.index(form) + 1) % len(FORMS)]


def form(code: str, moment: Moment) -> str:
    """The form of a room at a moment: drawn by the room's code, another one after than before."""
    drawn = FORMS[hashlib.sha256(code.encode()).digest()[0] % len(FORMS)]
    return drawn if moment == "before" else following(drawn)


def outcome(quiz: Quiz) -> Outcome | None:
    """What a class knew before and after; None before the first sheet."""
    before, after = (quiz.sheets[moment] for moment in MOMENTS)
    if not before and not after:
        return None
    found = pairs(before, after)
    gains = [sum(then.right) - sum(first.right) for first, then in found]
    return Outcome(
        _right(before),
        _right(after),
        (len(before), len(after)),
        len(found),
        Draws([str(k) for k in range(len(found))]).mean(gains) if found else None,
    )


def pairs(before: Mapping[str, Sheet], after: Mapping[str, Sheet]) -> list[tuple[Sheet, Sheet]]:
    """The two sheets of each person who handed in both, by page and then by mark."""
    same = [
        key
        for key in sorted(before.keys() & after.keys())
        if not (before[key].mark and after[key].mark) or before[key].mark == after[key].mark
    ]
    first, then = (_marked(sheets, same) for sheets in (before, after))
    return [
        *((before[key], after[key]) for key in same),
        *((first[mark], then[mark]) for mark in sorted(first.keys() & then.keys())),
    ]


def _marked(sheets: Mapping[str, Sheet], paired: Collection[str]) -> dict[str, Sheet]:
    """The sheets that are left, by their mark, where no other has it."""
    left = [sheet for key, sheet in sheets.items() if key not in paired]
    marks = Counter(sheet.mark for sheet in left)
    return {sheet.mark: sheet for sheet in left if sheet.mark and marks[sheet.mark] == 1}


def _right(sheets: Mapping[str, Sheet]) -> tuple[int, ...]:
    """How many have each item right."""
    return tuple(sum(column) for column in zip(*(s.right for s in sheets.values()), strict=True))
