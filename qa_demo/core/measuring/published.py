"""Figures printed in papers, with their place, for the page and the model cards to show beside
their own measurements.
"""

from dataclasses import dataclass

SPANBERT = (
    "Joshi et al., SpanBERT, TACL 2020, the ablations: large models, 1.2 M steps, development sets"
)


@dataclass(frozen=True)
class Row:
    """One line of a published table: F1 by task, None where the paper has no such cell here."""

    name: str
    squad2: float
    newsqa: float
    triviaqa: float
    coreference: float | None = None


SPANBERT_MASKING = (
    Row("word pieces", 83.8, 72.0, 76.3, 77.7),
    Row("whole words", 84.3, 72.8, 77.1),
    Row("named entities", 84.8, 72.7, 78.7),
    Row("noun phrases", 85.0, 73.0, 77.7),
    Row("geometric spans", 85.4, 73.0, 78.8, 76.4),
)
"""What is masked; two segments with the next sentence task."""
SPANBERT_OBJECTIVES = (
    Row("spans, two segments and next-sentence task", 85.4, 73.0, 78.8, 76.4),
    Row("spans, one segment", 86.7, 73.4, 80.0, 76.3),
    Row("spans, one segment, SBO", 86.8, 74.1, 80.3, 79.0),
)
"""What is trained on, all with geometric spans."""
