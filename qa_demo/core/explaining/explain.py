"""What an answer rests on, in one call."""

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import Attribution, Method, Target
from qa_demo.core.reader import Reader
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading, Span


def explain(
    reader: Reader, reading: Reading, method: Method = "gradient_x_input", span: Span | None = None
) -> Attribution:
    """The score of a span (doc), by default the best one's, attributed to the tokens of its window,
    in logits.

    Errors: BadInput without a legal span, or for a reading of another reader.
    """
    if span is not None:
        return reader.attribute(reading, Target("span_score", span), method)
    best = predict(reading).best
    if best is None:
        raise BadInput("no span of this paragraph is legal, so there is none to explain")
    found = best.candidate
    return reader.attribute(reading, Target("span_score", found.span, None, found.window), method)
