"""The calls: one reply over HTTP, by position and as a tool; odd values get a sentence."""

import asyncio
import inspect
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest.mock import AsyncMock, Mock

import fastapi
import gradio as gr
import pytest
from fastapi.openapi.models import OpenAPI
from gradio_client import Client
from gradio_client.exceptions import AppError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.concurrency import run_in_threadpool
from starlette.testclient import TestClient

from qa_demo.api.calls import CALLS, call, fields, plain
from qa_demo.api.routes import VERSIONS, answer, by_position, routes
from qa_demo.cli.main import main
from qa_demo.core.base import QADemoError
from qa_demo.examples import load_menu
from qa_demo.model.work import AtOnce, Pending
from qa_demo.page import build
from qa_demo.pictures import Pictures
from qa_demo.records import read
from qa_demo.server.launch import launch
from tests.chapters.given import full
from tests.odd import JSON
from tests.ports import free_port
from tests.test_replies import GIVEN, HIDDEN, MODELS, TEXTS


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(fastapi.FastAPI(routes=routes(full())))


def run(asked):
    """What a coroutine returns, in another thread: Playwright keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asked).result()


def rpc(client, method, version=VERSIONS[0], key=1, **params):
    """What the endpoint of tools answers to a message."""
    asked = {"jsonrpc": "2.0", "id": key, "method": method, "params": params}
    return client.post("/mcp", json=asked, headers={"mcp-protocol-version": version}).json()


def tool(client, name, arguments):
    return rpc(client, "tools/call", name=name, arguments=arguments)["result"]


def in_order(name, given):
    """What gradio's client gets: it puts the fields in their places."""
    made = by_position(full(), name)
    put = inspect.signature(made).bind(**given)
    put.apply_defaults()
    return run(made(*put.args))


def command(monkeypatch, name, given, *more):
    """The exit code of the call as a command, each field as its flag."""
    monkeypatch.setattr("qa_demo.cli.shared.pictures", lambda _: full())
    words = ["answer" if name == "read" else name]
    for field, value in given.items():
        flag = f"--{field.replace('_', '-')}"
        for one in value if isinstance(value, list) else ():
            words += [flag, *map(str, one if isinstance(one, list) else [one or "none"])]
        words += [] if isinstance(value, list) else [f"{flag}={value}"]
    return main([*words, *more])


SPAN = {"char_start": 8, "char_end": 11}
OTHER = {"other_start": 20, "other_end": 25, "target": "span_minus_other"}
MORE = [
    ("read", {**TEXTS, "max_answer_length": 1, "rule": "product"}),
    ("read", {**TEXTS, "null_score_diff_threshold": -1e-9}),
    ("attribute", {**TEXTS, **SPAN, **OTHER, "method": "gradient_x_input"}),
    ("loss", {**TEXTS, "gold": [[0, 2], None, [3, 7]]}),
    ("tag", {**TEXTS, "context": 2 * TEXTS["context"], "decoding": "lenient"}),
    ("infill", GIVEN["infill"] | {"cut": ["left", "position"]}),
]


@pytest.mark.parametrize(("name", "fields"), [*GIVEN.items(), *MORE])
def test_a_call_replies_the_same_by_every_way(name, fields, client, monkeypatch, capsys):
    expected = plain(call(MODELS[name], name, **fields))
    kind = {"content-type": "Application/JSON ;q=1"}  # as HTTP has it
    over_http = client.post(f"/api/{name}", content=json.dumps(fields), headers=kind)
    assert over_http.status_code == 200 and over_http.json() == expected
    behind = TestClient(client.app, root_path="/app")  # nginx takes /app off, gradio names it
    assert behind.post(f"/api/{name}", json=fields).json() == expected
    assert in_order(name, fields) == expected
    assert tool(client, name, fields)["structuredContent"] == expected
    assert command(monkeypatch, name, fields, "--json") == 0
    assert json.loads(capsys.readouterr().out) == expected


ODD = [
    ("read", {"n_best_size": 1000}, "n_best_size: must be less than or equal to 100, got 1000"),
    ("infill", {"seed": -1}, "seed: must be greater than or equal to 0, got -1"),
    ("read", {"null_score_diff_threshold": 1e9}, "null_score_diff_threshold: must be less than"),
    ("read", {"rule": "mean"}, "rule: must be 'logits', 'mean_of_maxima' or 'product', got 'mean'"),
    ("read", {"rule": "product", "null_score_diff_threshold": 1}, "changes nothing under the rule"),
    ("read", {"question": " "}, "the question is empty; type at least one word"),
    ("tag", {"context": ""}, "the paragraph is empty; type at least one word"),
    ("attribute", {"char_start": 3}, "char_start and char_end belong together; one of them is"),
    ("attribute", {"char_start": 4, "char_end": 4}, "0 <= start < end <= 41, got 4 and 4"),
    ("attribute", {"char_start": -1, "char_end": 9}, "char_start: must be greater than or equal"),
    ("attribute", {"n_steps": 1}, "n_steps: must be greater than or equal to 2, got 1"),
    ("attribute", {"method": "magic"}, "method: must be 'integrated_gradients', 'gradient_x"),
    ("attribute", {"target": "span_minus_other"}, "span_minus_other needs a second span"),
    ("attribute", {**SPAN, **OTHER, "target": "span_score"}, "needs a second span, and only it"),
    ("attribute", {"method": "leave_one_out", "n_steps": 5}, "n_steps changes nothing under"),
    ("attribute", {"method": "gradient_x_input", "baseline": "pad"}, "baseline changes nothin"),
    ("attribute", {**SPAN, "max_answer_length": 9}, "nothing where char_start names the span"),
    ("loss", {"gold": [[3]]}, "gold.0.1 is missing"),
    ("loss", {"gold": [["x", 1]]}, "gold.0.0: must be a valid integer, got 'x'"),
    ("loss", {"gold": [[900, 901]]}, "0 <= start < end <= 41, got 900 and 901"),
    ("infill", {"top": 0}, "top: must be greater than or equal to 1, got 0"),
    ("infill", {"spans": [[3, 99]]}, "0 <= start < end <= 33, got 3 and 99"),
    ("infill", {"cut": ["top"]}, "cut.0: must be 'left', 'right' or 'position', got 'top'"),
    ("infill", {"spans": [[0, 3]], "cut": ["left"]}, "cut changes nothing here: the boundary"),
    ("infill", {"spans": [[0, 3]], "seed": 0}, "seed changes nothing beside spans or a typed ["),
    ("infill", {"text": "[MASK]", "masking": "token"}, "masking changes nothing beside spans or a"),
]
"""Call, odd field, sentence: the same over HTTP, as a tool, by position and on the command line."""
OF_JSON = [
    ("read", {"context": None}, "paragraph (context): must be a valid string, got None"),
    ("read", {"foo": 1}, "there is no field foo, got 1; known are max_seq_length, doc_stride, qu"),
    ("read", {"n_best_size": True}, "n_best_size: must be a valid integer, got True"),
    ("read", {"context": "a" * 50_001}, "paragraph (context): must have at most 50,000 characters"),
    ("read", {"reader": ""}, "reader: must have at least 1 character, got ''"),
    ("loss", {"gold": [3]}, "gold.0: must be a valid list, got 3"),
    ("loss", {"gold": [[1, 2, 3]]}, "gold.0: must have at most 2 items, not 3, got [1, 2, 3]"),
]
"""What only JSON can say."""
SOME = [*TEXTS, "text", "gold", "top"]


@pytest.mark.parametrize(("name", "odd", "said"), ODD + OF_JSON)
def test_an_odd_value_is_one_sentence_by_every_way(name, odd, said, client, monkeypatch, capsys):
    given = {"text": HIDDEN, **odd} if name == "infill" else {**TEXTS, **odd}
    made = client.post(f"/api/{name}", json=given)
    assert made.status_code == 422 and said in made.json()["error"]
    result = tool(client, name, given)
    assert result["isError"] and result["content"][0]["text"] == made.json()["error"]
    if odd.keys() <= fields(name).keys():
        with pytest.raises(gr.Error) as fault:
            in_order(name, given)
        assert fault.value.message == made.json()["error"]
    if (name, odd, said) in ODD:
        assert command(monkeypatch, name, given) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1
        assert re.search(rf"{re.escape(said)}(?![.\d])", err), err  # 0 is not 0.0


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(CALLS)), st.dictionaries(st.sampled_from(SOME), JSON))
def test_any_json_is_a_reply_or_a_sentence(name, odd):
    try:
        read(CALLS[name], odd).reply(full())
    except QADemoError as fault:
        said = str(fault)
        assert "\n" not in said


def test_the_description_names_bounds_and_defaults_and_positions_stay(client):
    known = client.get("/api/openapi.json").json()
    body = known["paths"]["/api/read"]["post"]["requestBody"]
    assert body["required"] is True, "OpenAPI takes a body for optional where nothing is said"
    read = body["content"]["application/json"]["schema"]
    assert read["additionalProperties"] is False and read["required"] == ["question", "context"]
    assert read["properties"]["n_best_size"]["maximum"] == 100
    calls = {path: about["post"] for path, about in known["paths"].items()}
    assert {at: one["operationId"] for at, one in calls.items()} == {f"/api/{n}": n for n in CALLS}
    assert all({*one["responses"]} == {"200", "422"} for one in calls.values())
    assert not re.search(r'"[gl][et]": |\\n ', json.dumps(known)), "pydantic's words, or indented"
    OpenAPI.model_validate(known)
    kinds = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(known)))
    assert kinds == known["components"]["schemas"].keys() > {"Prediction", "HiddenPiece"}
    known = inspect.signature(by_position(None, "read"))
    assert known.return_annotation is dict  # else gradio's client makes a tuple of it
    asked = [x.name for x in known.parameters.values() if x.default is inspect.Parameter.empty]
    assert asked == ["question", "context"], "gradio's client gives all others"
    assert [*known.parameters][:9] == [
        "question", "context", "max_answer_length", "n_best_size", "null_score_diff_threshold",
        "max_seq_length", "doc_stride", "max_query_length", "reader",
    ]  # fmt: skip


def test_the_page_of_the_calls_names_every_field_and_loads_nothing(client):
    (text,) = {client.get("/api/docs").text for _ in range(2)}  # the second visitor reads the same
    for name in CALLS:
        assert f"/api/{name}" in text and all(f"<dt>{field}</dt>" in text for field in fields(name))
    assert "src=" not in text and "http" not in text
    assert "default: null" in text and "None" not in text  # as JSON has it
    parts = build(full()).get_config_file()["components"]
    (link,) = [p for p in parts if p["props"].get("elem_id") == "api"]
    assert link["props"]["value"] == '<a href="api/docs">Use via API</a>'


@pytest.mark.parametrize(("asked", "version"), [*((x, x) for x in VERSIONS), ("2", VERSIONS[0])])
def test_each_revision_of_the_protocol_is_answered_in_kind(client, asked, version):
    said = rpc(client, "initialize", protocolVersion=asked)["result"]
    assert said["protocolVersion"] == version and said["capabilities"] == {"tools": {}}
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    head = {"mcp-protocol-version": version}
    assert client.post("/mcp", json=noted, headers=head).status_code == 202
    listed = rpc(client, "tools/list", version)["result"]["tools"]
    assert [t["name"] for t in listed] == list(CALLS)
    assert all(t["inputSchema"]["type"] == t["outputSchema"]["type"] == "object" for t in listed)
    assert {(*t["annotations"].values(),) for t in listed} == {(True, False)}, "it only reads"


@pytest.mark.parametrize(
    ("body", "read_as"),
    [(b"[1]", "[1]"), (b'"a"', "'a'"), *((x, "no JSON") for x in (b"{", b"", b"[" * 100_000))],
)
def test_what_is_no_object_is_told_what_a_call_is(body, read_as, client):
    kind = {"content-type": "application/json"}
    for made, got in (
        (client.post("/api/read", content=body, headers=kind), read_as),
        (client.get("/api/read"), "GET to /api/read"),
        (client.options("/api/read"), "OPTIONS to /api/read"),
        (client.post("/api/reed", json={}), "POST to /api/reed"),
        (client.post("/api/read", content=b'{"question": "a", "context": "b"}'), "no content-type"),
    ):
        assert 400 <= made.status_code < 500 and made.json()["error"].endswith(f"; got {got}")
        assert (made.status_code == 405) is (made.headers.get("allow") == "POST")
        assert (made.status_code == 404) is ("reed" in got)


def test_a_fault_that_nobody_foresaw_is_a_sentence_too(caplog):
    panics = Mock(side_effect=BaseException("Panic"))  # as the tokenizers library raises
    pictures = Pictures(load_menu(), panics, panics, work=AtOnce())
    client = TestClient(fastapi.FastAPI(routes=routes(pictures)))
    made = client.post("/api/read", json=TEXTS)
    assert made.status_code == 500 and "the server's log tells more" in made.json()["error"]
    assert tool(client, "read", TEXTS)["isError"] and "Panic" in caplog.text


def test_a_client_of_gradio_gives_defaults_and_is_told_a_sentence_too():
    with closing(build(full())) as page:
        port = free_port()
        launch(page, "127.0.0.1", port, prevent_thread_lock=True)
        client = Client(f"http://127.0.0.1:{port}/", verbose=False)
        assert client.predict(*TEXTS.values(), api_name="/read")["answer"]
        for field, wrong in (("question", 7), ("n_best_size", -1)):
            with pytest.raises(AppError, match=f"^{field}: must be .*, got {wrong}$"):
                client.predict(**TEXTS | {field: wrong}, api_name="/read")
        client.close()


@pytest.mark.parametrize(("patience", "gone"), [(0.0, False), (600.0, True)])
def test_a_call_ends_that_waits_too_long_or_for_nobody(patience, gone, monkeypatch):
    monkeypatch.setattr("qa_demo.server.answers.PATIENCE", patience)
    monkeypatch.setattr(full().work, "ask", Mock(side_effect=Pending((), 1, 600.0, 0.0)))
    asked = answer(full(), "tag", TEXTS, AsyncMock(return_value=gone))
    assert run(asked) == (503, {"error": "too busy; try again later"})


@pytest.mark.parametrize(("words", "slow"), [(9, False), (999, True)])
def test_a_long_text_of_a_call_waits_in_the_line_of_long_ones(words, slow, monkeypatch):
    monkeypatch.setattr(full().work, "ask", ask := Mock(side_effect=Pending((), 1, 0.0, 0.0)))
    with pytest.raises(Pending):
        read(CALLS["tag"], {**TEXTS, "context": "Ada " * words}).reply(full())
    assert ask.call_args.args[2] is slow


def test_however_many_calls_wait_a_picture_has_a_thread(monkeypatch):
    freed = threading.Event()
    monkeypatch.setattr(full().work, "ask", lambda *_: freed.wait(60))

    async def asked():
        each = [{"text": HIDDEN, "seed": k} for k in range(60)]
        waiting = [asyncio.create_task(answer(full(), "infill", one)) for one in each]
        await asyncio.sleep(0.1)
        await asyncio.wait_for(run_in_threadpool(freed.set), 20)
        await asyncio.gather(*waiting)

    run(asked())


@pytest.mark.parametrize("header", [{}, {"mcp-protocol-version": "2025-03-26"}])
def test_a_batch_of_the_revision_that_has_them_is_answered(header, client):
    ping = {"jsonrpc": "2.0", "method": "ping"}
    made = client.post("/mcp", json=[{**ping, "id": 1}, ping, None], headers=header)
    assert [one["id"] or one["error"]["code"] for one in made.json()] == [1, -32600]
    newer = {"mcp-protocol-version": VERSIONS[1]}
    assert client.post("/mcp", json=[{**ping, "id": 1}], headers=newer).status_code == 400
    many = client.post("/mcp", json=[ping] * 51, headers=header)
    assert (many.status_code, many.json()["error"]["code"]) == (400, -32600)


def test_what_is_no_message_is_refused_in_json_rpc(client):
    assert client.get("/mcp").status_code == 405
    for path in ("/mcp", "/mcp/", "/gradio_api/mcp", "/gradio_api/mcp/"):
        made = client.post(path, content=b"{", follow_redirects=False)  # one would lose a path
        assert (made.status_code, made.json()["error"]["code"]) == (400, -32700)
    for body in (b"null", b'{"id": 1}', b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}'):
        assert client.post("/mcp", content=body).json()["error"]["code"] == -32600
    for key in ([1], True, None, 1.5):
        told = rpc(client, "ping", key=key)
        assert (told["id"], told["error"]["code"]) == (None, -32600)
    told = rpc(client, "tools/call", key="k", name="read", arguments="x")  # its sender knows the id
    assert (told["id"], told["error"]["code"]) == ("k", -32600)
    assert re.search("-32600.* got '2031-01-01'", str(rpc(client, "ping", "2031-01-01")))
    told = rpc(client, "x/\n")["error"]
    assert told["code"] == -32601 and told["message"].endswith("tools/call, got 'x/\\n'")
    assert rpc(client, "tools/call", name="x")["error"]["code"] == -32602
    assert rpc(client, "ping")["result"] == {}
