"""What annotators said, and the terms of a loss on it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LossTerm:
    """One named term of a loss; total = sum of weight * value; `over` is the mean's denominator."""

    name: str
    value: float
    weight: float
    over: float


@dataclass(frozen=True)
class Answer:
    """A gold answer: context[char_start:char_start + len(text)] == text."""

    text: str
    char_start: int

    @property
    def char_end(self) -> int:
        """Half-open end of the answer in the context."""
        return self.char_start + len(self.text)


@dataclass(frozen=True)
class Example:
    """One SQuAD question: answers of its annotators, empty when it has none."""

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...]
    is_impossible: bool = False
    title: str = ""
    spans: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Where the answer is a list: half-open character ranges, one list an annotator; else empty."""
    columns: tuple[tuple[str, str], ...] = ()
    """What else a flat row says of its question, such as its source: name and value."""
