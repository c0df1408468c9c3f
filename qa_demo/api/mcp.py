"""The calls as tools for language models: MCP (Model Context Protocol) over HTTP.

One POST carries one JSON-RPC message and is answered with one JSON object; there is no session and
no stream. Source: modelcontextprotocol.io, Streamable HTTP, revisions 2025-03-26 to 2025-11-25.
"""

import json
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from qa_demo import __version__
from qa_demo.api.calls import CALLS, schema

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""A client that asks for another one is offered the first. The last is older than this transport,
and what the first official clients that speak it offer all the same.
"""
BATCHES = VERSIONS[2:]
SERVER = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "spanlight", "version": __version__},
    "instructions": "Ask an extractive reader about a paragraph: what it answers, and why.",
}
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602
Answers = Callable[[str, Any], tuple[int, Any]]
"""Status and reply of a call by its name and its fields; {"error": sentence} where it is none."""


def tools() -> list[dict[str, Any]]:
    """What `tools/list` says."""
    names = ("name", "description", "inputSchema", "outputSchema", "annotations")
    hints = {"readOnlyHint": True, "openWorldHint": False}
    rows = ((n, x.__doc__, x.model_json_schema(), schema(n), hints) for n, x in CALLS.items())
    return [dict(zip(names, row, strict=True)) for row in rows]


def answer(call: Answers, message: Any) -> dict[str, Any] | None:
    """The whole JSON-RPC answer to a message; None where none is due."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return fault(INVALID, "a message is one JSON-RPC 2.0 object")
    if "id" not in message or "method" not in message:  # a notification, a client's answer
        return None
    key, method, given = message["id"], message["method"], message.get("params") or {}
    if not isinstance(key, str | int) or not isinstance(given, dict):
        return fault(INVALID, "an id is a text or a whole number, and params are an object")
    made: dict[str, Any] = {}
    if method == "initialize":
        wanted = given.get("protocolVersion")
        made = {"protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0], **SERVER}
    elif method == "tools/list":
        made = {"tools": tools()}
    elif method == "tools/call":
        name = str(given.get("name"))
        if name not in CALLS:
            return fault(PARAMS, f"the tools are {', '.join(CALLS)}, got {name[:40]!r}", key)
        status, reply = call(name, given.get("arguments") or {})
        made = {"structuredContent": reply} if status == 200 else {"isError": True}
        said = json.dumps(reply, ensure_ascii=False) if status == 200 else reply["error"]
        made["content"] = [{"type": "text", "text": said}]  # a refusal too: a model can read it
    elif method != "ping":
        return fault(UNKNOWN, "known are initialize, ping, tools/list and tools/call", key)
    return {"jsonrpc": "2.0", "id": key, "result": made}


def fault(code: int, said: str, key: Any = None) -> dict[str, Any]:
    """The answer to a message that cannot be answered."""
    return {"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": said}}


def endpoint(call: Answers) -> Callable[[Request], Any]:
    """The handler of the route."""

    async def answered(request: Request) -> Response:
        # the header came with 2025-06-18: who sends none speaks the revision before
        version = request.headers.get("mcp-protocol-version", BATCHES[0])
        try:
            message = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse(fault(PARSE, "the request must be JSON"), 400)
        if version not in VERSIONS:
            return JSONResponse(fault(INVALID, f"known versions are {', '.join(VERSIONS)}"), 400)
        batch = version in BATCHES and isinstance(message, list) and message
        asked = message if batch else [message]
        due = [said for one in asked if (said := await run_in_threadpool(answer, call, one))]
        invalid = due and due[0].get("error", {}).get("code") == INVALID and not batch
        if not due:
            return Response(status_code=202)
        return JSONResponse(due if batch else due[0], 400 if invalid else 200)

    return answered
