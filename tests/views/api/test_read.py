"""The public endpoint as others call it: over HTTP, through gradio_client."""

import json
import urllib.request

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from qa_demo.views.api.read import read as make_read
from tests.requests import services

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."


def test_others_call_it_by_name_and_are_told_what_is_wrong(address: str) -> None:
    client = Client(address, verbose=False)
    reply = client.predict("Who drew the towers?", TEXT, n_best_size=2, api_name="/read")
    other = make_read(services())("Who drew the towers?", TEXT, n_best_size=2)
    cost = reply.pop("seconds")
    assert other.pop("seconds").keys() == cost.keys() and all(s >= 0 for s in cost.values())
    assert reply == json.loads(json.dumps(other))
    assert reply["answer"] == TEXT[reply["char_start"] : reply["char_end"]]
    assert len(reply["n_best"]) == 2 and reply["windows"][0]["index"] == 0
    for arguments, said in (
        ((" ", TEXT), "the question is empty"),
        (("Who?", TEXT, "3"), "between 1 and 200, got the text '3'"),
        (("Who?", "x " * 30_000), "this host allows 50,000"),
        (("Who?", TEXT, 0), "max_answer_length must be a number between 1 and 200"),
    ):
        with pytest.raises(AppError, match=said):
            client.predict(*arguments, api_name="/read")


def test_scripts_are_asked_for_again_at_each_visit(address: str) -> None:
    with urllib.request.urlopen(f"{address}/static/page/page.js", timeout=30) as reply:
        assert reply.headers["cache-control"] == "no-cache" and reply.headers["etag"]
