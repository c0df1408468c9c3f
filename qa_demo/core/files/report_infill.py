"""What two heads guess for hidden words, as the JSON of the command line and the API."""

from typing import Any

from qa_demo.core.files.report import finite, terms_json
from qa_demo.core.infill import HiddenPiece, Infill, Said
from qa_demo.core.types import Encoding, Span


def infill_json(encoding: Encoding, found: Infill) -> dict[str, Any]:
    """The JSON of the command line and the API; `position` is k in the run (1 = next to the left
    neighbour), null without a pair.

    `terms` are the paper's code's two means, whose `over` names the denominators; `paper_terms` are
    the paper's plain sums.
    """
    return finite(
        {
            "text": encoding.context,
            "model": found.model_name,
            "pieces": [_piece_row(encoding, piece) for piece in found.pieces],
            "terms": terms_json(found.code),
            "total": sum(t.weight * t.value for t in found.code),
            "paper_terms": terms_json(found.paper),
            "paper_total": sum(t.weight * t.value for t in found.paper),
        }
    )


def _piece_row(encoding: Encoding, p: HiddenPiece) -> dict[str, Any]:
    """One hidden piece with what each head says of it."""
    start, end = encoding.chars(Span(p.at, p.at))
    heads = {"mlm": p.mlm, "sbo": p.sbo, "both": p.both}
    return {
        "text": p.token,
        "char_start": start,
        "char_end": end,
        "position": p.k,
        "run": [p.run.start, p.run.end],
        "fate": p.fate,
        **{name: _guesses(one) for name, one in heads.items()},
        **{f"true_rank_{name}": None if one is None else one.rank for name, one in heads.items()},
        "no_sbo": p.no_sbo,
    }


def _guesses(one: Said | None) -> list[dict[str, Any]] | None:
    return None if one is None else [{"piece": g.piece, "p": g.p} for g in one.guesses]
