"""What every chapter is given: one text as it is on screen, and a way to ask the models."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.predict import Prediction
from qa_demo.core.spans import Candidate
from qa_demo.core.types import Answer, DecodeOptions, Encoding, Reading, Span, Window, WindowOptions
from qa_demo.examples import PoolExample
from qa_demo.state import State

Need = Callable[..., Any]
"""need(key, make, *, of="reader", slow=False) asks a model for what a picture needs. The key names
the result within this text, reader and windows; of="spanbert", within all texts: there it holds its
own. make(model, on_progress, cancelled) makes it. Raises `work.Pending` until it is there.
"""


class NoModel(BadInput):
    """A picture that asks a model, where none is at hand."""


def without_model(*_: Any) -> Any:
    """In the place of what loads a model, for pictures of a reading alone: it refuses."""
    said = "give plot model=reader, for spanbert what qa_demo.model.spanbert.load_spanbert loads"
    raise NoModel(f"this picture asks a model, which a reading alone lacks; {said}")


def takes_long(context: str, windows: WindowOptions) -> bool:
    """Whether a text is read in the line of the slow ones: it fills more than a window or two."""
    return len(context) > 6 * windows.max_seq_length


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One text as it is on screen; what is `true` is the reader's own, with no logit changed."""

    state: State
    reading: Reading
    true: Reading
    prediction: Prediction
    true_prediction: Prediction
    selection: Span
    golds: tuple[Answer, ...]
    example: PoolExample | None
    examples: dict[str, PoolExample]
    decode: DecodeOptions
    need: Need

    @property
    def best(self) -> Candidate:
        """The best span, whether or not "no answer" wins; `pictures` refuses a text without one."""
        return self.prediction.n_best[0].candidate

    @property
    def true_best(self) -> Candidate:
        """That of the reader's own logits."""
        return self.true_prediction.n_best[0].candidate

    @property
    def lead(self) -> float:
        """By how much the score of "no answer" stands above that of the best span."""
        return self.prediction.null_score - self.best.score

    @property
    def marked_by(self) -> str:
        """Whose the gold, or its lack, is: yours, the author's, nobody's; of several no names."""
        if self.state.gold is not None:
            return "you"
        if self.example is None:
            return "nobody"
        return "several" if len(self.golds) > 1 else "the author"

    def whose(self, marks: int) -> str:
        """Whose mark an answer is: "marked by you"; of several "marked by 2 of 3 annotators"."""
        several = f"{marks} of {len(self.golds)} annotators"
        return f"marked by {several if self.marked_by == 'several' else self.marked_by}"

    @property
    def encoding(self) -> Encoding:
        """The texts and their pieces."""
        return self.reading.encoding

    @property
    def window(self) -> Window:
        """The home of the selection, where its start counts; else the best span's window."""
        return self.reading.home(self.selection) or self.reading.windows[self.best.window]

    @property
    def changed(self) -> bool:
        return self.reading is not self.true
