"""Step 2 of chapter 8: what MLM, SBO and both say about each blank, and what the boundary knows.

Handlers: "predict-blank" (a hidden piece), "predict-cut" ({wire, cut}), "predict-word" ({side,
word}; None puts the text's own word back), "predict-reset".
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from qa_demo.core.errors import BadInput, ModelUnavailable
from qa_demo.core.masking.infill import WIRES, Infill, Trace
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import Masked, changed, restored
from qa_demo.figures.spanbert import predict as figure
from qa_demo.figures.spanbert import trace as sums
from qa_demo.figures.spanbert.guess_sentences import notice
from qa_demo.figures.spanbert.guessed import Guessed
from qa_demo.views.parse import choice, flag, record, whole
from qa_demo.views.session.recent import RecentValues
from qa_demo.views.spanbert.lab import Lab, given_pieces

MOST_LETTERS = 40
MOST_HELD = 24
"""Answers that are kept for each model: most clicks ask again what the one before asked."""
_HELD: WeakKeyDictionary[Infiller, RecentValues[Any]] = WeakKeyDictionary()


def _once(infiller: Infiller, key: Hashable, make: Callable[[], Any]) -> Any:
    """An answer of this model, computed when it is not among its last ones."""
    return _HELD.setdefault(infiller, RecentValues(MOST_HELD)).find(key, make)


def _key(masked: Masked, *more: Hashable) -> Hashable:
    return masked.true_ids.tobytes(), masked.input_ids.tobytes(), masked.runs, masked.fates, *more


def infill(infiller: Infiller, masked: Masked, cut: frozenset[str] = frozenset()) -> Infill:
    """The guesses, asked once."""
    found: Infill = _once(infiller, _key(masked, cut), lambda: infiller.infill(masked, cut))
    return found


def trace(infiller: Infiller, masked: Masked, at: int, cut: frozenset[str]) -> Trace | None:
    """The arithmetic of one blank, asked once; None when it has no SBO term."""
    if masked.why_no_sbo(at, infiller.positions) is not None:
        return None
    found: Trace = _once(infiller, _key(masked, at, cut), lambda: infiller.trace(masked, at, cut))
    return found


def chosen(lab: Lab) -> int:
    """The blank that is looked at: the lab's, else the first."""
    hidden = lab.masked.hidden
    return int(lab.at) if lab.at is not None and lab.at in hidden else int(hidden[0])


def guessed(lab: Lab, infiller: Infiller) -> Guessed:
    """The guesses on the text as it is and as it was changed, and the chosen blank's arithmetic."""
    own, at = restored(lab.masked, lab.encoding.context_ids), chosen(lab)
    return Guessed(
        lab.encoding,
        infill(infiller, own),
        infill(infiller, lab.masked, lab.cut),
        trace(infiller, lab.masked, at, lab.cut),
        at,
        lab.given,
    )


def present(lab: Lab, infiller: Infiller) -> dict[str, Any]:
    """The picture of the step, with its tables and its notice."""
    shown = guessed(lab, infiller)
    picture = figure.picture_data(shown)
    steps = None
    if shown.trace is not None and shown.blank.sbo is not None:
        steps = sums.steps_data(shown.trace, lab.encoding, shown.now, shown.blank.sbo)
    return {
        **picture,
        "formula": sums.formula_parts(shown.trace, shown.blank),
        "steps": steps,
        "loss": sums.loss_data(shown.now),
        "notice": notice(shown),
        "tables": [figure.guesses_table(shown), figure.blanks_table(shown)],
    }


# Handlers


def choose(lab: Lab, value: Any, infiller: Infiller | None = None) -> Lab:
    """Another blank."""
    at = whole(value, "blank", 0, len(lab.masked.true_ids) - 1)
    lab.masked.run_of(at)
    return replace(lab, at=at)


def cut(lab: Lab, value: Any, infiller: Infiller | None = None) -> Lab:
    """Cut a wire, or join it again."""
    given = record(value, "a wire", "wire", "cut")
    wire, off = choice(given.get("wire"), "the wire", WIRES), flag(given.get("cut"), "cut")
    return replace(lab, cut=lab.cut | {wire} if off else lab.cut - {wire})


def reset(lab: Lab, value: Any, infiller: Infiller | None) -> Lab:
    """All wires joined, the text's own words."""
    masked = restored(lab.masked, lab.encoding.context_ids)
    return replace(
        lab, masked=masked, given=given_pieces(lab.encoding, masked, infiller), cut=frozenset()
    )


def there(infiller: Infiller | None) -> Infiller:
    """The model, or the sentence that there is none."""
    if infiller is None:
        raise ModelUnavailable("there is no model in this page that could fill the blanks")
    return infiller


def change_word(lab: Lab, value: Any, infiller: Infiller | None) -> Lab:
    """Put another word beside the chosen run; it must be one word piece."""
    model = there(infiller)
    given = record(value, "a neighbour", "side", "word")
    side, word = choice(given.get("side"), "the side", ("left", "right")), given.get("word")
    if not isinstance(word, str | None):
        raise BadInput(f"a neighbour is a word, got {str(word)[:40]}")
    pair = lab.masked.boundary(lab.masked.run_of(chosen(lab)))
    if pair is None:
        raise BadInput(
            "this run stands at an edge of the text, so one neighbour is missing and neither is "
            "read"
        )
    at = pair[0 if side == "left" else 1]
    piece = int(lab.encoding.context_ids[at]) if word is None else one_piece(word, model)
    masked = changed(lab.masked, at, piece)
    return replace(lab, masked=masked, given=given_pieces(lab.encoding, masked, model))


def one_piece(word: str, infiller: Infiller) -> int:
    """The id of a word that is one piece; BadInput with its pieces when it is several."""
    if not word.strip() or len(word) > MOST_LETTERS:
        raise BadInput(
            f"type one word of at most {MOST_LETTERS} letters, got {word[:MOST_LETTERS]!r}"
        )
    encoding = infiller.encode(word)
    if len(encoding.context_ids) != 1:
        raise BadInput(
            f"{word.strip()!r} is {len(encoding.context_ids)} word pieces "
            f"({' '.join(encoding.context_tokens[:8])}); "
            "a neighbour is one piece, so type a more frequent word"
        )
    return int(encoding.context_ids[0])


ASKS: dict[str, Callable[[Lab, Any, Infiller | None], Lab]] = {
    "predict-blank": choose,
    "predict-cut": cut,
    "predict-word": change_word,
    "predict-reset": reset,
}
