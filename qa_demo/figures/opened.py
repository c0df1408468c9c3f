"""What a question of the report opens: one reader's best spans, and where it would begin and end,
as numbers for the browser to draw (assets/page/shared/side_by_side.js).
"""

import re
from bisect import bisect_right
from collections import Counter
from typing import Any

from qa_demo.core.files.report import place_json
from qa_demo.core.files.report_evaluate import chances
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading
from qa_demo.figures.attributed import rests_on
from qa_demo.figures.numbers import rounded

Row = dict[str, Any]
SHOWN, LISTED = 5, 0.05
"""So many spans are kept, and words of a side; also all words from the chance on that lists them in
the table (mirrored.js).
"""
DECIMALS = 4


def opened(row: Row) -> dict[str, Any]:
    """The best spans as [char_start, char_end, score, window] with scores as printed, the chances
    of the likeliest words as [char_start, p]; lines of an older version have no chances.
    """
    probs = row.get("probs") or {"start": [], "end": [], "null": None}
    return {
        "n": [
            [one["char_start"], one["char_end"], rounded(one["score"]), one["window"]]
            for one in row["n_best"][:SHOWN]
        ],
        **{name: likeliest(row["context"], probs[name]) for name in ("start", "end")},
        "null": probs["null"] and [chance(p) for p in probs["null"]],
        "score_diff": None if row["score_diff"] is None else rounded(row["score_diff"]),
        "limit": row.get("limit"),
        "windows": row["windows"],
        "answer": row["answer"],
        "rests": rests_on(row),
    }


def chance(p: float) -> float:
    """A probability rounded, which is 1 only where it is."""
    return min(rounded(p, DECIMALS), 1.0 if p == 1 else 1 - 10.0**-DECIMALS)


def likeliest(text: str, pieces: list[list[Any]]) -> list[list[Any]]:
    """[char_start, p] of the SHOWN likeliest words and of others with p >= LISTED, in the order of
    the text; `pieces` are [char_start, char_end, p], and a word has the sum of its own. A reader
    that is unsure of everything has dozens above DRAWN, which no eye tells apart.
    """
    words = list(re.finditer(r"\S+", text))
    ends = [word.end() for word in words]
    sums: Counter[int] = Counter()
    for a, b, p in pieces:
        if text[a:b].strip():
            sums[words[bisect_right(ends, a)].start()] += p
    found = sums.most_common()
    kept = found[:SHOWN] + [one for one in found[SHOWN:] if one[1] >= LISTED]
    return sorted([at, chance(p)] for at, p in kept)


def opened_reading(reading: Reading, prediction: Prediction) -> dict[str, Any]:
    """The same for a reading that is no line of a file."""
    best = prediction.best
    spans = [ranked.candidate for ranked in prediction.n_best[:SHOWN]]
    return opened(
        {
            "context": reading.encoding.context,
            "n_best": [{**place_json(one), "score": one.score} for one in spans],
            "probs": None if best is None else chances(reading, best.candidate.window),
            "score_diff": prediction.score_diff,
            "limit": prediction.limit,
            "windows": len(reading.windows),
            "answer": prediction.answer,
        }
    )
