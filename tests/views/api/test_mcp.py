"""The calls as tools: JSON-RPC by hand, and every reply held against its own schema."""

import json
import urllib.error
import urllib.request
from math import nan
from typing import Any

import gradio as gr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.errors import ModelUnavailable
from qa_demo.views.api.mcp import VERSIONS, Tools
from qa_demo.views.api.openapi import RESULTS
from qa_demo.views.api.read import read as make_read
from tests.odd import JSON
from tests.requests import services
from tests.views.api.fitting import fits
from tests.views.api.sending import send

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
ASKED = {"question": "Who drew the towers?", "context": TEXT}
TOOLS = Tools({"read": make_read(services())}, RESULTS)
OPEN = {"protocolVersion": VERSIONS[1], "capabilities": {}, "clientInfo": {"name": "x"}}


def message(method: Any, params: Any = None, number: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


def result(method: str, params: Any = None) -> dict[str, Any]:
    found = TOOLS.answer(message(method, params, "a"))
    assert found["id"] == "a", found
    return found["result"]


def test_a_client_is_told_who_answers_and_which_version_is_spoken() -> None:
    assert result("initialize", OPEN)["protocolVersion"] == VERSIONS[1]
    newest = result("initialize", {**OPEN, "protocolVersion": "1999-01-01"})
    assert newest["protocolVersion"] == VERSIONS[0] and newest["capabilities"] == {"tools": {}}
    assert result("ping") == {}
    assert TOOLS.answer({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert TOOLS.answer({"jsonrpc": "2.0", "id": 4, "result": {}}) is None


def test_a_tool_says_what_it_takes_and_gives() -> None:
    (tool,) = result("tools/list")["tools"]
    takes, gives = tool["inputSchema"], tool["outputSchema"]
    assert takes["required"] == ["question", "context"]
    n_best = {"type": "integer", "default": 20, "minimum": 1, "maximum": 100}
    assert takes["properties"]["n_best_size"] == n_best
    assert takes["properties"]["null_score_diff_threshold"]["type"] == ["number", "null"]
    assert gives["properties"]["answer"] == {"type": ["string", "null"]}
    assert "nullable" not in json.dumps(tool)


@pytest.mark.parametrize("threshold", [None, -100.0])
def test_a_reply_is_json_as_text_and_as_structure(threshold: float | None) -> None:
    given = {**ASKED, "null_score_diff_threshold": threshold}
    found = result("tools/call", {"name": "read", "arguments": given})
    (content,) = found["content"]
    assert content["type"] == "text" and json.loads(content["text"]) == found["structuredContent"]
    (tool,) = result("tools/list")["tools"]
    fits(found["structuredContent"], tool["outputSchema"])
    direct = make_read(services())(**given)
    assert {**found["structuredContent"], "seconds": 0} == {**direct, "seconds": 0}
    assert (direct["answer"] is None) == (threshold is not None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "read needs the field question, which is missing"),
        ({**ASKED, "x": 1}, "read has no field x; its fields are question, context, "),
        ({**ASKED, "question": " "}, "the question is empty"),
        ({**ASKED, "scale": ["logit"]}, "scale must be one of logit, "),
        ({**ASKED, "scale": "context_mean", "null": "min_logit"}, "cannot be compared with the"),
        ({**ASKED, "scale": "context_mean", "null_score_diff_threshold": 1}, "changes nothing und"),
        ({**ASKED, "reader": ""}, "reader is empty"),
        ({**ASKED, "context": "half \ud800 pair"}, "surrogate"),
        ({**ASKED, "null_score_diff_threshold": nan}, "null_score_diff_threshold"),
    ],
)
def test_what_is_wrong_with_a_call_is_a_reply_that_a_model_can_read(
    arguments: dict[str, Any], said: str
) -> None:
    found = result("tools/call", {"name": "read", "arguments": arguments})
    assert found["isError"] and said in found["content"][0]["text"]
    assert "structuredContent" not in found


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ([], -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        (message("tools/burn"), -32601),
        (message(["ping"]), -32601),
        (message("tools/call", {"name": "write"}), -32602),
        (message("tools/call", {"name": ["read"]}), -32602),
        (message("tools/call", {"name": "read", "arguments": [1]}), -32602),
        ({**message("ping"), "params": 3}, -32602),
    ],
)
def test_what_is_no_call_has_its_number_and_a_sentence(sent: Any, code: int) -> None:
    found = TOOLS.answer(sent)
    assert found["error"]["code"] == code and found["error"]["message"]


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "id": JSON, "method": st.sampled_from(["tools/call", "ping"])},
        optional={
            "params": JSON | st.fixed_dictionaries({"name": st.just("read"), "arguments": JSON})
        },
    )
)
def test_any_message_is_answered_in_json(sent: dict[str, Any]) -> None:
    found = TOOLS.answer(sent)
    assert ("result" in found) != ("error" in found)
    json.dumps(found, allow_nan=False)


def test_an_unexpected_error_is_logged_and_not_told() -> None:
    def read(question: str = "") -> dict[str, Any]:
        """Break."""
        raise ZeroDivisionError("/home/secret")

    found = Tools({"read": read}, RESULTS).answer(message("tools/call", {"name": "read"}))
    assert found["error"]["code"] == -32603
    assert "secret" not in json.dumps(found)


def test_another_reader_and_another_merge_rule_are_chosen_by_name() -> None:
    call = make_read(services())
    assert call(**ASKED)["reader"] != call(**ASKED, reader="owner/name")["reader"] == "owner/name"
    mean = call(**ASKED, scale="context_mean")
    shares = [[one["share"] for one in reply["n_best"]] for reply in (mean, call(**ASKED))]
    assert shares[0] != shares[1]

    def refuse(source: str) -> Any:
        raise ModelUnavailable("this host offers a fixed list of readers: bundled")

    with pytest.raises(gr.Error, match="fixed list of readers"):
        make_read(services(load=refuse))(**ASKED, reader="owner/name")


def post(address: str, body: Any, **headers: str) -> tuple[int, str]:
    """Status and body of one message to the running page."""
    return send(address, "/gradio_api/mcp/", body, **headers)


def test_the_running_page_answers_each_message_in_one_object(address: str) -> None:
    status, opened = post(address, message("initialize", OPEN))
    assert status == 200 and json.loads(opened)["result"]["serverInfo"]["name"] == "spanlight"
    listed = json.loads(post(address, message("tools/list"))[1])
    assert {tool["name"] for tool in listed["result"]["tools"]} == set(RESULTS)
    sent = message("tools/call", {"name": "tag", "arguments": ASKED})
    version = {"MCP-Protocol-Version": VERSIONS[0]}
    reply = json.loads(post(address, sent, **version)[1])
    (schema,) = [t["outputSchema"] for t in listed["result"]["tools"] if t["name"] == "tag"]
    fits(json.loads(reply["result"]["content"][0]["text"]), schema)
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert post(address, told) == (202, "")


def test_what_is_no_message_is_refused_in_a_sentence(address: str) -> None:
    for body, said in ((b"{", "be JSON"), (b"[" * 50_000, "be JSON"), (b"[]", "JSON-RPC")):
        status, reply = post(address, body)
        assert status == 400 and said in json.loads(reply)["error"]["message"]
    status, reply = post(address, b"{}", **{"MCP-Protocol-Version": "1"})
    assert status == 400 and VERSIONS[0] in json.loads(reply)["error"]["message"]
    assert post(address, b"{}", Origin="http://elsewhere.example")[0] == 403
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/gradio_api/mcp/", timeout=30)
    assert refused.value.code == 405 and refused.value.headers["allow"] == "POST"
    half = message("tools/call", {"name": "\ud800"})
    assert json.loads(post(address, half)[1])["error"]["code"] == -32602
