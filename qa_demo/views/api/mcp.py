"""The calls as tools for language models: MCP (Model Context Protocol) over HTTP.

One POST carries one JSON-RPC message and is answered with one JSON object; there is no session and
no stream. A tool's result is the JSON of the call, as text and as structured content that keeps the
schema of `openapi`. Source: modelcontextprotocol.io, transports and tools, 2025-06-18 and
2025-11-25. gradio's own endpoint asks for another pydantic than the page runs with, and prints
Python's notation where JSON is meant.
"""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import anyio.to_thread
import gradio as gr
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from qa_demo import __version__
from qa_demo.views.api.door import wrong_fields
from qa_demo.views.api.openapi import Schema, body_of, json_schema, sentence_of
from qa_demo.views.parse import came

log = logging.getLogger("qa_demo")
VERSIONS = ("2025-11-25", "2025-06-18")
"""Of the protocol; a client that asks for another one is offered the first."""
AT_ONCE = 32
"""Tools that run or wait in the reader's queue; further ones wait unseen."""
PARSE, INVALID, UNKNOWN, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
Call = Callable[..., dict[str, Any]]


class Fault(Exception):
    """A message that cannot be answered: JSON-RPC's number and a sentence."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said)
        self.code, self.said = code, said


class Tools:
    """The page's calls by name, with what each gives."""

    def __init__(self, calls: Mapping[str, Call], results: Mapping[str, Schema]) -> None:
        self._calls = dict(calls)
        self._listed = [
            {
                "name": name,
                "title": sentence_of(call),
                "description": call.__doc__ or name,
                "inputSchema": json_schema(body_of(call)),
                "outputSchema": json_schema(results[name]),
                "annotations": {"readOnlyHint": True, "openWorldHint": False},
            }
            for name, call in calls.items()
        ]
        self._methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "ping": lambda given: {},
            "tools/list": lambda given: {"tools": self._listed},
            "tools/call": self._call,
        }

    def answer(self, message: Any) -> dict[str, Any] | None:
        """The answer to one message; None where none is due (a notification, an answer)."""
        number = message.get("id") if isinstance(message, dict) else None
        number = number if isinstance(number, str | int) else None
        try:
            result = self._result(message)
        except Fault as fault:
            error = {"code": fault.code, "message": fault.said}
            return {"jsonrpc": "2.0", "id": number, "error": error}
        return None if result is None else {"jsonrpc": "2.0", "id": number, "result": result}

    def _result(self, message: Any) -> dict[str, Any] | None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Fault(INVALID, "a message is one JSON-RPC 2.0 object")
        method, given = message.get("method"), message.get("params", {})
        if "id" not in message or (method is None and ("result" in message or "error" in message)):
            return None
        if not isinstance(message["id"], str | int) or isinstance(message["id"], bool):
            raise Fault(INVALID, "the id of a message is a text or a whole number")
        if not isinstance(method, str) or method not in self._methods:
            raise Fault(
                UNKNOWN, f"this server knows {', '.join(self._methods)}, got {str(method)[:40]!r}"
            )
        if not isinstance(given, dict):
            raise Fault(PARAMS, f"params must be a JSON object, got {came(given)}")
        return self._methods[method](given)

    def _initialize(self, given: dict[str, Any]) -> dict[str, Any]:
        wanted = given.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "spanlight", "title": "Spanlight", "version": __version__},
            "instructions": "read, attribute, loss and tag read a question and a paragraph with an "
            "extractive reader and say what it answers and why; infill takes a text with hidden "
            "words, bench typed logits. Characters are counted from 0; ends are exclusive.",
        }

    def _call(self, given: dict[str, Any]) -> dict[str, Any]:
        """A tool's reply; what is wrong with its arguments is one too: a model can read it."""
        name, arguments = given.get("name"), given.get("arguments") or {}
        if not isinstance(name, str) or name not in self._calls:
            raise Fault(PARAMS, f"the tools are {', '.join(self._calls)}, got {str(name)[:40]!r}")
        if not isinstance(arguments, dict):
            raise Fault(PARAMS, f"arguments must be a JSON object, got {came(arguments)}")
        wrong = wrong_fields(name, self._calls[name], arguments)
        if wrong is not None:
            return _refused(wrong)
        try:
            reply = self._calls[name](**arguments)
        except gr.Error as refusal:
            return _refused(refusal.message)
        except Exception as fault:
            log.error("unexpected error in the tool %s", name, exc_info=fault)
            raise Fault(
                INTERNAL, "something went wrong in this program and was written to its log"
            ) from fault
        text = json.dumps(reply, allow_nan=False, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "structuredContent": reply}


def _refused(said: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}], "isError": True}


def endpoint(tools: Tools) -> Callable[[Request], Any]:
    """The handler of the route."""
    places = anyio.CapacityLimiter(AT_ONCE)

    async def answer(request: Request) -> Response:
        if request.method != "POST":
            said = "This endpoint keeps no stream and no session: send each message with POST."
            return JSONResponse({"error": said}, 405, {"allow": "POST"})
        version = request.headers.get("mcp-protocol-version")
        if version is not None and version not in VERSIONS:
            said = f"the protocol's versions are {', '.join(VERSIONS)} here, got {version[:40]}"
            return _json(_fault(INVALID, said), 400)
        try:
            message = json.loads(await request.body())
        except (ValueError, RecursionError):
            return _json(_fault(PARSE, "the request must be JSON"), 400)
        found = await anyio.to_thread.run_sync(tools.answer, message, limiter=places)
        if found is None:
            return Response(status_code=202)
        broken = found.get("error", {}).get("code") == INVALID
        return _json(found, 400 if broken else 200)

    return answer


def _fault(code: int, said: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": said}}


def _json(body: dict[str, Any], status: int) -> Response:
    """In ASCII: half of a surrogate pair that a sentence quotes stays JSON."""
    return Response(json.dumps(body, allow_nan=False), status, media_type="application/json")
