"""What a reader shows of an example: its reading, its answer, and the tokens of a gold answer."""

from dataclasses import dataclass

from qa_demo.core.base import BadInput
from qa_demo.core.examples import PoolExample
from qa_demo.core.predict import Prediction, predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import Candidate
from qa_demo.core.text import span_at
from qa_demo.core.types import Answer, Reading, Span


@dataclass(frozen=True, eq=False)
class Shown:
    """An example, its reading, and its decode at default options and the reader's threshold."""

    example: PoolExample
    reading: Reading
    prediction: Prediction
    reader: Reader | None = None
    """Whom a promise about more than the reading asks."""

    @property
    def best(self) -> Candidate:
        """The best span, null or not."""
        if self.prediction.best is None:
            raise BadInput(f"example '{self.example.id}': no span of this reading is legal")
        return self.prediction.best.candidate

    @property
    def gold(self) -> Answer:
        """The first annotator's answer."""
        if not self.example.answers:
            raise BadInput(
                f"example '{self.example.id}': the promise needs an answer and none is given"
            )
        return self.example.answers[0]


def show(example: PoolExample, reading: Reading, reader: Reader | None = None) -> Shown:
    """Decode a reading as the page does first: exact search, logit sum, own threshold."""
    if (reading.encoding.question, reading.encoding.context, reading.options) != (
        example.question,
        example.context,
        example.options,
    ):
        raise BadInput(
            f"example '{example.id}': the reading was made from another text or other options"
        )
    return Shown(example, reading, predict(reading), reader)


def gold_span(reading: Reading, answer: Answer) -> Span:
    """The tokens that touch an answer. Errors: BadInput where none does."""
    return span_at(reading.encoding, answer.char_start, answer.char_end)
