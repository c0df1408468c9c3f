"""How the five calls are reached: `/api/NAME` with its OpenAPI, `gr.api`, and MCP at `/mcp`."""

import html
import inspect
import json
from collections.abc import Callable
from typing import Any

import fastapi
import gradio as gr
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from qa_demo import __version__
from qa_demo.api.calls import CALLS, Failed, Host, fields, served
from qa_demo.api.mcp import endpoint
from qa_demo.core.base import BadInput, QADemoError
from qa_demo.pictures import Pictures
from qa_demo.state import said_of

ASKED = (
    "a call is a POST of one JSON object, its content-type application/json, to /api/ with one of "
    f"the names {', '.join(CALLS)}"
)
MOUNT = "/api"
KINDS = {"integer": int, "number": float, "string": str, "array": list}


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The calls over HTTP and as tools."""
    host = Host.serving(pictures)
    # FastAPI's own pages load their scripts from elsewhere
    api = fastapi.FastAPI(title="Spanlight", version=__version__, docs_url=None, redoc_url=None)

    @api.get("/docs", include_in_schema=False)
    def described() -> HTMLResponse:
        return HTMLResponse(page())

    @api.exception_handler(RequestValidationError)
    async def wrong(_: Any, fault: RequestValidationError) -> JSONResponse:
        first = {**fault.errors()[0]}
        first["loc"] = first["loc"][1:]  # without "body"
        whole = not first["loc"] and first["type"] != "value_error"
        no_object = whole or first["type"] == "json_invalid"
        return JSONResponse({"error": ASKED if no_object else said_of(first)}, 422)

    @api.exception_handler(HTTPException)
    async def elsewhere(_: Any, fault: HTTPException) -> JSONResponse:
        return JSONResponse({"error": ASKED}, fault.status_code, fault.headers)

    @api.exception_handler(QADemoError)
    async def refused(_: Any, fault: QADemoError) -> JSONResponse:
        status = 422 if isinstance(fault, BadInput) else 500 if isinstance(fault, Failed) else 503
        return JSONResponse({"error": str(fault)}, status)

    for name, (model, _, made) in CALLS.items():
        says = (model.__doc__ or "").split(":")[0]
        api.post(f"/{name}", response_model=made, summary=says)(_over_http(host, name))
    mcp, methods = endpoint(host), ["POST", "GET", "DELETE"]
    paths = ("/mcp", "/gradio_api/mcp", "/gradio_api/mcp/")
    return [Mount(MOUNT, placed(api)), *(Route(path, mcp, methods=methods) for path in paths)]


def placed(app: ASGIApp) -> ASGIApp:
    """The app below its mount, also behind `--root-path`: gradio then names the path in front as
    `root_path` and leaves it out of `path`, in which a mounted app looks for it.
    """

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        inside = scope["path"].removeprefix(MOUNT)
        await app({**scope, "path": scope["root_path"] + inside}, receive, send)

    return asked


def _over_http(host: Host, name: str) -> Callable[..., Any]:
    def call(asked: Any) -> Any:
        return served(host, name, asked)

    call.__name__, call.__doc__ = name, CALLS[name][0].__doc__
    call.__annotations__ = {"asked": CALLS[name][0]}
    return call


def public(pictures: Pictures) -> None:
    """The same calls for `gradio_client`, inside a gr.Blocks: fields in order, with defaults."""
    host = Host.serving(pictures)
    for name in CALLS:
        call = by_position(host, name)
        gr.api(call, api_name=name, concurrency_limit=None)  # type: ignore[attr-defined]


def by_position(host: Host, name: str) -> Callable[..., Any]:
    """The call as a function whose signature gradio can read."""
    known = fields(name)

    def call(*args: Any, **given: Any) -> Any:
        try:
            asked = {**dict(zip(known, args, strict=False)), **given}
            return served(host, name, asked).model_dump()
        except QADemoError as fault:
            raise gr.Error(str(fault), print_exception=False) from fault

    empty = inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parts = [
        inspect.Parameter(
            field, kind, default=about.get("default", empty), annotation=KINDS[about["type"]]
        )
        for field, about in known.items()
    ]
    call.__name__, call.__doc__ = name, CALLS[name][0].__doc__
    call.__signature__ = inspect.Signature(parts, return_annotation=dict)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parts} | {"return": dict}
    return call


def page() -> str:
    """Every call with its fields, for people; it loads nothing."""
    made = ["<h1>Calls</h1><p>Each is a POST of one JSON object to <code>/api/NAME</code>."]
    made += ['For programs: <a href="openapi.json">openapi.json</a>.</p>']
    for name, (model, _, _) in CALLS.items():
        made += [f"<h2>/api/{name}</h2><p>{html.escape(model.__doc__ or '')}</p><dl>"]
        for field, about in fields(name).items():
            says = about.pop("description", about["title"])
            about.pop("title")
            bounds = html.escape(json.dumps(about))
            made += [f"<dt><code>{field}</code>: {html.escape(says)}<dd><code>{bounds}</code>"]
        made += ["</dl>"]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Spanlight: calls</title>'
    style = "<style>body{font:16px/1.5 system-ui;max-width:60em;margin:auto;padding:1em}</style>"
    return f"{head}{style}<main>{''.join(made)}</main></html>"
