"""The lead over "no answer" on a reading of two windows that is written out."""

from qa_demo.core.measuring.leads import lead_of
from qa_demo.core.predict import predict
from tests.core.toys import t1


def test_the_lead_is_over_the_smallest_no_answer_of_all_windows() -> None:
    reading = t1()
    found = lead_of(reading, predict(reading).best.candidate, 0.0, True)
    assert (found.best.score, found.null, found.lead) == (7.5, 1.5, 6.0)
    assert (found.window, found.start, found.end) == (0, 1.0, 0.5), "the second's is 9"
