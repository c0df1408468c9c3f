"""Every launch setting, and the start of gradio's page with our routes and our guard."""

import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ENVIRONMENT = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_SAFETENSORS_CONVERSION": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "MPLBACKEND": "agg",
}
"""Set before gradio is imported, where nobody has set them."""
os.environ.update(ENVIRONMENT | dict(os.environ))
os.environ["GRADIO_DEBUG"] = "0"  # else gradio waits in `launch`, before the reader is loaded
# nothing here uses these: gradio ends where one is no number, and NUM_WORKERS opens unguarded ports
_idle = "SERVER_PORT NUM_PORTS NODE_NUM_PORTS NUM_WORKERS DEFAULT_CONCURRENCY_LIMIT"
for _name in f"{_idle} ANALYTICS_MAX_EVENTS ANALYTICS_CACHE_FREQUENCY".split():
    os.environ.pop(f"GRADIO_{_name}", None)

_file_of = inspect.getfile


def _no_interface_file(described: Any) -> str:
    """For each of its components gradio parses the source twice, fills a template and compares it
    with a .pyi file beside it: 0.9 of the 2.5 s of its import on two slow cores, at every start.
    It leaves a class alone that stands in no file.
    """
    if type(described).__name__ == "ComponentMeta":
        raise OSError("no interface file is wanted")
    return _file_of(described)


inspect.getfile = _no_interface_file
try:
    import gradio as gr
finally:
    inspect.getfile = _file_of
from starlette.middleware import Middleware  # noqa: E402
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware  # noqa: E402
from starlette.routing import BaseRoute  # noqa: E402

from qa_demo.server.gradio_page import early  # noqa: E402
from qa_demo.server.guard import Guard, frame_ancestors  # noqa: E402


def is_public(host: str) -> bool:
    """Whether others can reach this server, which then reads no folders and no large readers."""
    return "SPACE_ID" in os.environ or host not in ("127.0.0.1", "localhost", "[::1]")


def launch_settings(host: str, port: int) -> dict[str, Any]:
    """The arguments of `Blocks.launch`."""
    unused = ("share", "show_error", "enable_monitoring", "run_history", "pwa", "ssr_mode")
    return dict.fromkeys((*unused, "mcp_server"), False) | {
        "server_name": host,
        "server_port": port,
        "allowed_paths": [],
        "blocked_paths": [str(Path.cwd()), os.path.expanduser("~")],  # HOME may be unset
        "max_file_size": 1,
        "max_threads": 64,
        "strict_cors": True,
        "state_session_capacity": 64,  # nothing of ours lies in one
        "footer_links": [],
        "quiet": True,
        "_frontend": False,  # else gradio asks for its own page, and ends where that takes 3 s
        # ink and paper, system fonts: no font leaves or enters the machine
        "theme": gr.themes.Base(
            primary_hue="stone",
            neutral_hue="stone",
            font=["system-ui", "sans-serif"],
            font_mono=["ui-monospace", "monospace"],
        ),
    }


def launch(
    page: gr.Blocks,
    host: str,
    port: int,
    names: frozenset[str] | None = None,
    routes: Sequence[BaseRoute] = (),
    **more: Any,
) -> Any:
    """Start a page with the frozen settings, under these names only where they are given."""
    guard = Middleware(Guard, names, frame_ancestors(), 0 if is_public(host) else port)
    # gradio packs its own files, and better; up to Python 3.11 a script is an application
    own = ("text/javascript", "application/javascript", "text/css")
    files = (*own, *DEFAULT_EXCLUDED_CONTENT_TYPES)
    packed = Middleware(GZipMiddleware, compresslevel=3, exclude_content_types=files)
    beside: dict[str, Any] = {"routes": [*routes], "middleware": [guard, packed, Middleware(early)]}
    queue = page._queue  # the pauses of Windows; elsewhere it looks for work 600 times a second
    queue.sleep_when_free, queue.progress_update_sleep_when_free = 0.05, 0.1
    return page.launch(**launch_settings(host, port), app_kwargs=beside, **more)
