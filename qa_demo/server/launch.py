"""Every launch setting and every route beside gradio's own, in one place and under test."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ENVIRONMENT = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "GRADIO_ANALYTICS_MAX_EVENTS": "200",
    "GRADIO_ANALYTICS_CACHE_FREQUENCY": "50",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_SAFETENSORS_CONVERSION": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MPLBACKEND": "agg",
}
"""gradio asks matplotlib for its backend at every event. Without a name matplotlib loads pyplot to
find one: half a second before the first picture, and 15 MB for nothing.
"""
os.environ["GRADIO_DEBUG"] = "0"  # else gradio waits in `launch`, before the reader is loaded
os.environ.update(
    {name: value for name, value in ENVIRONMENT.items() if name not in os.environ}
)  # before gradio is imported

from qa_demo.server.interfaces import without_interface_files  # noqa: E402

with without_interface_files():
    import gradio as gr
import plotly  # noqa: E402
from starlette.middleware import Middleware  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import FileResponse, JSONResponse  # noqa: E402
from starlette.routing import BaseRoute, Route  # noqa: E402

from qa_demo.server.embedding import frame_ancestors  # noqa: E402
from qa_demo.server.gradio_page import Early, gradio_files  # noqa: E402
from qa_demo.server.guard import Guard, policy  # noqa: E402
from qa_demo.server.lull import Heard, Lull  # noqa: E402
from qa_demo.server.page_files import page_files  # noqa: E402
from qa_demo.views.api.door import Door, public_calls  # noqa: E402
from qa_demo.views.api.mcp import Tools, endpoint  # noqa: E402
from qa_demo.views.api.openapi import RESULTS, document  # noqa: E402
from qa_demo.views.session.lock import VISITORS  # noqa: E402
from qa_demo.views.style import sheets  # noqa: E402

PLOTLY = Path(plotly.__file__).parent / "package_data"
MAX_THREADS = 256
"""One for each visitor whose work waits or runs: gradio's 40 would let the others wait unseen,
before the job queue that tells them their place.
"""


def is_public(host: str | None) -> bool:
    """Whether others can reach this server, which then reads no folders and no large readers."""
    name = host or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
    return "SPACE_ID" in os.environ or name not in ("127.0.0.1", "localhost", "::1")


def launch_settings(host: str | None = None, port: int | None = None) -> dict[str, Any]:
    """The arguments of `Blocks.launch`; with host None GRADIO_SERVER_NAME decides (a Space)."""
    routes = [
        *(Route(f"/static/page/{name}", file.answer) for name, file in page_files().items()),
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
        "state_session_capacity": VISITORS,
        "footer_links": [],
        "run_history": False,
        "pwa": False,
        "ssr_mode": False,
        "mcp_server": False,
        "quiet": True,
        "theme": theme(),
        "css_paths": [] if gradio_files() else sheets(),
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
    lull: Lull | None = None,
    beside: Sequence[BaseRoute] = (),
    **more: Any,
) -> Any:
    """Queue and start a page with the frozen settings, under these names only where they are given;
    `lull` hears of every request, and `more` is for tests (prevent_thread_lock).
    """
    page.queue(max_size=MAX_THREADS, default_concurrency_limit=8, api_open=False)
    settings = launch_settings(host, port)
    settings["app_kwargs"]["middleware"] = [
        Middleware(Guard, names=names, policy=policy(frame_ancestors())),
        Middleware(Door, page=page),
        Middleware(Early),
    ]
    if lull is not None:
        settings["app_kwargs"]["middleware"].insert(0, Middleware(Heard, lull=lull))
    settings["app_kwargs"]["routes"] += [_openapi(page), *_mcp(page), *beside]
    if health is not None:
        settings["app_kwargs"]["routes"].append(_health(health))
    if room is not None:
        settings["app_kwargs"]["routes"].append(_room(room))
    return page.launch(**{**settings, **more})
