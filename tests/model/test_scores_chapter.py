"""Chapter 2 with every family: products add up to the logits, readings compare."""

import pytest

from qa_demo.core.types import Reading
from qa_demo.figures.payload import plain
from qa_demo.model.reader import BertReader
from qa_demo.views.scores import chapter as scores
from tests.requests import job, selected

pytestmark = pytest.mark.model


def test_the_chapter_stands_on_every_family(reader: BertReader, reading: Reading) -> None:
    screen = selected(reading)
    for name, value, work in (
        ("states", screen.selection.window, scores.ask_states),
        ("other", {"question": "When?"}, scores.ask_other),
    ):
        asked = job(screen, name, value, reader)
        screen = scores.receive(screen, asked, work(asked))
    page = plain(scores.present(screen))
    picture = page["picture"]
    first = reading.tokens(0)[0]
    other = "<s>" if first == "[CLS]" else "[CLS]"
    assert other not in page["notice"] and not any(other in line for line in page["simplified"])
    assert first in scores.plane_notice(
        reading, screen.selection.window, screen.decode, "max_context"
    )
    assert picture["slide"]["question"] == "When?" and picture["states"]["vectors"]["d"] == 16
    found = plain(scores.details(screen))
    chosen = screen.selection
    window, rows = reading.windows[chosen.window], reading.logits(chosen.window)
    for lane, row in zip(("start", "end"), rows, strict=True):
        parts, pos = found[lane], window.to_pos(getattr(chosen.span, lane))
        total = sum(r["x"] for r in parts["rows"]) + parts["rest"]["x"] + parts["bias"]["x"]
        assert total == pytest.approx(float(row[pos]), abs=1e-4)
    assert picture["plane"]["named"][0] == window.cls_at
