"""What a question of the report opens: one reader's best spans, and where it would begin and end,
as numbers for the browser to draw (assets/report/shared/side_by_side.js).
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Set
from typing import Any

from qa_demo.evaluation.attributed import rests_on
from qa_demo.evaluation.numbers import rounded

Row = dict[str, Any]
SHOWN, LISTED = 5, 0.05
"""So many spans are kept, and words of a side; also each word that the table lists (mirrored.js),
which is one with this chance on any side.
"""
DECIMALS = 4


def opened(*rows: Row) -> list[dict[str, Any]]:
    """What one reader's line opens, or both lines of a question side by side: the best spans as
    [char_start, char_end, score, window] with scores as printed, the chances of the likeliest words
    as [char_start, p]; lines of an older version have no chances.
    """
    sums = [
        {side: by_word(row["context"], _probs(row)[side]) for side in ("start", "end")}
        for row in rows
    ]
    sides = [side for one in sums for side in one.values()]
    listed = {at for side in sides for at, p in side.items() if chance(p) >= LISTED}
    return [
        _opened(row, {side: likeliest(of, listed) for side, of in one.items()})
        for row, one in zip(rows, sums, strict=True)
    ]


def _probs(row: Row) -> Row:
    return row.get("probs") or {"start": [], "end": [], "null": None}


def _opened(row: Row, likely: Row) -> dict[str, Any]:
    null = _probs(row)["null"]
    return {
        "n": [
            [one["char_start"], one["char_end"], rounded(one["score"]), one["window"]]
            for one in row["n_best"][:SHOWN]
        ],
        **likely,
        "null": null and [chance(p) for p in null],
        "score_diff": None if row["score_diff"] is None else rounded(row["score_diff"]),
        "limit": row.get("limit"),
        "windows": row["windows"],
        "answer": row["answer"],
        "rests": rests_on(row),
    }


def chance(p: float) -> float:
    """A probability rounded, which is 1 only where it is."""
    return min(rounded(p, DECIMALS), 1.0 if p == 1 else 1 - 10.0**-DECIMALS)


def by_word(text: str, pieces: list[list[Any]]) -> Counter[int]:
    """The chance of each word, by where it begins: the sum over its `pieces`
    [char_start, char_end, p].
    """
    words = list(re.finditer(r"\S+", text))
    ends = [word.end() for word in words]
    sums: Counter[int] = Counter()
    for a, b, p in pieces:
        if text[a:b].strip():
            sums[words[bisect_right(ends, a)].start()] += p
    return sums


def likeliest(sums: Counter[int], listed: Set[int]) -> list[list[Any]]:
    """[char_start, p] of the SHOWN likeliest words and of the listed ones, in the order of the
    text. A reader that is unsure of everything has dozens above DRAWN, which no eye tells apart.
    """
    kept = {at for at, _ in sums.most_common(SHOWN)} | (listed & sums.keys())
    return [[at, chance(sums[at])] for at in sorted(kept)]
