"""What a question of the report opens: one reader's best spans, and where it would begin and end,
as numbers for the browser to draw (assets/page/shared/side_by_side.js).
"""

from typing import Any

from qa_demo.core.files.report import place_json
from qa_demo.core.files.report_evaluate import chances
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading
from qa_demo.figures.attributed import rests_on
from qa_demo.figures.numbers import rounded

Row = dict[str, Any]
SHOWN = 5
PIECES, LISTED = 8, 0.05
"""So many pieces of a side are kept, and all from the chance on that lists a word in the table
(mirrored.js).
"""
DECIMALS = 4


def opened(row: Row) -> dict[str, Any]:
    """The best spans as [char_start, char_end, score, window], the chances of the likeliest pieces
    as [char_start, char_end, p]; lines of an older version have no chances.
    """
    probs = row.get("probs") or {"start": [], "end": [], "null": None}
    return {
        "n": [
            [one["char_start"], one["char_end"], rounded(one["score"], DECIMALS), one["window"]]
            for one in row["n_best"][:SHOWN]
        ],
        **{
            name: [[a, b, rounded(p, DECIMALS)] for a, b, p in likeliest(probs[name])]
            for name in ("start", "end")
        },
        "null": probs["null"] and [rounded(p, DECIMALS) for p in probs["null"]],
        "score_diff": row["score_diff"],
        "limit": row.get("limit"),
        "windows": row["windows"],
        "answer": row["answer"],
        **({"rests": rests_on(row)} if row.get("attribution") else {}),
    }


def likeliest(pieces: list[list[Any]]) -> list[list[Any]]:
    """The PIECES of [char_start, char_end, p] with the largest p and others with p >= LISTED, in
    the order of the text. A reader that is unsure of everything has dozens above DRAWN, which no
    eye tells apart; they were a third of a report.
    """
    found = sorted(pieces, key=lambda piece: -piece[2])
    return sorted(found[:PIECES] + [one for one in found[PIECES:] if one[2] >= LISTED])


def opened_reading(reading: Reading, prediction: Prediction) -> dict[str, Any]:
    """The same for a reading that is no line of a file."""
    best = prediction.best
    spans = [ranked.candidate for ranked in prediction.n_best[:SHOWN]]
    return opened(
        {
            "n_best": [{**place_json(one), "score": one.score} for one in spans],
            "probs": None if best is None else chances(reading, best.candidate.window),
            "score_diff": prediction.score_diff,
            "limit": prediction.limit,
            "windows": len(reading.windows),
            "answer": prediction.answer,
        }
    )
