"""The records of a prediction: candidates, their rank, and the answer or its absence."""

from dataclasses import dataclass

from qa_demo.core.types import Span


@dataclass(frozen=True)
class Candidate:
    """One span of one window: the row that a table prints."""

    window: int
    span: Span  # doc
    char_start: int
    char_end: int
    text: str
    start_logit: float
    end_logit: float

    @property
    def score(self) -> float:
        """start_logit + end_logit, to nine decimals."""
        return round(self.start_logit + self.end_logit, 9)


@dataclass(frozen=True)
class Ranked:
    """A candidate after merging; `value` is on the chosen scale, `share`: softmax of the n best."""

    candidate: Candidate
    rank: int
    value: float
    share: float


@dataclass(frozen=True)
class Prediction:
    """The fast half: the decoded n-best list and what it was measured against."""

    n_best: tuple[Ranked, ...]
    null_score: float
    null_window: int
    score_diff: float | None
    limit: float | None
    """The score_diff above which there is no answer; None if unknown: the best span answers."""
    has_threshold: bool = True
    """Whether the limit is the no-answer threshold; rules that compare probabilities have 0."""

    @property
    def best(self) -> Ranked | None:
        """The best span that is not the null; None when no span is legal."""
        return self.n_best[0] if self.n_best else None

    @property
    def answered(self) -> Candidate | None:
        """The best span where it is the answer; None means no answer."""
        if self.best is None or (
            self.limit is not None and self.score_diff is not None and self.score_diff > self.limit
        ):
            return None
        return self.best.candidate

    @property
    def answer(self) -> str | None:
        """The answer's text; None means no answer."""
        return None if self.answered is None else self.answered.text
