"""What closer windows cost and buy: the sentence says what the figures say, for any figures."""

from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.measuring.measured import Measured, WindowStep, WindowSteps
from qa_demo.figures.windows.steps import steps_sentence

SCORE, COUNT = st.floats(0, 100), st.integers(0, 300)
STEP = st.builds(WindowStep, st.integers(1, 380), SCORE, SCORE, COUNT, COUNT, st.floats(1, 50))
ROWS = st.lists(STEP, min_size=2, max_size=4, unique_by=lambda row: row.doc_stride)


@given(ROWS)
def test_the_sentence_says_whether_the_closest_step_is_best(rows: list[WindowStep]) -> None:
    (said,) = steps_sentence(Measured({}, {}, window_steps=WindowSteps(300, 900, tuple(rows))))
    closest = min(rows, key=lambda row: row.doc_stride)
    leads = all(closest.f1 >= row.f1 for row in rows)
    assert ("bring the highest F1" in said) == leads
    assert ("bring no higher F1" in said) == (not leads)


def test_one_measurement_by_hand() -> None:
    rows = (WindowStep(128, 65.33, 72.91, 0, 0, 6.69), WindowStep(256, 65.67, 74.02, 14, 13, 4.12))
    (said,) = steps_sentence(Measured({}, {}, window_steps=WindowSteps(300, 901, rows)))
    assert "300 questions, texts of 901 words" in said
    assert "a step of 128 and 256 the F1 is 72.9 and 74.0, at 6.7 and 4.1 windows a text" in said
    assert "cost 1.6 times the windows" in said


def test_a_reader_without_figures_says_nothing() -> None:
    assert steps_sentence(None) == steps_sentence(Measured({}, {})) == ()
