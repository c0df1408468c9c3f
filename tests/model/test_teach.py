"""Both heads of the bundled reader taught two answers: what one encoder lets each of them say."""

import numpy as np
import pytest

from qa_demo.core.learning.bio import decode_reading
from qa_demo.core.learning.teach import Course, begin, lesson, read_with, take
from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Span
from qa_demo.model.loading import load_reader
from qa_demo.model.source import bundled_folder

pytestmark = pytest.mark.model

TEXT = (
    "Bronze contains two metals: copper, about nine parts, and tin, about one part. It is "
    "harder than either."
)


def test_tags_learn_to_return_both_and_start_and_end_still_return_one() -> None:
    if not bundled_folder().is_dir():
        pytest.skip("no bundled reader")
    reader = load_reader()
    reading = reader.read("Which two metals does bronze contain?", TEXT, WindowOptions())
    both = tuple(
        span_at(reading.encoding, TEXT.index(word), TEXT.index(word) + len(word))
        for word in ("copper", "tin")
    )
    hidden = [np.asarray(reader.hidden(w))[-1] for w in reading.windows]
    of = lesson(reading, 0, [both] * 3, hidden[0], DecodeOptions())
    first = begin(of, reader.heads())
    same = read_with(reading, first.heads, hidden)
    np.testing.assert_allclose(same.start_logits, reading.start_logits, atol=1e-3)
    np.testing.assert_allclose(same.tag_logits, reading.tag_logits, atol=1e-3)
    taught = first
    for _ in range(5):
        taught = take(of, taught, Course(20, 0.1))
    after = read_with(reading, taught.heads, hidden)
    assert [x.span for x in decode_reading(after)] == list(both)
    best = predict(after, DecodeOptions()).best
    assert best is not None and best.candidate.span in (*both, Span(both[0].start, both[1].end))
    assert of.floor == pytest.approx(np.log(2))
    assert of.floor - 1e-6 <= taught.span_losses[-1] < of.floor + 0.1
