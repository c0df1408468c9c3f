"""The guard, who may show the page in a frame, and the frozen launch settings."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from qa_demo import app
from qa_demo.core.base import BadInput
from qa_demo.core.store import ASSETS
from qa_demo.server.guard import (
    MAX_BODY,
    POLICY,
    VARIABLE,
    Guard,
    frame_ancestors,
    policy,
    same_origin,
)
from qa_demo.server.launch import ENVIRONMENT, SESSIONS, is_public, launch_settings


async def inner(scope: dict, receive: Any, send: Any) -> None:
    """An app that reads the whole body and answers 200."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})


def call(
    path: str = "/",
    headers: dict[str, str] | None = None,
    body: list[bytes] | None = None,
    under: str = "",
) -> tuple[int, dict[str, str]]:
    """Status and headers of one request through the guard."""
    sent: list[dict] = []
    parts = list(body or [b""])

    async def receive() -> dict:
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: dict) -> None:
        sent.append(message)

    pairs = [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]
    scope = {"type": "http", "method": "POST", "path": path, "headers": pairs}
    scope |= {"query_string": b"", "root_path": under}
    with ThreadPoolExecutor(1) as pool:  # Playwright keeps a loop in the main thread
        pool.submit(asyncio.run, Guard(inner)(scope, receive, send)).result()
    start = next(m for m in sent if m["type"] == "http.response.start")
    return start["status"], {k.decode(): v.decode() for k, v in start["headers"]}


def test_an_ordinary_request_passes_with_a_policy() -> None:
    status, headers = call("/gradio_api/queue/join", {"host": "a:1", "origin": "http://a:1"})
    assert status == 200
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"


FILES = ["file=/etc/passwd", "file/x", "file=../../etc/passwd", "file=%2Fetc%2Fpasswd"]
OTHERS = ["upload", "component_server", "vibe-code", "stream/a/b/c/x.m3u8"]
OTHERS += ["proxy=http://x", "proxy=http://169.254.169.254/"]
ABSENT = [f"/gradio_api/{name}" for name in (*FILES, *OTHERS)]
ABSENT += ["//gradio_api/upload", "/upload", "/file=C:\\Windows", "/deep_link"]
ABSENT += ["/monitoring", "/monitoring/summary"]


@pytest.mark.parametrize("path", ABSENT)
def test_routes_this_page_does_not_need_are_absent(path: str) -> None:
    status, headers = call(path)
    assert status == 404 and headers["content-security-policy"] == POLICY
    assert call(f"/app{path}", under="/app")[0] == call(path, under="/app")[0] == 404


def test_large_bodies_are_refused_declared_or_not() -> None:
    assert call(headers={"content-length": str(MAX_BODY + 1)})[0] == 413
    assert call(headers={"content-length": "many"})[0] == 413
    assert call(body=[b"x" * 600_000, b"x" * 600_000])[0] == 413
    assert call(body=[b"x" * 600_000])[0] == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://page:7860", 200),
        *((o, 403) for o in ("https://evil.example", "null", "http://[::1")),
    ],
)
def test_requests_from_other_pages_are_refused(origin: str, status: int) -> None:
    assert call(headers={"host": "page:7860", "origin": origin})[0] == status
    forwarded = {"host": "page:7860", "origin": origin, "x-forwarded-host": "evil.example"}
    assert call(headers=forwarded)[0] == status, "a script may set that header"


def test_a_space_is_known_by_its_public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_HOST", "name-space.hf.space")
    assert same_origin("https://name-space.hf.space", "10.0.0.1:7860")
    assert not same_origin("https://other.hf.space", "10.0.0.1:7860")


def test_a_server_that_others_reach_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADIO_SERVER_NAME", raising=False)
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert not is_public(None) and not is_public("localhost") and is_public("0.0.0.0")
    monkeypatch.setenv("SPACE_ID", "a/b")
    assert is_public("127.0.0.1")


def test_a_server_with_names_answers_to_no_other() -> None:
    guard = Guard(inner, names=frozenset({"192.0.2.7:7860"}))
    assert guard.refusal("/", {"host": "192.0.2.7:7860"}) is None
    for host in ("evil.example:7860", "192.0.2.7", ""):
        assert guard.refusal("/", {"host": host, "origin": f"http://{host}"}).status_code == 403
    assert Guard(inner).refusal("/", {"host": "anything"}) is None


def test_launch_settings_are_frozen() -> None:
    settings = launch_settings()
    off = ("share", "show_error", "enable_monitoring", "run_history", "pwa", "ssr_mode")
    assert [settings[name] for name in off] == [False] * len(off)
    assert settings["strict_cors"] is True and settings["state_session_capacity"] == SESSIONS
    assert settings["allowed_paths"] == [] and settings["server_name"] is None
    assert settings["blocked_paths"] and ENVIRONMENT["GRADIO_ANALYTICS_ENABLED"] == "False"


@pytest.mark.parametrize("length", ["-1", "+5", "1e3", " 12", "9" * 400, "", "\u0661"])
def test_a_length_that_is_no_plain_number_is_refused(length: str) -> None:
    assert call(headers={"content-length": length})[0] == 413


def test_origins_are_added_to_those_of_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert frame_ancestors() == () and policy() == POLICY
    monkeypatch.setenv(VARIABLE, " https://course.example.org  http://localhost:8000\n")
    found = frame_ancestors()
    assert found == ("https://course.example.org", "http://localhost:8000")
    made = policy(found)
    assert made == f"{POLICY} https://course.example.org http://localhost:8000"
    monkeypatch.setenv(VARIABLE, "https://*.example.org:8443 http://127.0.0.1:1")
    assert len(frame_ancestors()) == 2


ADDRESSES = ["*", "course.example.org", "https://course.example.org/", "data:", "https://"]
LISTS = ["https://a.example,https://b.example", "https://a.example; script-src *", "'none'"]
ODD = ["https://a b", "https://ä.example", "https://a.example" * 60]


@pytest.mark.parametrize("value", [*ADDRESSES, *LISTS, *ODD])
def test_what_is_no_origin_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(BadInput, match=VARIABLE):
        frame_ancestors()
    monkeypatch.setattr("qa_demo.app.made", lambda *_: pytest.fail("it loads a reader"))
    assert app.main(["--port", "0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"spanlight: {VARIABLE}") and said.count("\n") == 1


def interface_files(code: str, after: str = "") -> str:
    """How many interface files for editors this code reads or writes in a process of its own, and
    what is printed after it.
    """
    heard = (
        "import sys\nfound = set()\n"
        "def hear(name, given):\n"
        "    if name == 'open' and str(given[0]).endswith('.pyi'): found.add(str(given[0]))\n"
        "sys.addaudithook(hear)\n"
    )
    shown = "\nprint(sum('gradio' in one for one in found))\n"
    clean = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    command = [sys.executable, "-c", heard + code + shown + after]
    how = {"cwd": ASSETS.parent, "capture_output": True, "text": True, "check": True}
    return subprocess.run(command, env=clean, **how).stdout.strip()


@pytest.mark.slow
def test_the_page_starts_without_gradios_interface_files_and_its_events_without_pyplot() -> None:
    """gradio alone compares one a module of components: should it stop, so may we."""
    event = (
        "from gradio.utils import MatplotlibBackendMananger as M\n"
        "with M(): pass\n"
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    page = "import qa_demo.server.launch, qa_demo.page"
    assert interface_files(page, event) == "1\nTrue False"
    assert int(interface_files("import gradio")) > 20
