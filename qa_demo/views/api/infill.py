"""The public endpoint `infill`: a text and blanks in, what MLM, SBO and both say of each."""

from typing import Any

import numpy as np

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.files.report_infill import infill_json
from qa_demo.core.masking.infill import WIRES
from qa_demo.core.masking.masked import hide
from qa_demo.core.masking.span_masking import MaskOptions
from qa_demo.core.reading.words import span_at
from qa_demo.views import parse
from qa_demo.views.api.endpoint import Call, endpoint
from qa_demo.views.parse import sendable
from qa_demo.views.services import BUNDLED

MOST_SPANS = 100
MOST_GUESSES = 100
SCHEMES = ("span", "token")
NO_MODEL = "this page was started without a model that fills blanks"


@endpoint
def infill(
    call: Call,
    text: str,
    spans: list[list[int]] | None = None,
    masking: str = "span",
    seed: int = 1,
    cut: list[str] | None = None,
    swap: list[list[int]] | None = None,
    top: int = 10,
    mask_ratio: float = 0.15,
    geometric_p: float = 0.2,
    span_lower: int = 1,
    span_upper: int = 10,
) -> dict[str, Any]:
    """Hide words of a text and guess them: pieces [text, position, mlm, sbo, both,
    true_rank_*], loss terms and their totals.

    `spans` holds [start, end] in characters from 0, end exclusive; without it pieces are hidden
    by the law: `masking` span or token, `seed`, and the options of the command line. `cut`
    names wires of the boundary head (left, right, position) that carry their means; `swap`
    holds [piece, row] pairs of blanks that read another row of the position table.
    """
    sendable(parse.text(text, "the text", call.services.max_characters))
    hidden, rows = whole_pairs(spans, "spans"), whole_pairs(swap, "swap")
    scheme, wires = parse.choice(masking, "masking", SCHEMES), names(cut)
    number = parse.whole(seed, "seed", 0, 2**32 - 1)
    guesses = parse.whole(top, "top", 1, MOST_GUESSES)
    options = MaskOptions(
        parse.number(mask_ratio, "mask_ratio", 0, 1),
        parse.number(geometric_p, "geometric_p", 0, 1),
        parse.whole(span_lower, "span_lower", 1, MOST_SPANS),
        parse.whole(span_upper, "span_upper", 1, MOST_SPANS),
    )
    return _guess(call, text, hidden, rows, (scheme, number, options), wires, guesses)


def _guess(
    call: Call,
    text: str,
    hidden: list[tuple[int, int]],
    rows: list[tuple[int, int]],
    law: tuple[str, int, MaskOptions],
    wires: frozenset[str],
    guesses: int,
) -> dict[str, Any]:
    """Hide these spans, or those of the law (scheme, seed, options); guess in the queue."""
    infillers, (scheme, seed, options) = call.services.infillers, law
    if infillers is None:
        raise ModelUnavailable(NO_MODEL)

    def work(*_: Any) -> dict[str, Any]:
        filler = infillers.get(BUNDLED)
        encoding = filler.encode(text)
        if hidden:
            chosen = [span_at(encoding, *span) for span in hidden]
            masked = hide(encoding.context_ids, chosen, filler.mask_id)
        else:
            masked = filler.sample(encoding, np.random.default_rng(seed), options, scheme)
        return infill_json(encoding, filler.infill(masked, wires, dict(rows), guesses))

    asked = ("infill", text, tuple(hidden), tuple(rows), law, wires, guesses)
    return call.queued("infill", work, asked)


def whole_pairs(given: Any, name: str) -> list[tuple[int, int]]:
    """Pairs of whole numbers, none of them null."""
    found = parse.pairs(given, name, MOST_SPANS)
    if None in found:
        raise BadInput(f"each entry of {name} is a pair of whole numbers, got null")
    return [one for one in found if one is not None]


def names(cut: Any) -> frozenset[str]:
    """Wires to cut."""
    if cut is not None and (not isinstance(cut, list) or not all(wire in WIRES for wire in cut)):
        raise BadInput(f"cut must be a list of wires, of {', '.join(WIRES)}, got {parse.came(cut)}")
    return frozenset(cut or ())
