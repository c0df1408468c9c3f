"""The calls as tools for language models: MCP (Model Context Protocol) over HTTP.

One POST carries one JSON-RPC message and is answered with one JSON object; there is no session and
no stream. Source: modelcontextprotocol.io, Streamable HTTP, revisions 2025-03-26 to 2025-11-25.
"""

import json
from collections.abc import Callable
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from qa_demo import __version__
from qa_demo.api.calls import CALLS, Host, served
from qa_demo.core.base import QADemoError

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol; a client that asks for another one is offered the first. The last is older than
this transport, and what the first official clients that speak it offer all the same.
"""
BATCHES = VERSIONS[2:]
INSTRUCTIONS = (
    "read, attribute, loss and tag read a question and a paragraph with an extractive reader and "
    "say what it answers and why; infill takes a text with hidden words. Characters are counted "
    "from 0; ends are exclusive."
)
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602


class Fault(Exception):
    """A message that cannot be answered: JSON-RPC's number and a sentence."""


def tools() -> list[dict[str, Any]]:
    """What `tools/list` says."""
    return [
        {
            "name": name,
            "description": " ".join((model.__doc__ or "").split()),
            "inputSchema": model.model_json_schema(),
            "outputSchema": made.model_json_schema(mode="serialization"),
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
        for name, (model, _, made) in CALLS.items()
    ]


def result(host: Host, method: Any, given: Any) -> dict[str, Any]:
    """The result of one request. Errors: Fault."""
    if not isinstance(given, dict):
        raise Fault(PARAMS, f"params must be a JSON object, got {type(given).__name__}")
    if method == "initialize":
        wanted = given.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "spanlight", "version": __version__},
            "instructions": INSTRUCTIONS,
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": tools()}
    if method != "tools/call":
        known = "initialize, ping, tools/list, tools/call"
        raise Fault(UNKNOWN, f"this server knows {known}, got {str(method)[:40]!r}")
    name = given.get("name")
    if not isinstance(name, str) or name not in CALLS:
        raise Fault(PARAMS, f"the tools are {', '.join(CALLS)}, got {str(name)[:40]!r}")
    try:
        made = served(host, name, given.get("arguments") or {}).model_dump()
    except QADemoError as refusal:  # a reply too: a model can read it
        return {"content": [{"type": "text", "text": str(refusal)}], "isError": True}
    text = json.dumps(made, allow_nan=False, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": made}


def answer(host: Host, message: Any) -> dict[str, Any] | None:
    """The whole JSON-RPC answer to a message; None where none is due."""
    said: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
    try:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Fault(INVALID, "a message is one JSON-RPC 2.0 object")
        if "id" not in message or "method" not in message:  # a notification, a client's answer
            return None
        if not isinstance(message["id"], str | int) or isinstance(message["id"], bool):
            raise Fault(INVALID, "the id of a message is a text or a whole number")
        said["id"] = message["id"]
        return said | {"result": result(host, message["method"], message.get("params") or {})}
    except Fault as fault:
        return said | {"error": {"code": fault.args[0], "message": fault.args[1]}}


def endpoint(host: Host) -> Callable[[Request], Any]:
    """The handler of the route."""

    async def answered(request: Request) -> Response:
        if request.method != "POST":
            said = "This endpoint keeps no stream and no session: send each message with POST."
            return JSONResponse({"error": said}, 405, {"allow": "POST"})
        # the header came with 2025-06-18: who sends none speaks the revision before
        version = request.headers.get("mcp-protocol-version", BATCHES[0])
        if version not in VERSIONS:
            said = f"the protocol's versions are {', '.join(VERSIONS)} here, got {version[:40]}"
            return JSONResponse({"error": said}, 400)
        try:
            message = json.loads(await request.body())
        except (ValueError, RecursionError):
            error = {"code": PARSE, "message": "the request must be JSON"}
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)
        batch = isinstance(message, list) and bool(message) and version in BATCHES
        parts = message if batch else [message]
        made = [await anyio.to_thread.run_sync(answer, host, part) for part in parts]
        due = [one for one in made if one is not None]
        if not due:
            return Response(status_code=202)
        invalid = not batch and due[0].get("error", {}).get("code") == INVALID
        return JSONResponse(due if batch else due[0], 400 if invalid else 200)

    return answered
