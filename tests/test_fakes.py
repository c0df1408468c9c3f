"""The fake reader keeps the promises views rely on; tests/model checks the real one alike."""

import numpy as np
import pytest

from qa_demo.core.attribution import METHODS, Target, parts
from qa_demo.core.base import Cancelled
from qa_demo.core.heads import plane
from qa_demo.core.types import Span, WindowOptions
from tests.fakes import FakeReader

TEXT = "The bridge was designed by George Rotne and the towers by Ingeborg Hansen. " * 4


def test_hidden_states_give_the_logits_and_attention_rows_sum_to_one() -> None:
    reader = FakeReader()
    reading = reader.read("Who designed the bridge?", TEXT, WindowOptions(40, 10))
    assert len(reading.windows) > 1
    for window in reading.windows:
        hidden = reader.hidden(window)
        assert hidden.shape == (4, len(window), 6)
        np.testing.assert_allclose(
            plane(reader.heads(), hidden[-1]),
            np.stack(reading.logits(window.index), axis=1),
            atol=1e-4,
        )
        assert reader.attention(window).weights.shape == (3, 2, len(window), len(window))
        s, e = reader.masked(window, np.zeros((2, len(window))))
        np.testing.assert_allclose([s[0], e[1]], reading.logits(window.index))


def test_attributions_add_up_and_can_be_cancelled() -> None:
    reader = FakeReader()
    reading = reader.read("Who designed the bridge?", TEXT[:80])
    target = Target("span_score", Span(5, 6))
    value = sum(parts(target, reading.windows[0], *reading.logits(0)))
    for method in METHODS:
        seen: list[tuple[int, int]] = []
        found = reader.attribute(
            reading,
            target,
            method,
            on_progress=lambda done, total, seen=seen: seen.append((done, total)),
        )
        assert found.f_x == pytest.approx(value)
        assert found.start.shape == (len(reading.windows[0]),)
        assert seen[-1][0] == seen[-1][1]
        with pytest.raises(Cancelled):
            reader.attribute(reading, target, method, cancelled=lambda: True)
    whole = reader.attribute(reading, target)
    assert whole.complete
    assert whole.gap == pytest.approx(0.01 * 0.75 * value)
    assert whole.tried == ((20, pytest.approx(whole.gap)),)
    assert not reader.attribute(reading, target, n_steps=5).complete
