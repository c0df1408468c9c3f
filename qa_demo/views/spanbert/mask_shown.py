"""What step 1 of chapter 8 shows: its picture, the sources, tables and the sentence."""

from typing import Any

from qa_demo.figures.pack import printable
from qa_demo.figures.spanbert import mask as figure
from qa_demo.figures.spanbert.draws import frames_data
from qa_demo.figures.spanbert.lengths import lengths_data
from qa_demo.figures.spanbert.spelled import spelled
from qa_demo.views.spanbert.lab import MOST_PIECES, Lab
from qa_demo.views.spanbert.mask import by_hand_now, counted, passages, shown_single, shown_spans


def present(lab: Lab) -> dict[str, Any]:
    """The picture of the step."""
    spans, single = shown_spans(lab), shown_single(lab)
    spans_given, single_given = (
        (lab.beside_given, lab.given) if lab.how == "token" else (lab.given, lab.beside_given)
    )
    passage = passages().get(lab.passage or "")
    return {
        "pieces": figure.pieces_data(lab.encoding),
        "spans": figure.scheme_data(spans, spans_given),
        "single": figure.scheme_data(single, single_given),
        "how": lab.how,
        "byHand": by_hand_now(lab),
        "said": lab.said,
        "frames": frames_data(lab.encoding, spans, lab.options),
        "budget": spans.budget,
        "seed": lab.seed,
        "options": figure.options_data(lab.options),
        "lengths": lengths_data(counted(lab), lab.options),
        "sources": sources(),
        "passage": lab.passage,
        "reason": "" if passage is None else spelled(printable(passage.reason)),
        "text": printable(lab.text),
        "most": MOST_PIECES,
    }


def sources() -> list[dict[str, Any]]:
    """The texts that can be chosen without typing."""
    return [{"id": p.id, "title": printable(p.title)} for p in passages().values()]


def tables(lab: Lab) -> list[dict[str, Any]]:
    """The twins: runs of both schemes, the draws, the lengths."""
    spans, single = shown_spans(lab), shown_single(lab)
    spans_given, single_given = (
        (lab.beside_given, lab.given) if lab.how == "token" else (lab.given, lab.beside_given)
    )
    return [
        figure.runs_table(lab.encoding, spans, spans_given, "Hidden spans"),
        *([figure.draws_table(lab.encoding, spans)] if spans.draws else []),
        figure.runs_table(
            lab.encoding, single, single_given, "The same budget as single pieces (BERT)"
        ),
        lengths_data(counted(lab), lab.options)["table"],
    ]


def notice(lab: Lab) -> str:
    """What hiding in a row takes away."""
    return figure.mask_notice(shown_spans(lab), shown_single(lab), by_hand_now(lab))
