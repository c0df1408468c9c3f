"""The five calls: one reply over HTTP, by position and as a tool; odd values get a sentence."""

import inspect

import fastapi
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from qa_demo.api.calls import CALLS, Host, call, fields, reply
from qa_demo.api.mcp import VERSIONS
from qa_demo.api.routes import by_position, routes
from qa_demo.core.base import QADemoError
from qa_demo.examples import load_menu
from qa_demo.pictures import Pictures
from tests.chapters.given import AtOnce
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.odd import JSON

TEXTS = {"question": "Who met Grace?", "context": "In Oslo Ada Kok met Grace Hopper in 1950."}
GIVEN = {
    "read": TEXTS,
    "attribute": {**TEXTS, "method": "leave_one_out"},
    "loss": {**TEXTS, "gold": [[8, 15], None]},
    "tag": TEXTS,
    "infill": {"text": "Ada Kok met Grace Hopper in 1950.", "spans": [[4, 7]]},
}
READER = FakeReader(bio=True)


@pytest.fixture(scope="module")
def pictures() -> Pictures:
    return Pictures(load_menu(), lambda _: READER, lambda _: FakeInfiller(), work=AtOnce())


@pytest.fixture(scope="module")
def host(pictures) -> Host:
    return Host.serving(pictures)


@pytest.fixture(scope="module")
def client(pictures) -> TestClient:
    return TestClient(fastapi.FastAPI(routes=routes(pictures)))


def tool(client, name, arguments):
    """The result of a tool."""
    params = {"name": name, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return client.post("/mcp", json=asked).json()["result"]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_replies_the_same_by_every_way(name, host, client):
    expected = reply(host, name, GIVEN[name]).model_dump()
    over_http = client.post(f"/api/{name}", json=GIVEN[name])
    assert over_http.status_code == 200 and over_http.json() == expected
    assert by_position(host, name)(**GIVEN[name]) == expected
    assert tool(client, name, GIVEN[name])["structuredContent"] == expected
    model = FakeInfiller() if name == "infill" else READER
    assert call(model, name, **GIVEN[name]).model_dump() == expected


def test_positions_stay():
    names = list(inspect.signature(by_position(None, "read")).parameters)
    assert names[:9] == [
        "question", "context", "max_answer_length", "n_best_size", "null_score_diff_threshold",
        "max_seq_length", "doc_stride", "max_query_length", "reader",
    ]  # fmt: skip


ODD = [
    ("read", {"question": "a"}, "context is missing"),
    ("read", {**TEXTS, "foo": 1}, "there is no field foo, got 1"),
    (
        "read",
        {**TEXTS, "n_best_size": 1000},
        "n_best_size: must be less than or equal to 100, got 1000",
    ),
    ("read", {**TEXTS, "n_best_size": True}, "n_best_size must be a number, got True"),
    (
        "read",
        {**TEXTS, "rule": "mean"},
        "rule: must be 'logits', 'mean_of_maxima' or 'product', got 'mean'",
    ),
    (
        "read",
        {**TEXTS, "rule": "product", "null_score_diff_threshold": 1},
        "changes nothing under the rule product",
    ),
    ("read", {**TEXTS, "question": " "}, "the question is empty"),
    ("attribute", {**TEXTS, "char_start": 3}, "char_start and char_end belong together"),
    ("attribute", {**TEXTS, "method": "magic"}, "method: must be"),
    ("loss", {**TEXTS, "gold": [[3]]}, "gold.0"),
    ("loss", {**TEXTS, "gold": [[900, 901]]}, "900"),
    ("tag", {**TEXTS, "decoding": "x"}, "decoding: must be"),
    ("infill", {"text": "Ada", "top": 0}, "top: must be greater than or equal to 1, got 0"),
    ("infill", {"text": ""}, "the text is empty"),
]


@pytest.mark.parametrize(("name", "given_values", "said"), ODD)
def test_an_odd_value_is_one_sentence_by_every_way(name, given_values, said, client):
    made = client.post(f"/api/{name}", json=given_values)
    assert made.status_code == 422 and said in made.json()["error"]
    result = tool(client, name, given_values)
    assert result["isError"] and said in result["content"][0]["text"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.sampled_from(sorted(CALLS)),
    st.dictionaries(st.sampled_from(["question", "context", "text", "gold", "top"]), JSON),
)
def test_any_json_is_a_reply_or_a_sentence(host, name, odd):
    try:
        reply(host, name, odd)
    except QADemoError as fault:
        said = str(fault)
        assert "\n" not in said


def test_the_description_names_bounds_and_defaults(client):
    known = client.get("/api/openapi.json").json()
    read = known["components"]["schemas"]["Read"]
    assert read["additionalProperties"] is False and read["required"] == ["question", "context"]
    assert read["properties"]["n_best_size"]["maximum"] == 100
    assert set(known["paths"]) == {f"/{name}" for name in CALLS}


def test_the_page_of_the_calls_names_every_field_and_loads_nothing(client):
    text = client.get("/api/docs").text
    for name in CALLS:
        assert f"/api/{name}" in text
        assert all(f"<code>{field}</code>" in text for field in fields(name))
    assert "src=" not in text and "http" not in text.replace("HTTP", "")


@pytest.mark.parametrize("version", VERSIONS)
def test_each_revision_of_the_protocol_is_answered_in_kind(client, version):
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": version},
    }
    assert client.post("/mcp", json=hello).json()["result"]["protocolVersion"] == version
    headers = {"mcp-protocol-version": version}
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert client.post("/mcp", json=noted, headers=headers).status_code == 202
    listed = client.post(
        "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers
    )
    assert [t["name"] for t in listed.json()["result"]["tools"]] == list(CALLS)


def test_what_is_no_message_is_refused_in_json_rpc(client):
    assert client.get("/mcp").status_code == 405
    assert client.post("/mcp", content=b"{").json()["error"]["code"] == -32700
    assert client.post("/mcp", json={"id": 1}).json()["error"]["code"] == -32600
    unknown = {"jsonrpc": "2.0", "id": 1, "method": "x"}
    assert client.post("/mcp", json=unknown).json()["error"]["code"] == -32601
    none = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
    assert client.post("/mcp", json=none).json()["error"]["code"] == -32602
