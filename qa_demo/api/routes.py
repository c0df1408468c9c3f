"""How the calls are reached: `/api/NAME` with its OpenAPI, `gr.api`, and MCP at `/mcp`."""

import html
import json
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature, getdoc
from typing import Any, get_type_hints

import gradio as gr
from pydantic import ConfigDict, create_model
from pydantic.json_schema import GenerateJsonSchema
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from qa_demo import __version__
from qa_demo.api.calls import CALLS, fields, plain
from qa_demo.pictures import Pictures
from qa_demo.records import read
from qa_demo.server.answers import Gone, at_last, json_of

ASKED = (
    "a call is a POST of one JSON object, as application/json, to /api/NAME, one of "
    f"{', '.join(CALLS)}; got "
)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
KINDS = {"integer": int, "number": float, "string": str, "array": list}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Spanlight: calls</title>
<style>body{font:16px system-ui;margin:2em}dt{font-weight:bold}</style><h1>Calls</h1>
<p>Each is a POST of one JSON object. The replies: <a href="openapi.json">openapi.json</a>.</p>"""


async def answer(
    pictures: Pictures, name: str, asked: Any, gone: Gone | None = None
) -> tuple[int, Any]:
    """Status and reply of a call from its fields; {"error": sentence} where it is none."""
    return await at_last(lambda x: plain(read(CALLS[name], x).reply(pictures)), asked, gone)


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The calls over HTTP and as tools, by the models and the cache of the server's pictures."""

    async def call(request: Request) -> JSONResponse:
        name, kind = request.path_params["name"], request.headers.get("content-type", "")
        kind = kind.partition(";")[0].strip().lower() or "no content-type"
        if name not in CALLS or request.method != "POST":
            said = f"{ASKED}{request.method} to /api/{name[:40]}"
            status, allow = (405, {"allow": "POST"}) if name in CALLS else (404, None)
            return JSONResponse({"error": said}, status, allow)
        asked = await json_of(request)
        if not isinstance(asked, dict) or kind != "application/json":
            got = "no JSON" if asked is None else repr(asked)[:40]
            got = got if kind == "application/json" else kind[:40]
            return JSONResponse({"error": ASKED + got}, 422)
        status, body = await answer(pictures, name, asked, request.is_disconnected)
        return JSONResponse(body, status)

    async def tools(request: Request) -> Response:
        # the header came with 2025-06-18: who sends none speaks the revision before
        version = request.headers.get("mcp-protocol-version", BATCHES[0])
        if version not in VERSIONS:
            said = f"known versions are {', '.join(VERSIONS)}, got {version[:40]!r}"
            return JSONResponse(fault(INVALID, said), 400)
        message = await json_of(request, UNREAD)
        batch = version in BATCHES and isinstance(message, list) and message
        if batch and len(message) > MOST:
            said = f"a batch has at most {MOST} messages, got {len(message)}"
            return JSONResponse(fault(INVALID, said), 400)
        asked = message if batch else [message]
        every = [await answered(pictures, one, request.is_disconnected) for one in asked]
        due = [said for said in every if said is not None]
        if not due:
            return Response(status_code=202)
        unread = not batch and due[0]["id"] is None
        return JSONResponse(due if batch else due[0], 400 if unread else 200)

    return [
        Route("/api/openapi.json", lambda _: JSONResponse(openapi())),
        Route("/api/docs", lambda _: HTMLResponse(page())),
        Route("/api/{name:path}", call, methods=METHODS),
        *(Route(path, tools, methods=["POST"]) for path in MCP),
    ]


class Lists(GenerateJsonSchema):
    """JSON has arrays as lists, and a record says what it is."""

    def is_instance_schema(self, schema: Any) -> dict[str, Any]:
        return {"type": "array"}

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return super().dataclass_schema(schema) | {"description": getdoc(schema["cls"])}


def schema(name: str, **how: Any) -> dict[str, Any]:
    """The JSON schema of a call's reply."""
    kind = get_type_hints(CALLS[name].reply)["return"]
    parts: Any = {field: (about, ...) for field, about in get_type_hints(kind).items()}
    arrays = ConfigDict(arbitrary_types_allowed=True)
    model = create_model(kind.__name__, __doc__=kind.__doc__, __config__=arrays, **parts)
    return model.model_json_schema(schema_generator=Lists, mode="serialization", **how)


@cache
def openapi() -> dict[str, Any]:
    """All calls for programs."""
    paths, known = dict[str, Any](), dict[str, Any]()
    for name, one in CALLS.items():
        replied = schema(name, ref_template="#/components/schemas/{model}")
        known |= replied.pop("$defs", {})
        schemas = one.model_json_schema(), replied
        asked, reply = ({"content": {"application/json": {"schema": x}}} for x in schemas)
        said = {"200": {"description": "The reply", **reply}}
        said["422"] = {"description": 'A wrong field: {"error": "one sentence"}'}
        about = {"operationId": name, "summary": one.__doc__, "responses": said}
        paths[f"/api/{name}"] = {"post": about | {"requestBody": {"required": True, **asked}}}
    info = {"title": "Spanlight", "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": known}}


def page() -> str:
    """All calls with their fields for people; it loads nothing."""
    made = PAGE
    for name, one in CALLS.items():
        made += f"<h2>/api/{name}</h2><p>{html.escape(one.__doc__)}</p><dl>"
        for field, about in fields(name).items():
            rest = (f"{what}: {json.dumps(about[what])}" for what in about if what != "title")
            said = "; ".join([about["title"], *rest])
            made += f"<dt>{field}</dt><dd>{html.escape(said)}</dd>"
        made += "</dl>"
    return made


def by_position(pictures: Pictures, name: str) -> Callable[..., Any]:
    """The call as a function whose signature gradio can read, fields in order, with defaults."""
    known = fields(name)

    async def call(*given: Any) -> Any:
        status, body = await answer(pictures, name, dict(zip(known, given, strict=False)))
        if status != 200:
            raise gr.Error(body["error"], print_exception=False)
        return body

    place = Parameter.POSITIONAL_OR_KEYWORD
    defaults = {field: about.get("default", Parameter.empty) for field, about in known.items()}
    parts = [Parameter(field, place, default=x) for field, x in defaults.items()]
    call.__signature__ = Signature(parts, return_annotation=dict)  # type: ignore[attr-defined]
    call.__annotations__ = {field: KINDS[about["type"]] for field, about in known.items()}
    call.__name__, call.__doc__ = name, CALLS[name].__doc__
    return call


# ---- tools for language models: MCP (Model Context Protocol), Streamable HTTP, without a session:
# one POST is one JSON-RPC message, answered with one JSON object. Source: modelcontextprotocol.io

MCP = ("/mcp", "/mcp/", "/gradio_api/mcp", "/gradio_api/mcp/")
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""A client that asks for another one is offered the first. The last is older than this transport,
and what the first official clients that speak it offer all the same.
"""
BATCHES, MOST = VERSIONS[2:], 50
SERVER = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "spanlight", "version": __version__},
    "instructions": "Ask an extractive reader about a paragraph: what it answers, and why.",
}
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602
UNREAD = object()


@cache
def tool(name: str) -> dict[str, Any]:
    """What `tools/list` says of a call."""
    return {
        "name": name,
        "description": CALLS[name].__doc__,
        "inputSchema": CALLS[name].model_json_schema(),
        "outputSchema": schema(name),
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


async def answered(pictures: Pictures, message: Any, gone: Gone) -> dict[str, Any] | None:
    """The whole JSON-RPC answer to a message; None where none is due."""
    if message is UNREAD:
        return fault(PARSE, "the request must be JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return fault(INVALID, "a message is one JSON-RPC 2.0 object")
    if "id" not in message or "method" not in message:  # a notification, a client's answer
        return None
    key, method, given = message["id"], message["method"], message.get("params") or {}
    asked = (given.get("arguments") or {}) if isinstance(given, dict) else None
    known = type(key) in (str, int) and str(key).isprintable()  # half a letter is no UTF-8
    if not known or not isinstance(asked, dict):
        said = "an id is a text or a whole number, params and arguments are objects"
        return fault(INVALID, said, key if known else None)
    made: dict[str, Any] = {}
    if method == "initialize":
        wanted = given.get("protocolVersion")
        made = {"protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0], **SERVER}
    elif method == "tools/list":
        made = {"tools": [tool(name) for name in CALLS]}
    elif method == "tools/call":
        name = str(given.get("name"))
        if name not in CALLS:
            return fault(PARAMS, f"the tools are {', '.join(CALLS)}, got {name[:40]!r}", key)
        status, reply = await answer(pictures, name, asked, gone)
        made = {"structuredContent": reply} if status == 200 else {"isError": True}
        said = json.dumps(reply, ensure_ascii=False) if status == 200 else reply["error"]
        made["content"] = [{"type": "text", "text": said}]  # a refusal too: a model can read it
    elif method != "ping":
        said = f"known are initialize, ping, tools/list and tools/call, got {str(method)[:40]!r}"
        return fault(UNKNOWN, said, key)
    return {"jsonrpc": "2.0", "id": key, "result": made}


def fault(code: int, said: str, key: Any = None) -> dict[str, Any]:
    """The answer to a message that cannot be answered."""
    return {"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": said}}
