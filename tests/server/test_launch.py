"""The guard, who may show the page in a frame, and the frozen launch settings."""

import os
from unittest.mock import AsyncMock

import gradio as gr
import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from qa_demo import app
from qa_demo.server.guard import MAX_BODY, VARIABLE, Guard, frame_ancestors, policy, same_origin
from qa_demo.server.launch import ENVIRONMENT, is_public, launch, launch_settings
from tests.ports import free_port


async def inner(scope, receive, send):
    """An app that reads the whole body and answers 200."""
    await Request(scope, receive).body()
    await Response("ok")(scope, receive, send)


def refused(path="/", names=None, port=0, **given):
    """The status of a request that goes no further, or None."""
    headers = {k.replace("_", "-"): v for k, v in given.items()}
    said = Guard(inner, names, (), port).refusal(path, headers)
    return said and said.status_code


@pytest.mark.parametrize(("path", "status"), [("gradio_api/queue/join", 200), ("upload", 404)])
def test_every_answer_carries_the_policy_under_a_path_too(path, status):
    for root in ("", "/app"):
        client = TestClient(Guard(inner, None, (), 0), root_path=root)
        made = client.post(f"{root}/{path}", headers={"origin": "http://testserver"})
        assert made.status_code == status
        assert made.text == "ok" or made.json()["error"]  # the page reads JSON alone
        assert made.headers["content-security-policy"] == policy()
        more = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
        assert more.items() <= made.headers.items()


FILES = ["file=/etc/passwd", "file/x", "file=../../etc/passwd", "file=%2Fetc%2Fpasswd"]
OTHERS = ["deep_link", "component_server", "undo-vibe-edit", "stream/a/b/x.m3u8", "proxy=http://x"]
ABSENT = [f"/gradio_api/{name}" for name in (*FILES, *OTHERS)]
ABSENT += ["//gradio_api/upload", "/process_recording", "/file=C:\\Windows", "/monitoring"]


@pytest.mark.parametrize("path", ABSENT)
def test_routes_this_page_does_not_need_are_absent(path):
    assert refused(path) == 404


SCOPE = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
LAST = {"type": "http.request", "body": b"x" * 600_000, "more_body": False}
HALF, LEFT = LAST | {"more_body": True}, {"type": "http.disconnect"}


@pytest.mark.parametrize(("heard", "status"), [([LAST], 200), ([HALF, LAST], 413), ([LEFT], None)])
def test_a_large_body_that_declares_nothing_is_refused_and_who_leaves_is_no_fault(heard, status):
    receive, send = AsyncMock(side_effect=heard), AsyncMock()
    with pytest.raises(StopIteration):  # nothing in it waits: one step ends it
        Guard(inner, None, (), 0)(SCOPE, receive, send).send(None)
    assert (send.mock_calls[0].args[0]["status"] if send.called else None) == status


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://[::1"])
def test_requests_from_other_pages_are_refused(origin):
    for forged in ({}, {"x_forwarded_host": "evil.example"}):  # a script may set that header
        assert refused(host="page:7860", origin=origin, **forged) == 403
        assert refused(host="page:7860", origin="http://page:7860", **forged) is None


def test_a_space_is_known_by_its_public_name_and_a_server_that_others_reach_is_public(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "one.hf.space,two.hf.space")
    assert all(same_origin(f"https://{x}.hf.space", "10.0.0.1:7860") for x in ("one", "two"))
    assert not same_origin("https://other.hf.space", "10.0.0.1:7860")
    monkeypatch.delenv("SPACE_ID", raising=False)
    own = ("127.0.0.1", "localhost", "[::1]")  # as `free_address` spells them
    assert not any(map(is_public, own)) and is_public("0.0.0.0")
    monkeypatch.setenv("SPACE_ID", "a/b")
    assert is_public("127.0.0.1")


def test_a_server_with_names_answers_to_no_other_and_to_no_odd_length():
    names = frozenset({"192.0.2.7:7860", "desk.local:7860"})
    assert refused(names=names, host="192.0.2.7:7860") is refused(host="anything") is None
    assert refused(names=names, host="Desk.local:7860") is None
    for host in ("evil.example:7860", "192.0.2.7", ""):
        assert refused(names=names, host=host, origin=f"http://{host}") == 403
    for host in ("localhost:7860", "127.0.0.1:7860", "[::1]:7860", "by.a.server.in.front"):
        assert refused(port=7860, host=host) is None
    assert refused(port=7860, host="1.evil.example:7860") == 403, "its owner leads it here"
    for odd in (str(MAX_BODY + 1), "many", "-1", "+5", "1e3", " 12", "9" * 400, "", "\xb2"):
        assert refused(content_length=odd) == 413, odd
    assert not refused(content_length="12")


def test_launch_settings_are_frozen_and_origins_are_added_to_those_of_a_space(monkeypatch):
    monkeypatch.setattr("os.path.expanduser", str)  # a user without a home
    settings = launch_settings("127.0.0.1", 7860)
    off = ("share", "show_error", "enable_monitoring", "run_history", "pwa", "ssr_mode")
    assert [settings[name] for name in off] == [False] * len(off)
    assert (settings["allowed_paths"], settings["blocked_paths"]) == ([], [os.getcwd(), "~"])
    assert settings["strict_cors"] is True and ENVIRONMENT["GRADIO_ANALYTICS_ENABLED"] == "False"
    monkeypatch.delenv(VARIABLE, raising=False)
    assert frame_ancestors() == ()
    monkeypatch.setenv(VARIABLE, " https://*.example.org:8443  http://localhost:8000\n")
    assert (found := frame_ancestors()) == ("https://*.example.org:8443", "http://localhost:8000")
    assert "*" not in policy().replace("https://*.hf.space", "")
    assert policy(found) == f"{policy()} https://*.example.org:8443 http://localhost:8000"


def test_a_busy_machine_that_is_slow_at_first_ends_no_server_and_an_idle_one_rests(monkeypatch):
    monkeypatch.setattr("gradio.networking.url_ok", lambda _: False)  # after 3 s without an answer
    port, rests = free_port(), ("sleep_when_free", "progress_update_sleep_when_free")
    with gr.Blocks() as page:
        assert all(getattr(page._queue, name) <= 0.1 for name in rests)  # still so named
    launch(page, "127.0.0.1", port, prevent_thread_lock=True)
    assert [getattr(page._queue, name) for name in rests] == [0.05, 0.1]
    assert httpx.get(f"http://127.0.0.1:{port}/").status_code == 200
    page.close()


ADDRESSES = ["*", "course.example.org", "https://course.example.org/", "data:", "https://"]
LISTS = ["https://a.example,https://b.example", "https://a.example; script-src *", "'none'"]
ODD = ["https://a b", "https://ä.example", "https://a.example" * 60]


@pytest.mark.parametrize("value", [*ADDRESSES, *LISTS, *ODD])
def test_what_is_no_origin_is_refused(value, monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, value)
    monkeypatch.setattr("qa_demo.app.made", lambda *_: pytest.fail("it loads a reader"))
    assert app.main(["--port", "0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"spanlight: {VARIABLE}") and said.count("\n") == 1
