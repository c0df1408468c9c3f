"""Chapter 9 with real readers of several families: all differ, the chapter does not."""

from typing import Any

import numpy as np
import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import WindowOptions
from qa_demo.figures.labels import Labels
from qa_demo.figures.loss.picture import says_labels
from qa_demo.figures.payload import plain
from qa_demo.figures.spans.pair_mass import mass_data
from qa_demo.model.loading import load_reader
from qa_demo.views.explaining import Work
from qa_demo.views.state import Screen
from qa_demo.views.why import chapter as why
from tests.model import kit
from tests.printed import text_of, unpacked
from tests.requests import MODULES, selected
from tests.views.why.test_chapter import asked, chosen

pytestmark = pytest.mark.model
OF_BERT = ("merge", "pencil")


@pytest.fixture(
    scope="module",
    params=["bert", "distilbert", "roberta", "electra", "albert", "deberta", "deberta-v2"],
)
def seen(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, Screen]:
    reader = load_reader(str(kit.save(tmp_path_factory.mktemp(request.param), request.param)))
    reading = reader.read(kit.QUESTION, kit.CONTEXT, WindowOptions(60, 12))
    return reader, selected(reading)


def answer(
    seen: tuple[Any, Screen], what: str, method: str = "gradient_x_input", **more: Any
) -> dict[str, Any]:
    reader, screen = seen
    value = asked(screen, what, chosen("span_minus_null", None, method, "zero"), **more)
    return plain(why.reply(screen, value, Work(reader, screen.reading)))["picture"]


def test_every_request_is_answered(seen: tuple[Any, Screen]) -> None:
    window = seen[1].reading.windows[seen[1].selection.window]
    picture = answer(seen, "attention")
    grid = picture["reply"]["data"]
    assert (
        unpacked(grid["start"]).shape == (grid["layers"] * grid["heads"],) and 0 < grid["even"] < 1
    )
    of = unpacked(picture["seats"]["of"], "<i4")
    assert len(of) == len(window) and picture["seats"]["special"] == np.flatnonzero(of < 0).tolist()
    for method in ("gradient_x_input", "integrated_gradients", "leave_one_out"):
        lanes = answer(seen, "attribution", method)["reply"]["data"]
        assert unpacked(lanes["start"]).shape == unpacked(lanes["end"]).shape == (len(window),)
    for what in ("head", "exact", "relevance", "question"):
        assert answer(seen, what, layer=1, head=1, position=len(window) - 1)["reply"]["data"]
    assert answer(seen, "stood", "integrated_gradients")["reply"]["data"]["verdict"].startswith(
        "Masking the three top words"
    )


def test_a_reader_that_normalises_each_word_first_has_nothing_to_say_by_gradient(
    seen: tuple[Any, Screen],
) -> None:
    """DeBERTa's first layer norm cancels gradient x input; its rounding is no picture."""
    lanes = answer(seen, "attribution")["reply"]["data"]
    if seen[0].name.startswith("deberta"):
        assert not unpacked(lanes["start"]).any() and not unpacked(lanes["end"]).any()
        assert len(lanes["sums"]) == 1 and "exactly nothing here" in lanes["sums"][0]
        with pytest.raises(BadInput, match="no top words to mask"):
            answer(seen, "stood")
    else:
        assert abs(unpacked(lanes["start"])).max() > 1e-3 and "promises no sum" in lanes["sums"][0]
        assert answer(seen, "stood")["reply"]["data"]["verdict"].startswith("Masking")


def test_no_sentence_names_another_familys_tokens(seen: tuple[Any, Screen]) -> None:
    screen = seen[1].change(own={**seen[1].own, "why": why.Choice("span_minus_null")})
    page = plain(why.present(screen))
    formula, own = text_of(why.formula(screen)), screen.reading.tokens(0)[0]
    other = "[CLS]" if own == "<s>" else "<s>"
    assert f"s{own}" in formula and other not in formula
    assert any(own in line for line in page["simplified"])
    assert not any(other in line for line in page["simplified"])
    assert not any(name.startswith("[") for _, name in page["picture"]["menus"]["baseline"])
    for key in ("start_end", "spans", "loss", "windows", "bio", "scores"):
        page = plain(MODULES[key].present(screen))
        assert not any(other in line for line in [*page["simplified"], page["notice"]]), key
        # a merge rule is called by its name in the field; the pencil's reader is a BERT
        drawn = {name: part for name, part in page["picture"].items() if name not in OF_BERT}
        assert other not in str(drawn), key
    assert own in says_labels(screen.reading, Labels((None,), "nobody"))
    mass = mass_data(screen.reading, 0, screen.decode)
    assert own in mass["sentence"]
    assert any(own in part["name"] for part in mass["parts"])
    assert other not in str(mass)
