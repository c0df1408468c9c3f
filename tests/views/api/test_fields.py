"""The schemas of the calls say what the calls take: each limit and choice is the call's own."""

from collections.abc import Callable
from typing import Any

import gradio as gr
import pytest

from qa_demo.views.api.attribute import attribute as make_attribute
from qa_demo.views.api.fields import CHOICES
from qa_demo.views.api.loss import loss as make_loss
from qa_demo.views.api.openapi import Schema, body_of
from qa_demo.views.api.read import read as make_read
from qa_demo.views.api.tag import tag as make_tag
from qa_demo.views.options import LIMITS
from tests.requests import services

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
MAKE = {"read": make_read, "attribute": make_attribute, "loss": make_loss, "tag": make_tag}


def beyond(schema: Schema) -> list[Any]:
    """Values just outside of what a schema allows."""
    if "enum" in schema:
        return ["none of these"]
    return [schema["minimum"] - 1, schema["maximum"] + 1] if "minimum" in schema else []


@pytest.mark.parametrize("name", MAKE)
def test_what_lies_beyond_a_schema_is_refused_by_the_call(name: str) -> None:
    call: Callable[..., Any] = MAKE[name](services())
    fields = body_of(call)["properties"]
    limited = {field: one for field, one in fields.items() if beyond(one)}
    assert {"max_seq_length", "doc_stride", "max_query_length"} <= set(limited)
    assert set(limited) == set(fields) & {*LIMITS, *CHOICES}
    for field, schema in limited.items():
        for wrong in beyond(schema):
            with pytest.raises(gr.Error, match=field):
                call(question="Who drew the towers?", context=TEXT, **{field: wrong})


@pytest.mark.parametrize("field", ["n_best_size", "max_answer_length", "copies"])
def test_what_a_schema_allows_is_taken(field: str) -> None:
    call = make_read(services())
    schema = body_of(call)["properties"][field]
    for value in schema.get("enum") or [schema["minimum"], schema["maximum"]]:
        assert call(question="Who drew the towers?", context=TEXT, **{field: value})["reader"]


def test_a_default_is_one_of_what_is_allowed() -> None:
    for name, make in MAKE.items():
        for field, schema in body_of(make(services()))["properties"].items():
            if "enum" in schema and "default" in schema:
                assert schema["default"] in schema["enum"], (name, field)
