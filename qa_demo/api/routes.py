"""How the five calls are reached: `/api/NAME` with its OpenAPI, `gr.api`, and MCP at `/mcp`."""

import html
import inspect
import json
from collections.abc import Callable
from typing import Any

import fastapi
import gradio as gr
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import BaseRoute, Route

from qa_demo import __version__
from qa_demo.api.calls import CALLS, Host, fields, reply
from qa_demo.api.mcp import Answers, endpoint
from qa_demo.pictures import Pictures, told

ASKED = (
    "a call is a POST of one JSON object, its content-type application/json, to /api/ with one of "
    f"the names {', '.join(CALLS)}"
)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
KINDS = {"integer": int, "number": float, "string": str, "array": list}


def answers(pictures: Pictures) -> Answers:
    """The calls of a server."""
    host = Host.serving(pictures)
    return lambda name, asked: told(
        lambda asked: reply(host, name, asked).model_dump(mode="json"), asked
    )


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The calls over HTTP and as tools."""
    answer = answers(pictures)
    api = fastapi.FastAPI(
        title="Spanlight",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # FastAPI's own pages load their scripts from elsewhere
        redoc_url=None,
    )
    api.get("/api/docs", include_in_schema=False)(lambda: HTMLResponse(page()))

    def over_http(name: str) -> Callable[..., Any]:
        async def call(request: Request) -> JSONResponse:
            try:
                asked = json.loads(await request.body())
            except (ValueError, RecursionError):
                asked = None
            kind = request.headers.get("content-type", "").partition(";")[0]
            if not isinstance(asked, dict) or kind != "application/json":
                return JSONResponse({"error": ASKED}, 422)
            status, body = await run_in_threadpool(answer, name, asked)
            return JSONResponse(body, status)

        return call

    async def elsewhere(request: Request) -> JSONResponse:
        return JSONResponse({"error": ASKED}, 405 if request.path_params["name"] in CALLS else 404)

    for name, one in CALLS.items():
        kind = {"application/json": {"schema": one.asked.model_json_schema()}}
        about = {"requestBody": {"content": kind, "required": True}}
        api.post(
            f"/api/{name}",
            response_model=one.reply,
            summary=one.says,
            operation_id=name,
            openapi_extra=about,
        )(over_http(name))
    paths = ("/mcp", "/gradio_api/mcp", "/gradio_api/mcp/")
    tools = [Route(path, endpoint(answer), methods=["POST"]) for path in paths]
    return [*api.routes, Route("/api/{name:path}", elsewhere, methods=METHODS), *tools]


def public(pictures: Pictures) -> None:
    """The same calls for `gradio_client`, inside a gr.Blocks: fields in order, with defaults."""
    for name in CALLS:
        call = by_position(answers(pictures), name)
        gr.api(call, api_name=name, concurrency_limit=None)  # type: ignore[attr-defined]


def by_position(answer: Answers, name: str) -> Callable[..., Any]:
    """The call as a function whose signature gradio can read."""
    known, kind = fields(name), inspect.Parameter.POSITIONAL_OR_KEYWORD

    def call(*args: Any, **given: Any) -> Any:
        status, body = answer(name, {**dict(zip(known, args, strict=False)), **given})
        if status != 200:
            raise gr.Error(body["error"], print_exception=False)
        return body

    parts = []
    for field, about in known.items():
        default = about.get("default", inspect.Parameter.empty)
        part = inspect.Parameter(field, kind, default=default, annotation=KINDS[about["type"]])
        parts.append(part)
    call.__name__, call.__doc__ = name, CALLS[name].says
    call.__signature__ = inspect.Signature(parts, return_annotation=dict)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parts} | {"return": dict}
    return call


def page() -> str:
    """Every call with its fields, for people; it loads nothing."""
    made = ["<h1>Calls</h1><p>Each is a POST of one JSON object to <code>/api/NAME</code>."]
    made += ['For programs: <a href="openapi.json">openapi.json</a>.</p>']
    for name, one in CALLS.items():
        made += [f"<h2>/api/{name}</h2><p>{html.escape(one.says)}</p><dl>"]
        for field, about in fields(name).items():
            says = about.pop("description", about["title"])
            about.pop("title")
            bounds = html.escape(json.dumps(about))
            made += [f"<dt><code>{field}</code>: {html.escape(says)}<dd><code>{bounds}</code>"]
        made += ["</dl>"]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Spanlight: calls</title>'
    style = "<style>body{font:16px/1.5 system-ui;max-width:60em;margin:auto;padding:1em}</style>"
    return f"{head}{style}<main>{''.join(made)}</main></html>"
