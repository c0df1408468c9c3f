"""The public endpoint `attribute` as a function."""

import gradio as gr
import pytest

from qa_demo.core.explaining.attribution import Target
from qa_demo.core.files.report import attribution_json
from qa_demo.core.reading.words import span_at
from qa_demo.views.api.attribute import attribute as make_attribute
from tests.fakes import FakeReader
from tests.requests import services

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
ASKED = "Who drew the towers?"


def test_the_reply_has_the_command_lines_fields_and_adds_up() -> None:
    reply = make_attribute(services(max_characters=1000))(ASKED, TEXT)
    assert reply.pop("seconds").keys() == {"tokenise", "queue", "model"}
    reader = FakeReader()
    reading = reader.read(ASKED, TEXT)
    span = span_at(reading.encoding, reply["span"]["char_start"], reply["span"]["char_end"])
    assert reply["span"]["text"] == reading.encoding.text(span) and reply["target"] == "span_score"
    total = sum(token["start"] + token["end"] for token in reply["tokens"])
    assert total == pytest.approx(reply["sum"])
    assert reply["sum"] == pytest.approx(reply["f_x"] - reply["f_baseline"] + reply["gap"])
    target = Target("span_score", span, None, reply["window"])
    found = reader.attribute(reading, target, "integrated_gradients", "pad")
    assert attribution_json(reading, found) == reply


def test_named_spans_are_compared() -> None:
    first, second = TEXT.index("Georg"), TEXT.index("Malmö")
    spans = {"char_start": first, "char_end": first + 5}
    spans |= {"other_start": second, "other_end": second + 5}
    how = {"target": "span_minus_other", "method": "gradient_x_input"}
    reply = make_attribute(services())(ASKED, TEXT, **how, **spans)
    assert (reply["span"]["text"], reply["other"]["text"]) == ("Georg", "Malmö")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"question": " "}, "the question is empty"),
        ({"context": "x" * 1001}, "this host allows 1,000"),
        ({"target": "span_minus_other"}, "second span"),
        ({"char_start": 3}, "char_end"),
        ({"char_start": 5, "char_end": 5}, "0 <= start < end"),
        ({"n_steps": 2.5}, "n_steps must be a whole number"),
    ],
)
def test_bad_input_is_one_sentence(arguments: dict, said: str) -> None:
    with pytest.raises(gr.Error, match=said):
        make_attribute(services(max_characters=1000))(
            **{"question": ASKED, "context": TEXT, **arguments}
        )
