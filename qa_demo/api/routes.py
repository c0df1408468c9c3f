"""How the five calls are reached: `/api/NAME` with its OpenAPI, `gr.api`, and MCP at `/mcp`."""

import html
import inspect
import json
from collections.abc import Callable
from typing import Any

import gradio as gr
import pandas as pd
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import BaseRoute, Route

from qa_demo import __version__
from qa_demo.api.calls import CALLS, fields, plain, request, schema
from qa_demo.api.mcp import Answers, endpoint
from qa_demo.pictures import Pictures, told

ASKED = f"a call is a POST of one JSON object (application/json) to /api/NAME, of {[*CALLS]}"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
KINDS = {"integer": int, "number": float, "string": str, "array": list}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Spanlight: calls</title>
<style>body{font:16px system-ui;margin:2em}th{text-align:left}</style><h1>Calls</h1>
<p>Each is a POST of one JSON object. The replies: <a href="openapi.json">openapi.json</a>.</p>"""


def answers(pictures: Pictures) -> Answers:
    """The calls of a server, by the models and the cache of its pictures."""

    def answer(name: str, asked: Any) -> tuple[int, Any]:
        status, body = told(lambda given: plain(request(name, given).reply(pictures)), asked)
        return (status, body) if status != 202 else (503, {"error": "too busy; try again later"})

    return answer


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The calls over HTTP and as tools."""
    answer = answers(pictures)

    async def call(request: Request) -> JSONResponse:
        name, kind = request.path_params["name"], request.headers.get("content-type", "")
        if name not in CALLS or request.method != "POST":
            return JSONResponse({"error": ASKED}, 405 if name in CALLS else 404)
        try:
            asked = json.loads(await request.body())
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict) or kind.partition(";")[0] != "application/json":
            return JSONResponse({"error": ASKED}, 422)
        status, body = await run_in_threadpool(answer, name, asked)
        return JSONResponse(body, status)

    paths = ("/mcp", "/gradio_api/mcp", "/gradio_api/mcp/")
    return [
        Route("/api/openapi.json", lambda _: JSONResponse(openapi())),
        Route("/api/docs", lambda _: HTMLResponse(page())),
        Route("/api/{name:path}", call, methods=METHODS),
        *(Route(path, endpoint(answer), methods=["POST"]) for path in paths),
    ]


def openapi() -> dict[str, Any]:
    """All calls for programs."""
    paths, known = dict[str, Any](), dict[str, Any]()
    for name, one in CALLS.items():
        replied = schema(name, ref_template="#/components/schemas/{model}")
        known |= replied.pop("$defs")
        asked, reply = (
            {"content": {"application/json": {"schema": x}}}
            for x in (one.model_json_schema(), replied)
        )
        said = {"200": {"description": "The reply", **reply}}
        said["422"] = {"description": 'A wrong field: {"error": "one sentence"}'}
        about = {"operationId": name, "summary": one.__doc__, "requestBody": asked}
        paths[f"/api/{name}"] = {"post": {**about, "responses": said}}
    info = {"title": "Spanlight", "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": known}}


def page() -> str:
    """All calls with their fields for people; it loads nothing."""
    made = PAGE
    for name, one in CALLS.items():
        rows = pd.DataFrame.from_dict(fields(name), orient="index", dtype=object)
        made += f"<h2>/api/{name}</h2><p>{html.escape(one.__doc__)}</p>{rows.to_html(na_rep='')}"
    return made


def public(pictures: Pictures) -> None:
    """The same calls for `gradio_client`, inside a gr.Blocks: fields in order, with defaults."""
    for name in CALLS:
        call = by_position(answers(pictures), name)
        gr.api(call, api_name=name, concurrency_limit=None)  # type: ignore[attr-defined]


def by_position(answer: Answers, name: str) -> Callable[..., Any]:
    """The call as a function whose signature gradio can read."""
    known = fields(name)

    def call(*args: Any, **given: Any) -> Any:
        status, body = answer(name, {**dict(zip(known, args, strict=False)), **given})
        if status != 200:
            raise gr.Error(body["error"], print_exception=False)
        return body

    kinds = {field: KINDS[about["type"]] for field, about in known.items()}
    place, none = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parts = [
        inspect.Parameter(n, place, default=known[n].get("default", none), annotation=kind)
        for n, kind in kinds.items()
    ]
    call.__signature__ = inspect.Signature(parts, return_annotation=dict)  # type: ignore[attr-defined]
    call.__name__, call.__doc__ = name, CALLS[name].__doc__
    call.__annotations__ = {**kinds, "return": dict}
    return call
