"""What step 1 of chapter 8 shows: its picture, the sources, tables and the sentence."""

from typing import Any

from qa_demo.figures.pack import printable
from qa_demo.figures.spanbert import mask as figure
from qa_demo.figures.spanbert.lengths import lengths_data
from qa_demo.figures.spanbert.spelled import spelled
from qa_demo.views.spanbert.lab import MOST_PIECES, Lab
from qa_demo.views.spanbert.mask import passages


def present(lab: Lab) -> dict[str, Any]:
    """The picture of the step, with its tables and its notice."""
    encoding, spans, single = lab.encoding, lab.masked, lab.beside
    passage, lengths = passages().get(lab.passage or ""), lengths_data(lab.options)
    one_by_one = "The same budget as single pieces (BERT)"
    return {
        "pieces": figure.pieces_data(encoding),
        "spans": figure.scheme_data(spans, lab.given),
        "single": figure.scheme_data(single, lab.beside_given),
        "byHand": lab.by_hand,
        "said": lab.said or figure.fates_says(spans),
        "seed": lab.seed,
        "options": figure.options_data(lab.options),
        "sources": [{"id": p.id, "title": printable(p.title)} for p in passages().values()],
        "passage": lab.passage,
        "reason": "" if passage is None else spelled(printable(passage.reason)),
        "text": printable(lab.text),
        "most": MOST_PIECES,
        "notice": figure.mask_notice(spans, single, lab.by_hand),
        "tables": [
            figure.runs_table(encoding, spans, lab.given, "Hidden spans"),
            *([figure.draws_table(encoding, spans)] if spans.draws else []),
            figure.runs_table(encoding, single, lab.beside_given, one_by_one),
            lengths.pop("table"),
        ],
        "lengths": lengths,
    }
