"""Every launch setting and the guard in front of the routes, in one place and under test."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ENVIRONMENT = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "GRADIO_ANALYTICS_MAX_EVENTS": "200",
    "GRADIO_ANALYTICS_CACHE_FREQUENCY": "50",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_SAFETENSORS_CONVERSION": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
os.environ.update(
    {name: value for name, value in ENVIRONMENT.items() if name not in os.environ}
)  # before gradio is imported

import gradio as gr  # noqa: E402
import plotly  # noqa: E402
from starlette.middleware import Middleware  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import (  # noqa: E402
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import Mount, Route  # noqa: E402
from starlette.staticfiles import StaticFiles  # noqa: E402
from starlette.types import ASGIApp, Message, Receive, Scope, Send  # noqa: E402

from qa_demo.core.assets import ASSETS  # noqa: E402
from qa_demo.embedding import ALWAYS, frame_ancestors  # noqa: E402
from qa_demo.views.api.door import Door, public_calls  # noqa: E402
from qa_demo.views.api.mcp import Tools, endpoint  # noqa: E402
from qa_demo.views.api.openapi import RESULTS, document  # noqa: E402

PAGE = ASSETS / "page"
PLOTLY = Path(plotly.__file__).parent / "package_data"
MAX_BODY = 1_000_000
MAX_THREADS = 256
"""One for each visitor whose work waits or runs: gradio's 40 would let the others wait unseen,
before the job queue that tells them their place.
"""
DENIED = (
    "/gradio_api/upload",
    "/gradio_api/proxy=",
    "/gradio_api/component_server",
    "/gradio_api/file=",
    "/gradio_api/file/",
    "/gradio_api/stream",
    "/monitoring",
    "/gradio_api/deep_link",
    "/gradio_api/vibe",
    "/upload",
    "/proxy=",
    "/file=",
    "/component_server",
    "/deep_link",
)
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' "
    "'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'self'; object-src 'none'; "
)


def policy(ancestors: Iterable[str] = ()) -> str:
    """What the page may load, and which origins may show it in a frame."""
    return " ".join((f"{_POLICY}frame-ancestors 'self'", *ALWAYS, *ancestors))


POLICY = policy()


class TooLarge(Exception):
    """A request body grew past the limit while it was read."""


class Guard:
    """Refuse what this page never needs: large bodies, file and proxy routes, requests from
    foreign pages.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_body: int = MAX_BODY,
        names: frozenset[str] | None = None,
        policy: str = POLICY,
    ) -> None:
        """`names`: what this server may be called, port included; None for anything."""
        self.app, self.max_body, self.names = app, max_body, names
        self.policy = policy.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        refusal = self.refusal(scope["path"], headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        seen, started = 0, False

        async def counted() -> Message:
            nonlocal seen
            part = await receive()
            seen += len(part.get("body", b""))
            if seen > self.max_body:
                raise TooLarge
            return part

        async def with_policy(part: Message) -> None:
            nonlocal started
            if part["type"] == "http.response.start":
                started = True
                part["headers"] = [
                    *part.get("headers", []),
                    (b"content-security-policy", self.policy),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                ]
            await send(part)

        try:
            await self.app(scope, counted, with_policy)
        except TooLarge:
            if not started:
                await self._too_large()(scope, receive, send)

    def refusal(self, path: str, headers: dict[str, str]) -> PlainTextResponse | None:
        """The answer to a request that goes no further, or None."""
        if any(f"/{path.lstrip('/')}".startswith(denied) for denied in DENIED):
            return PlainTextResponse("This page has no such route.", 404)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.max_body:
            return self._too_large()
        if self.names is not None and headers.get("host", "").lower() not in self.names:
            return PlainTextResponse("This page is not known under that name.", 403)
        origin = headers.get("origin")
        if origin is not None and not same_origin(
            origin, headers.get("x-forwarded-host") or headers.get("host", "")
        ):
            return PlainTextResponse("Requests from other pages are not answered.", 403)
        return None

    def _too_large(self) -> PlainTextResponse:
        return PlainTextResponse(f"A request may hold {self.max_body:,} bytes.", 413)


def same_origin(origin: str, host: str) -> bool:
    """Whether an Origin header names the host the request was sent to; behind a Space's proxy, its
    public name.
    """
    public = os.environ.get("SPACE_HOST", "")
    return bool(urlsplit(origin).netloc) and urlsplit(origin).netloc in (host, *public.split(","))


def is_public(host: str | None) -> bool:
    """Whether others can reach this server, so that it must not read folders or load large readers
    for them.
    """
    name = host or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
    return "SPACE_ID" in os.environ or name not in ("127.0.0.1", "localhost", "::1")


class Modules(StaticFiles):
    """The page's scripts and styles, asked for again at each visit: a browser must never mix those
    of two versions.
    """

    def file_response(self, *args: Any, **more: Any) -> Response:
        """The file, or 304 where the browser's copy is still the same one."""
        response = super().file_response(*args, **more)
        response.headers["cache-control"] = "no-cache"
        return response


def launch_settings(host: str | None = None, port: int | None = None) -> dict[str, Any]:
    """The arguments of `Blocks.launch`; `host` None lets GRADIO_SERVER_NAME decide (a Space sets
    it).
    """
    routes = [
        Mount("/static/page", Modules(directory=PAGE)),
        Route("/static/plotly.min.js", _plotly),
    ]
    return {
        "server_name": host,
        "server_port": port,
        "share": False,
        "show_error": False,
        "allowed_paths": [],
        "blocked_paths": [str(Path.cwd()), str(Path.home())],
        "max_file_size": 1,
        "max_threads": MAX_THREADS,
        "enable_monitoring": False,
        "strict_cors": True,
        "state_session_capacity": 200,
        "footer_links": [],
        "run_history": False,
        "pwa": False,
        "ssr_mode": False,
        "mcp_server": False,
        "quiet": True,
        "theme": theme(),
        "css_paths": styles(),
        "app_kwargs": {"routes": routes},
    }


async def _plotly(_: Request) -> FileResponse:
    """The plotly.js of the Python package, so that figures need no network."""
    return FileResponse(PLOTLY / "plotly.min.js", media_type="text/javascript")


def _openapi(page: gr.Blocks) -> Route:
    """The description of the page's calls, in the place of gradio's own."""

    async def described(_: Request) -> JSONResponse:
        return JSONResponse(document(public_calls(page), RESULTS))

    return Route("/gradio_api/openapi.json", described)


def _mcp(page: gr.Blocks) -> list[Route]:
    """The page's calls as tools for language models, with and without the last slash."""
    answer = endpoint(Tools(public_calls(page), RESULTS))
    methods = ["POST", "GET", "DELETE"]
    return [Route(f"/gradio_api/mcp{end}", answer, methods=methods) for end in ("", "/")]


def _health(check: Callable[[], tuple[int, dict[str, Any]]]) -> Route:
    """Status and body of `/health`, made in a thread of its own."""

    def asked(_: Request) -> JSONResponse:
        status, body = check()
        return JSONResponse(body, status, headers={"cache-control": "no-store"})

    return Route("/health", asked)


def _room(look: Callable[[str, str], dict[str, Any]]) -> Route:
    """What one page may know of its room at `/room?code=`, its key in a header: asked every two
    seconds by each page of a class, so it goes through no queue and no thread.
    """

    async def asked(request: Request) -> JSONResponse:
        code, key = request.query_params.get("code", ""), request.headers.get("x-room-key", "")
        return JSONResponse(look(code, key), headers={"cache-control": "no-store"})

    return Route("/room", asked)


def styles() -> list[Path]:
    """page.css first, then what chapters add."""
    return sorted(PAGE.rglob("*.css"), key=lambda path: (path.name != "page.css", path.as_posix()))


def theme() -> gr.themes.Base:
    """Ink and paper, system fonts: no font leaves or enters the machine."""
    return gr.themes.Base(
        primary_hue="stone",
        neutral_hue="stone",
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    )


def launch(
    page: gr.Blocks,
    host: str | None = None,
    port: int | None = None,
    names: frozenset[str] | None = None,
    health: Callable[[], tuple[int, dict[str, Any]]] | None = None,
    room: Callable[[str, str], dict[str, Any]] | None = None,
    **more: Any,
) -> Any:
    """Queue and start a page with the frozen settings, under these names only where they are given;
    `more` is for tests (prevent_thread_lock).
    """
    page.queue(max_size=MAX_THREADS, default_concurrency_limit=8, api_open=False)
    settings = launch_settings(host, port)
    settings["app_kwargs"]["middleware"] = [
        Middleware(Guard, names=names, policy=policy(frame_ancestors())),
        Middleware(Door, page=page),
    ]
    settings["app_kwargs"]["routes"] += [_openapi(page), *_mcp(page)]
    if health is not None:
        settings["app_kwargs"]["routes"].append(_health(health))
    if room is not None:
        settings["app_kwargs"]["routes"].append(_room(room))
    return page.launch(**{**settings, **more})
