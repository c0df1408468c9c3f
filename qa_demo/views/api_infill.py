"""The public endpoint `infill`: a text and its blanks in, what MLM, SBO and both say of each, with the JSON of the command line."""

from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

import gradio as gr
import numpy as np

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.infill import WIRES, Infiller, infill_json
from qa_demo.core.masking import MaskOptions, hide
from qa_demo.core.words import span_at
from qa_demo.views.errors import attempt

MOST_SPANS = 100
MOST_GUESSES = 100
SCHEMES = ("span", "token")
NO_MODEL = "this page was started without a model that fills blanks"


def make_infill(model: Callable[[], Infiller] | None, max_characters: int, at_once: int = 2) -> Callable[..., dict[str, Any]]:
    """The endpoint's function for a page; the model is loaded at the first call, and at most `at_once` calls run together."""
    places = BoundedSemaphore(at_once)

    def infill(text: str, spans: list[list[int]] | None = None, masking: str = "span", seed: int = 1, cut: list[str] | None = None,
               swap: list[list[int]] | None = None, top: int = 10, mask_ratio: float = 0.15, geometric_p: float = 0.2,
               span_lower: int = 1, span_upper: int = 10) -> dict[str, Any]:
        """Hide words of a text and guess them: pieces [text, position, mlm, sbo, both, true_rank_*], loss terms and their totals.

        `spans` holds [start, end] in characters, end exclusive; without it pieces are hidden by the law: `masking` span or token, `seed`,
        and the options of the command line. `cut` names wires of the boundary head (left, right, position) that carry their means; `swap`
        holds [piece, row] pairs of blanks that read another row of the position table.
        """
        def answer() -> dict[str, Any]:
            check_text(text, max_characters)
            hidden, rows = pairs("spans", spans), pairs("swap", swap)
            if masking not in SCHEMES:
                raise BadInput(f"masking must be one of {', '.join(SCHEMES)}, got {str(masking)[:40]!r}")
            number, guesses = whole("seed", seed, 0, 2**32 - 1), whole("top", top, 1, MOST_GUESSES)
            options = MaskOptions(share("mask_ratio", mask_ratio), share("geometric_p", geometric_p),
                                  whole("span_lower", span_lower, 1, MOST_SPANS), whole("span_upper", span_upper, 1, MOST_SPANS))
            wires = names(cut)
            if model is None:
                raise ModelUnavailable(NO_MODEL)
            with places:
                filler = model()
                encoding = filler.encode(text)
                if hidden:
                    masked = hide(encoding.context_ids, [span_at(encoding, *span) for span in hidden], filler.mask_id)
                else:
                    masked = filler.sample(encoding, np.random.default_rng(number), options, masking)
                return infill_json(encoding, filler.infill(masked, wires, dict(rows), guesses))

        result, error = attempt(answer)
        if result is None:
            raise gr.Error(error or "", print_exception=False)
        return result

    return infill


def check_text(text: Any, max_characters: int) -> None:
    """Refuse what no model can read, before anything is loaded."""
    if not isinstance(text, str) or not text.strip():
        raise BadInput("the text is empty; type at least one word")
    if len(text) > max_characters:
        raise BadInput(f"the text has {len(text):,} characters, this host allows {max_characters:,}")
    if any(0xD800 <= ord(c) < 0xE000 for c in text):
        raise BadInput("the text holds half of a surrogate pair, which JSON cannot carry")


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number within its limits, also as JSON's 3.0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or value != int(value):
        raise BadInput(f"{name} must be a whole number from {low} to {high}, got {str(value)[:40]}")
    return int(value)


def share(name: str, value: Any) -> float:
    """A number between 0 and 1; the record of the options says which ends are allowed."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{name} must be a number between 0 and 1, got {str(value)[:40]}")
    return float(value)


def pairs(name: str, given: Any) -> list[tuple[int, int]]:
    """Pairs of whole numbers, or a sentence."""
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MOST_SPANS:
        raise BadInput(f"{name} must be a list of at most {MOST_SPANS} pairs of whole numbers, got {str(given)[:40]}")
    for pair in given:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or any(isinstance(x, bool) or not isinstance(x, int) for x in pair):
            raise BadInput(f"each entry of {name} is a pair of whole numbers, got {str(pair)[:40]}")
    return [(pair[0], pair[1]) for pair in given]


def names(cut: Any) -> frozenset[str]:
    """Wires to cut."""
    if cut is not None and (not isinstance(cut, list) or not all(wire in WIRES for wire in cut)):
        raise BadInput(f"cut must be a list of wires, of {', '.join(WIRES)}, got {str(cut)[:40]}")
    return frozenset(cut or ())
