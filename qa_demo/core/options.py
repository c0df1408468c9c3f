"""The options of windows, of decoding and of merging, with what is allowed."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class WindowOptions:
    """How a paragraph is cut into windows (BERT's names and defaults)."""

    max_seq_length: int = field(
        default=384,
        metadata={"help": "Positions in one window: question, paragraph part and special tokens."},
    )
    doc_stride: int = field(
        default=128,
        metadata={
            "help": "The step from one window to the next, in word pieces (not the overlap)."
        },
    )
    max_query_length: int = field(
        default=64,
        metadata={"help": "The longest question, in word pieces; a longer one is refused."},
    )


@dataclass(frozen=True)
class DecodeOptions:
    """Which spans are legal and how many are listed."""

    max_answer_length: int = field(
        default=30, metadata={"help": "The longest answer, in word pieces."}
    )
    n_best_size: int = field(default=20, metadata={"help": "How many spans are listed."})
    null_score_diff_threshold: float = field(
        default=0.0, metadata={"help": "No answer when null score - best score is above this."}
    )
    top_n_grid: bool = field(
        default=False,
        metadata={"help": "Search only BERT's grid of the top n starts and the top n ends."},
    )


@dataclass(frozen=True)
class MergeOptions:
    """How windows are merged: three independent choices (see `core.reading.scales`)."""

    copies: str = field(
        default="max_context",
        metadata={"help": "Which copies of a span count: the owner window's, or all."},
    )
    scale: str = field(
        default="logit",
        metadata={"help": "The scale on which spans of different windows are compared."},
    )
    null: str = field(
        default="min_logit", metadata={"help": "How the windows' null scores combine."}
    )
