"""The calls as tools for language models: MCP (Model Context Protocol) over HTTP.

One POST carries one JSON-RPC message and is answered with one JSON object; there is no session and
no stream. A tool's result is the JSON of the call, as text and as structured content. Source:
modelcontextprotocol.io, Streamable HTTP, revisions 2025-03-26 to 2025-11-25.
"""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from qa_demo import __version__
from qa_demo.core.base import QADemoError
from qa_demo.state import Record

log = logging.getLogger("qa_demo")
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
"""Of the protocol; a client that asks for another one is offered the first."""
PARSE, INVALID, UNKNOWN, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
Tool = tuple[type[Record], Callable[[Any], dict[str, Any]]]


class Fault(Exception):
    """A message that cannot be answered: JSON-RPC's number and a sentence."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code, self.said = code, said


def listed(tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """What `tools/list` says of each."""
    return [
        {
            "name": name,
            "title": (model.__doc__ or name).split(":")[0].strip(),
            "description": " ".join((model.__doc__ or name).split()),
            "inputSchema": model.model_json_schema(),
            "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
        for name, (model, _) in tools.items()
    ]


def result(tools: Mapping[str, Tool], message: Any) -> dict[str, Any] | None:
    """The result of one message; None where none is due (a notification, an answer). Errors:
    Fault.
    """
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Fault(INVALID, "a message is one JSON-RPC 2.0 object")
    method, given = message.get("method"), message.get("params") or {}
    if "id" not in message or (method is None and ("result" in message or "error" in message)):
        return None
    if not isinstance(message["id"], str | int) or isinstance(message["id"], bool):
        raise Fault(INVALID, "the id of a message is a text or a whole number")
    if not isinstance(given, dict):
        raise Fault(PARAMS, f"params must be a JSON object, got {type(given).__name__}")
    if method == "initialize":
        wanted = given.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "spanlight", "title": "Spanlight", "version": __version__},
            "instructions": "read, attribute, loss and tag read a question and a paragraph with an "
            "extractive reader and say what it answers and why; infill takes a text with hidden "
            "words. Characters are counted from 0; ends are exclusive.",
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": listed(tools)}
    if method != "tools/call":
        known = "initialize, ping, tools/list, tools/call"
        raise Fault(UNKNOWN, f"this server knows {known}, got {str(method)[:40]!r}")
    name, arguments = given.get("name"), given.get("arguments") or {}
    if not isinstance(name, str) or name not in tools:
        raise Fault(PARAMS, f"the tools are {', '.join(tools)}, got {str(name)[:40]!r}")
    if not isinstance(arguments, dict):
        raise Fault(PARAMS, f"arguments must be a JSON object, got {type(arguments).__name__}")
    try:
        reply = tools[name][1](arguments)
    except QADemoError as refusal:  # a reply too: a model can read it
        return {"content": [{"type": "text", "text": str(refusal)}], "isError": True}
    text = json.dumps(reply, allow_nan=False, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": reply}


def reply_to(tools: Mapping[str, Tool], message: Any) -> dict[str, Any] | None:
    """The whole JSON-RPC answer, or None."""
    number = message.get("id") if isinstance(message, dict) else None
    number = number if isinstance(number, str | int) else None
    try:
        found = result(tools, message)
    except Fault as fault:
        return _fault(fault.code, fault.said, number)
    except Exception:
        log.exception("A tool failed")
        return _fault(INTERNAL, "this call failed; the server's log tells more", number)
    return None if found is None else {"jsonrpc": "2.0", "id": number, "result": found}


def _fault(code: int, said: str, number: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": said}}


def endpoint(tools: Mapping[str, Tool]) -> Callable[[Request], Any]:
    """The handler of the route."""

    async def answer(request: Request) -> Response:
        if request.method != "POST":
            said = "This endpoint keeps no stream and no session: send each message with POST."
            return JSONResponse({"error": said}, 405, {"allow": "POST"})
        version = request.headers.get("mcp-protocol-version")
        if version is not None and version not in VERSIONS:
            said = f"the protocol's versions are {', '.join(VERSIONS)} here, got {version[:40]}"
            return JSONResponse(_fault(INVALID, said), 400)
        try:
            message = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse(_fault(PARSE, "the request must be JSON"), 400)
        if isinstance(message, list) and version == "2025-03-26":  # that revision has batches
            found = [await anyio.to_thread.run_sync(reply_to, tools, one) for one in message]
            kept = [one for one in found if one is not None]
            return JSONResponse(kept) if kept else Response(status_code=202)
        made = await anyio.to_thread.run_sync(reply_to, tools, message)
        if made is None:
            return Response(status_code=202)
        broken = made.get("error", {}).get("code") == INVALID
        return JSONResponse(made, 400 if broken else 200)

    return answer
