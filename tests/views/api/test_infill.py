"""The endpoint `infill` as a function: the command's JSON, limits, a late or missing model."""

import json
from collections.abc import Callable

import gradio as gr
import pytest

from qa_demo.core.files.report_infill import infill_json
from qa_demo.core.masking.infiller import Infiller
from qa_demo.core.masking.masked import hide
from qa_demo.core.types import Span
from qa_demo.views.api.infill import MOST_SPANS
from qa_demo.views.api.infill import infill as make_infill
from qa_demo.views.services import Services
from qa_demo.views.session.model_cache import ModelCache
from tests.fake_infiller import FakeInfiller
from tests.requests import services

TEXT = "Anna met Bertil near the old harbour of Visby on a cold and windy day in May."
MODEL = FakeInfiller()


def served(load: Callable[[str], Infiller]) -> Services:
    """A server whose model that fills blanks is loaded by `load`."""
    return services(infillers=ModelCache(load, watch=1e6), max_characters=1000)


def call(**arguments: object) -> dict:
    """A reply without what it cost, which differs from call to call."""
    reply = make_infill(served(lambda name: MODEL))(**{"text": TEXT, **arguments})
    assert reply.pop("seconds").keys() == {"tokenise", "queue", "model"}
    return reply


def test_the_reply_is_the_command_lines_json() -> None:
    at = TEXT.index("the old"), TEXT.index(" of Visby")
    reply = call(spans=[list(at)], cut=["left"], swap=[[5, 1]], top=3)
    encoding = MODEL.encode(TEXT)
    masked = hide(encoding.context_ids, [Span(4, 6)], MODEL.mask_id)
    found = MODEL.infill(masked, frozenset({"left"}), {5: 1}, 3)
    assert reply == infill_json(encoding, found) == json.loads(json.dumps(reply))
    assert [p["text"] for p in reply["pieces"]] == ["the", "old", "harbour"]
    assert len(reply["pieces"][0]["sbo"]) == 3


def test_without_spans_the_law_draws_them_by_the_seed() -> None:
    first = call(seed=4)
    assert first == call(seed=4) != call(seed=5)
    assert len(first["pieces"]) == 3, "15 % of 18 pieces, rounded up"
    assert len(call(mask_ratio=0.5)["pieces"]) == 9
    assert call(masking="token", seed=4) != first


def test_a_model_without_a_head_says_so_in_every_piece() -> None:
    reply = make_infill(served(lambda name: FakeInfiller(has_sbo=False)))(TEXT, spans=[[9, 15]])
    assert reply["pieces"][0]["sbo"] is None
    assert "no span boundary head" in reply["pieces"][0]["no_sbo"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"text": " "}, "the text is empty"),
        ({"text": 5}, "the text must be a text, got 5"),
        ({"text": "x" * 1001}, "1,000 are allowed"),
        ({"text": "half \ud800 pair"}, "surrogate"),
        ({"spans": [[0]]}, "pair of whole numbers"),
        ({"spans": [[0, 1.5]]}, "pair of whole numbers"),
        ({"spans": [[0, True]]}, "pair of whole numbers"),
        ({"spans": "all"}, "list of at most 100"),
        ({"spans": [[0, 1]] * (MOST_SPANS + 1)}, "list of at most 100"),
        ({"spans": [[5, 5]]}, "0 <= start < end"),
        ({"spans": [[0, 9999]]}, "0 <= start < end"),
        ({"masking": "word"}, "span, token"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": float("nan")}, "seed"),
        ({"top": 0}, "top must be"),
        ({"top": 101}, "1 to 100"),
        ({"cut": "left"}, "left, right, position"),
        ({"cut": ["top"]}, "left, right, position"),
        ({"cut": [["left"]]}, "left, right, position"),
        ({"swap": [[5, 21]], "spans": [[25, 28]]}, "rows 1 to 20"),
        ({"swap": [[0, 1]], "spans": [[25, 28]]}, "not hidden"),
        ({"mask_ratio": 2}, "mask_ratio must be a number between 0 and 1"),
        ({"mask_ratio": 0}, "mask_ratio must be above 0"),
        ({"geometric_p": 1}, "geometric_p must lie"),
        ({"geometric_p": "p"}, "geometric_p"),
        ({"span_lower": 5, "span_upper": 4}, "span lengths"),
        ({"span_upper": 0}, "span_upper"),
    ],
)
def test_bad_input_is_one_sentence(arguments: dict, said: str) -> None:
    with pytest.raises(gr.Error, match=said) as error:
        call(**arguments)
    assert "went wrong" not in str(error.value)


def test_bad_input_loads_no_model_and_a_page_without_one_says_so() -> None:
    loads: list[int] = []

    def model(name: str) -> FakeInfiller:
        loads.append(1)
        return MODEL

    with pytest.raises(gr.Error, match="top must be"):
        make_infill(served(model))(TEXT, top=0)
    assert loads == []
    make_infill(served(model))(TEXT)
    assert loads == [1]
    with pytest.raises(gr.Error, match="started without a model"):
        make_infill(services())(TEXT)
