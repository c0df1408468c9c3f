"""What is taken as right on a screen: chapter 5 changes it, chapter 7 starts from it."""

from qa_demo.core.learning.golds import Answer
from qa_demo.core.reading.predict import predict
from qa_demo.figures.labels import Labels, make_labels
from qa_demo.views.examples import load_menu
from qa_demo.views.state import Screen


def annotated(screen: Screen) -> tuple[Answer, ...] | None:
    """The example's answers, or those that came with a text; None where nobody said them."""
    example = load_menu().get(screen.example or "")
    return screen.given if example is None else example.answers


def labels_of(screen: Screen) -> Labels:
    """What is taken as right on this screen, and who says so.

    A stand-in is what the reader itself answers: a logit dragged by hand must not move what it is
    measured against.
    """
    own = (
        predict(screen.reading, screen.decode, screen.merge)
        if screen.what_if.changes_numbers
        else screen.prediction
    )
    stand_in = None if own.answer is None or own.best is None else own.best.candidate.span
    return make_labels(screen.reading, screen.gold, screen.silent, annotated(screen), stand_in)
