"""Calls over HTTP that gradio would end with status 500, and the calls' document."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from gradio_client import Client

from qa_demo import __version__
from qa_demo.views.api.door import Door
from qa_demo.views.api.openapi import RESULTS
from tests.views.api.fitting import fits
from tests.views.api.sending import send

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
ASKED = {"question": "Who drew the towers?", "context": TEXT}
READ = "/gradio_api/call/v2/read"
LIST = "/gradio_api/call/read"
JOIN = "/gradio_api/queue/join"


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        (READ, {}, 422, "read needs the field question, which is missing"),
        (READ, {"question": "Who?"}, 422, "read needs the field context, which is missing"),
        (READ, {**ASKED, "x": 1}, 422, "read has no field x; its fields are question, context, "),
        (READ + "/", {}, 422, "read needs the field question"),
        (READ, [], 422, "the request must be a JSON object, got []"),
        ("/gradio_api/call/v2/write", {}, 404, "this page has no call write; it has read, "),
        (LIST, {}, 422, "read needs the field data, a list: data holds one value for each of"),
        (LIST, {"data": ["Who?"]}, 422, "read lacks context: data holds"),
        (LIST, {"data": [1] * 13}, 422, "read takes 12 values, got 13"),
        ("/gradio_api/call/chosen", {"data": []}, 404, "this page has no call chosen"),
        (JOIN, {"fn_index": 9999, "data": []}, 404, "this page has no event 9999"),
        (JOIN, {"fn_index": True, "data": []}, 404, "this page has no event True"),
        (JOIN, {"fn_index": 1, "data": [], "session_hash": "a"}, 422, "a list of 1 values"),
        (JOIN, {"fn_index": 1, "data": [None]}, 422, "needs a session_hash"),
    ],
)
def test_what_is_missing_or_unknown_is_named(
    address: str, path: str, body: Any, status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    found, text = send(address, path, body)
    assert found == status and said in json.loads(text)["error"]
    assert caplog.text == ""


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"question":'])
def test_what_is_no_json_is_refused(address: str, body: bytes) -> None:
    assert send(address, READ, body) == (422, '{"error":"the request must be JSON"}')


def test_a_result_is_fetched_once(address: str) -> None:
    status, begun = send(address, READ, ASKED)
    assert status == 200
    event = json.loads(begun)["event_id"]
    status, stream = send(address, f"{LIST}/{event}")
    assert status == 200 and stream.startswith("event: complete\ndata: [{")
    for number in (event, "nothing"):
        status, refused = send(address, f"{LIST}/{number}")
        assert status == 404 and "no result" in json.loads(refused)["error"]


def test_a_result_that_was_fetched_is_unknown_while_its_event_is_put_away() -> None:
    queue = SimpleNamespace(
        event_ids_to_events={"fetched": object(), "runs": object()},
        pending_event_ids_session={"someone": {"runs"}, "other": {"made"}},
    )
    door = Door(None, SimpleNamespace(fns={}, _queue=queue))
    assert door._unknown_event("runs") is None and door._unknown_event("made") is None
    assert door._unknown_event("fetched") == (404, "there is no result fetched to be fetched")


def test_a_stream_of_nobody_ends_without_a_traceback(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        status, stream = send(address, "/gradio_api/queue/data?session_hash=nobody")
    assert status == 200 and '"session_not_found":true' in stream
    assert "Traceback" not in caplog.text and "a stream has ended early" in caplog.text


SPANS = {"char_start": 25, "char_end": 37, "other_start": 54, "other_end": 59}
CALLS: dict[str, list[dict[str, Any]]] = {
    "read": [ASKED, {**ASKED, "null_score_diff_threshold": -100.0}],
    "attribute": [
        ASKED,
        {**ASKED, "method": "leave_one_out"},
        {**ASKED, "target": "span_minus_other", **SPANS},
    ],
    "loss": [{**ASKED, "gold": [[25, 37], None]}],
    "tag": [ASKED],
    "infill": [{"text": TEXT, "spans": [[4, 10]]}, {"text": TEXT}],
    "bench": [
        {"tokens": ["a", "b", "c"], "start": [[0, 1, 2, 6]], "end": [[0, 5, 2, 1]]},
        {
            "tokens": ["a", "b", "c"],
            "start": [[0, 1, 2], [0, 2, 6]],
            "end": [[0, 5, 2], [0, 2, 1]],
            "tags": [[3, 0, 0], [0, 3, 0], [0, 0, 3]],
            "golds": "1-2, none",
            "second_window": 1,
        },
    ],
}


def test_the_document_describes_every_call_and_its_result(address: str) -> None:
    described = json.loads(send(address, "/gradio_api/openapi.json")[1])
    assert described["info"]["version"] == __version__
    client = Client(address, verbose=False)
    named = set(client.view_api(return_format="dict")["named_endpoints"])
    assert named == {f"/{name}" for name in CALLS}
    assert set(CALLS) == set(RESULTS)
    paths = {f"/gradio_api/call/v2/{name}" for name in CALLS}
    paths |= {f"/gradio_api/call/{name}/{{event_id}}" for name in CALLS}
    assert set(described["paths"]) == paths | {"/health"}
    for name, requests in CALLS.items():
        post = described["paths"][f"/gradio_api/call/v2/{name}"]["post"]
        taken = post["requestBody"]["content"]["application/json"]["schema"]
        get = described["paths"][f"/gradio_api/call/{name}/{{event_id}}"]["get"]
        result = get["responses"]["200"]["content"]["text/event-stream"]["schema"]["items"]
        for given in requests:
            assert set(taken["required"]) <= set(given) <= set(taken["properties"])
            fits(client.predict(**given, api_name=f"/{name}"), result)


OLDER = {
    "read": ["Who drew the towers?", TEXT, 30, 20, None, 384, 128, 64],
    "attribute": ["Who drew the towers?", TEXT, "span_score", "gradient_x_input", None, None]
    + [25, 37, None, None, 30, 384, 128, 64],
}
"""Calls by position as the first version took them."""


@pytest.mark.parametrize("name", OLDER)
def test_a_call_of_the_first_version_is_still_good(address: str, name: str) -> None:
    """A parameter that was added since takes its default."""
    for values in (OLDER[name], OLDER[name][:2]):
        status, text = send(address, f"/gradio_api/call/{name}", {"data": values})
        assert status == 200, text
        event = json.loads(text)["event_id"]
        _, stream = send(address, f"/gradio_api/call/{name}/{event}")
        assert "event: complete" in stream and '"question"' in stream
