"""The options of windows, of decoding and of merging, with what is allowed."""

from dataclasses import dataclass, field
from typing import Any


def option(default: Any, says: str) -> Any:
    """A field with its default and what a command line says of it."""
    return field(default=default, metadata={"help": says})


@dataclass(frozen=True)
class WindowOptions:
    """How a paragraph is cut into windows (BERT's names and defaults)."""

    max_seq_length: int = option(
        384, "Positions in one window: question, paragraph part and special tokens."
    )
    doc_stride: int = option(
        128, "The step from one window to the next, in word pieces (not the overlap)."
    )
    max_query_length: int = option(
        64, "The longest question, in word pieces; a longer one is refused."
    )


@dataclass(frozen=True)
class DecodeOptions:
    """Which spans are legal and how many are listed."""

    max_answer_length: int = option(30, "The longest answer, in word pieces.")
    n_best_size: int = option(20, "How many spans are listed.")
    null_score_diff_threshold: float = option(
        0.0, "No answer when null score - best score is above this."
    )
    top_n_grid: bool = option(
        False, "Search only BERT's grid of the top n starts and the top n ends."
    )


@dataclass(frozen=True)
class MergeOptions:
    """How windows are merged: three independent choices (see `core.reading.scales`)."""

    copies: str = option("max_context", "Which copies of a span count: the owner window's, or all.")
    scale: str = option("logit", "The scale on which spans of different windows are compared.")
    null: str = option("min_logit", "How the windows' null scores combine.")
