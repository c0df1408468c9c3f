"""Chapter 2 with five families: products add up to the logits, readings compare."""

from pathlib import Path

import pytest

from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.figures.payload import plain
from qa_demo.model.loading import load_reader
from qa_demo.views import selection
from qa_demo.views.scores import chapter as scores
from qa_demo.views.state import Screen
from tests.model import kit
from tests.requests import job

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    "family", ["distilbert", "roberta", "electra", "albert", "deberta-v2", "modernbert"]
)
def test_the_chapter_stands_on_every_family(family: str, tmp_path: Path) -> None:
    reader = load_reader(str(kit.save(tmp_path / family, family)))
    reading = reader.read(
        kit.QUESTION, kit.CONTEXT[:120], WindowOptions(max_seq_length=64, doc_stride=9)
    )
    screen = Screen(reading, DecodeOptions())
    screen = screen.select(selection.winner(screen))

    for name, value, work in (
        ("states", screen.selection.window, scores.ask_states),
        ("other", {"question": "When?"}, scores.ask_other),
    ):
        asked = job(screen, name, value, reader)
        screen = scores.receive(screen, asked, work(asked))
    page = plain(scores.present(screen))
    picture = page["picture"]
    other = "[CLS]" if family == "roberta" else "<s>"
    assert other not in page["notice"] and not any(other in line for line in page["simplified"])
    assert reading.tokens(0)[0] in scores.plane_notice(
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
    assert picture["plane"]["named"][0] == reading.windows[screen.selection.window].cls_at
