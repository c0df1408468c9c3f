"""The page answers an event as gradio does, leaves alone what stays, and sends pictures as text."""

import itertools
import json
from functools import cache
from typing import Any

import gradio as gr
import pytest
from gradio.components import _Keywords
from gradio.state_holder import SessionState

from qa_demo.views.blocks import Page
from tests.coroutines import finished

VALUES = ["ab", {"stamp": 1, "rows": ["<script>", 2]}, 7]


@cache
def a_page(outputs: int) -> tuple[Page, Any, list[Any]]:
    with Page() as page:
        parts = [gr.Textbox(), gr.HTML(), gr.State(0)][:outputs]
        page.load(lambda: None, None, parts)
    return page, page.fns[0], parts


@pytest.mark.parametrize("skipped", list(itertools.product([False, True], repeat=3)))
def test_the_same_as_gradio_gives(skipped: tuple[bool, ...]) -> None:
    page, event, parts = a_page(3)
    handed = [gr.skip() if skip else v for v, skip in zip(VALUES, skipped, strict=True)]
    ours, theirs = SessionState(page), SessionState(page)
    found = finished(page.postprocess_data(event, list(handed), ours))
    if not skipped[1]:
        assert "<" not in found[1], "gradio looks for scripts there"
        found[1] = json.loads(found[1])
    wanted = finished(gr.Blocks.postprocess_data(page, event, list(handed), theirs))
    if skipped[1]:
        # gradio's own hands the mark of a skip on as one of the element's properties
        assert wanted[1] == {"props": gr.skip(), **gr.skip()}
        wanted[1] = gr.skip()
    assert found == wanted
    assert ours[parts[2]._id] == theirs[parts[2]._id] == (0 if skipped[2] else 7)
    for part, skip in zip(parts[:2], skipped, strict=False):
        assert not skip or ours[part._id] is part, "it was built anew"


@pytest.mark.parametrize("handed", [gr.skip(), "ab"])
def test_one_output_is_gradios(handed: Any) -> None:
    page, event, _ = a_page(1)
    found = finished(page.postprocess_data(event, handed, SessionState(page)))
    assert found == finished(gr.Blocks.postprocess_data(page, event, handed, SessionState(page)))


def test_the_end_of_a_stream_changes_nothing() -> None:
    page, event, _ = a_page(3)
    ended = [_Keywords.FINISHED_ITERATING] * 3
    assert finished(page.postprocess_data(event, ended, SessionState(page))) == [None] * 3


def test_too_few_values_are_refused() -> None:
    page, event, _ = a_page(3)
    with pytest.raises(ValueError, match="didn't return enough"):
        finished(page.postprocess_data(event, ["ab"], SessionState(page)))
