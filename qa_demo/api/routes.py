"""How the five calls are reached: `/api/NAME` with its OpenAPI, `gr.api`, and MCP at `/mcp`."""

import inspect
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import fastapi
import gradio as gr
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import ValidationError
from starlette.routing import BaseRoute, Mount, Route

from qa_demo import __version__
from qa_demo.api.calls import CALLS, Host, Reply
from qa_demo.api.described import page
from qa_demo.api.mcp import endpoint
from qa_demo.core.base import BadInput, QADemoError
from qa_demo.pictures import Pictures
from qa_demo.state import Record, said_of, sentence
from qa_demo.work import Pending

log = logging.getLogger("qa_demo")


def answered(host: Host, name: str, given: Any) -> Reply:
    """The reply to a call with JSON's values, and the seconds that it took. Errors: QADemoError."""
    model, run = CALLS[name]
    began = time.perf_counter()
    try:
        asked = given if isinstance(given, model) else model.model_validate(given)
    except ValidationError as fault:
        raise BadInput(sentence(fault)) from fault
    try:
        reply = run(host, asked)
    except Pending as wait:
        raise QADemoError("the reader is too busy; try again later") from wait
    return {**reply, "seconds": round(time.perf_counter() - began, 4)}


def routes(pictures: Pictures) -> list[BaseRoute]:
    """The calls over HTTP and as tools."""
    host = Host(pictures)
    # FastAPI's own page loads its script from elsewhere
    api = fastapi.FastAPI(title="Spanlight", version=__version__, docs_url=None, redoc_url=None)

    @api.get("/docs", include_in_schema=False)
    def described() -> HTMLResponse:
        return HTMLResponse(page({name: model for name, (model, _) in CALLS.items()}))

    @api.exception_handler(RequestValidationError)
    async def wrong(_: Any, fault: RequestValidationError) -> JSONResponse:
        first = {**fault.errors()[0]}
        first["loc"] = first["loc"][1:]  # without "body"
        return JSONResponse({"error": said_of(first)}, 422)

    @api.exception_handler(QADemoError)
    async def refused(_: Any, fault: QADemoError) -> JSONResponse:
        return JSONResponse({"error": str(fault)}, 422 if isinstance(fault, BadInput) else 503)

    for name, (model, _) in CALLS.items():
        api.post(f"/{name}", summary=(model.__doc__ or "").split(":")[0])(
            _over_http(host, name, model)
        )
    mcp = endpoint({n: (m, partial(answered, host, n)) for n, (m, _) in CALLS.items()})
    methods = ["POST", "GET", "DELETE"]
    paths = ("/mcp", "/gradio_api/mcp", "/gradio_api/mcp/")
    return [Mount("/api", api), *(Route(path, mcp, methods=methods) for path in paths)]


def _over_http(host: Host, name: str, model: type[Record]) -> Callable[..., Any]:
    def call(asked: Any) -> Any:
        return answered(host, name, asked)

    call.__name__, call.__doc__ = name, model.__doc__
    call.__annotations__ = {"asked": model, "return": dict[str, Any]}
    return call


def public(pictures: Pictures) -> None:
    """The same calls for `gradio_client`, inside a gr.Blocks: fields in order, with defaults."""
    host = Host(pictures)
    for name, (model, _) in CALLS.items():
        call = _by_position(host, name, model)
        gr.api(call, api_name=name, concurrency_limit=None)  # type: ignore[attr-defined]


def _by_position(host: Host, name: str, model: type[Record]) -> Callable[..., Any]:
    names = list(model.model_fields)

    def call(*args: Any, **given: Any) -> Any:
        try:
            return answered(host, name, {**dict(zip(names, args, strict=False)), **given})
        except QADemoError as fault:
            raise gr.Error(str(fault), print_exception=False) from fault

    empty = inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    fields = [
        inspect.Parameter(
            n, kind, default=empty if f.is_required() else f.default, annotation=plain(f.annotation)
        )
        for n, f in model.model_fields.items()
    ]
    call.__name__, call.__doc__ = name, model.__doc__
    call.__signature__ = inspect.Signature(fields, return_annotation=dict)  # type: ignore[attr-defined]
    call.__annotations__ = {f.name: f.annotation for f in fields} | {"return": dict}
    return call


def plain(annotation: Any) -> Any:
    """A type that gradio can name: it knows numbers, texts and lists."""
    text = str(annotation)
    for kind in (bool, int, float, str, list):
        if text.startswith(
            (
                f"<class '{kind.__name__}'",
                kind.__name__,
                f"typing.Annotated[{kind.__name__}",
                f"typing.Optional[{kind.__name__}",
            )
        ):
            return kind
    return (
        str
        if "Literal" in text or "str" in text
        else float
        if "float" in text
        else int
        if "int" in text and "list" not in text
        else list
    )
