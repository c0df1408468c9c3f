"""A saved reading: every chapter inside, user text inert; the figure of a reading in a notebook."""

import json
import re
import time

import plotly.graph_objects as go
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from qa_demo import bundle, plot
from qa_demo.core.base import BadInput, Cancelled
from qa_demo.evaluation import report
from qa_demo.examples import load_menu
from qa_demo.model.work import Work
from qa_demo.page import routes
from qa_demo.pictures import CHAPTERS, Pictures
from qa_demo.saved import as_page, colours, pictures_of, saved
from qa_demo.state import State
from tests.chapters.given import STEPS, full
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.odd import HOSTILE
from tests.printed import inert

EXAMPLE = load_menu()["oresund"]
READING = EXAMPLE.stored()


class Slow(FakeReader):
    """Attributes for half a second, or until nobody asks."""

    def attribute(self, *about, cancelled, **more):
        for _ in range(50):
            time.sleep(0.01)
            if cancelled():
                raise Cancelled("nobody waits")
        return super().attribute(*about, **more)


def test_what_takes_longer_than_a_lease_is_saved_all_the_same(monkeypatch):
    """On a busy machine each request gave up the attribution of the one before."""
    monkeypatch.setattr("qa_demo.model.work.LEASE", 0.4)
    monkeypatch.setattr("qa_demo.server.answers.PATIENCE", 10)
    pictures = Pictures(load_menu(), lambda _: Slow(bio=True), FakeInfiller, work=Work())
    draw = pictures.picture
    pictures.picture = lambda state: time.sleep(0.05) or draw(state)
    client = TestClient(Starlette(routes=routes(pictures)))
    assert client.post("/saved", json={"state": {"chapter": "loss", "step": 9}}).status_code == 422
    made = client.post("/saved", json={"state": {"question": "Who?", "context": "Ada came."}})
    assert made.status_code == 200 and made.text.startswith("<!doctype html>"), made.text


def test_every_step_is_saved_only_two_scripts_run_and_no_users_text_ends_an_element():
    opened = {made["example"] for made in pictures_of(full(), State()).values()}
    assert opened == {"oresund"}, "one text, not each chapter's opening"
    state = State(question=HOSTILE, context=HOSTILE * 3, chapter="spans", veil=True)
    found = pictures_of(full(), state)
    assert set(found) == {f"{chapter}/{step}" for chapter, step in STEPS}
    assert "square" in {b["key"] for b in found["spans/1"]["blocks"]}, "nothing is covered"
    text = saved(found, state)
    assert json.loads(inert(text, "saved"))["chapters"][2] == ["start_end", "Start & end"]
    assert len(re.findall(r"<script\b", text)) == 3 and text.count("</script>") == 3
    assert "onerror=alert(1)>" not in re.sub(r"\\u003c", "<", text.split('id="saved">')[0])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src 'none'") and policy.count("'sha256-") == 2
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert len(text) < 6_000_000 and "import.meta" not in text, "no module, no server"


@pytest.mark.parametrize("modules", [bundle.MODULES, report.MODULES])
def test_no_two_modules_use_a_name_for_two_things(modules):
    text = bundle.script(modules=modules)
    names = re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", text, re.M)
    assert len(names) == len(set(names))


def test_a_notebook_plots_a_reading_with_colours_and_selection_and_shows_its_page():
    figure = plot(READING, "spans")
    assert isinstance(figure, go.Figure) and figure.layout.shapes
    assert "#00659f" in figure.to_json()
    other, drawn = plot(READING, "spans", selection=(3, 5)).layout, figure.layout
    assert other.shapes != drawn.shapes and other.annotations != drawn.annotations
    low, ink = (colours()[role] for role in ("low", "ink"))
    assert figure.data[-1].colorscale == ((0, low), (1, ink))
    silent = plot(READING, "spans", edits={"start": {"0:0": -99.0}}).layout.shapes[0].fillcolor
    assert silent == f"rgb({','.join(map(str, bytes.fromhex(low[1:])))})", "the lowest of all"
    with pytest.raises(BadInput, match="not as a figure"):
        plot(READING, "start_end", step=1)
    with pytest.raises(BadInput, match=r"temperature: must be greater .* equal to 0\.2, got 0"):
        plot(READING, "spans", temperature=0)
    with pytest.raises(BadInput, match="doc_stride is the reading's own; another one is read anew"):
        plot(READING, "windows", doc_stride=8)
    with pytest.raises(BadInput, match=r"for spanbert what .*load_spanbert loads"):
        plot(READING, "spanbert", model=FakeReader())
    frame = as_page(READING)
    assert re.fullmatch('<iframe srcdoc="[^"]+" style="[^"]+"></iframe>', frame)
    assert "Georg Rotne" in frame


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_figure_is_plotlys_own_in_the_pages_colours(chapter):
    reader = FakeReader(bio=True)
    reading = reader.read(EXAMPLE.question, EXAMPLE.context)
    model, drawn = FakeInfiller() if chapter == "spanbert" else reader, 0
    for step in [step for name, step in STEPS if name == chapter]:
        try:
            drawn += isinstance(plot(reading, chapter, step, model), go.Figure)
        except BadInput as fault:
            assert "drawn in the text" in str(fault)  # noqa: PT017  most steps have a figure
    assert drawn, "no step of this chapter has a figure that plot could give"
