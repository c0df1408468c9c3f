"""The door before gradio's own routes: a call with a missing or unknown field, of an unknown name,
or of no JSON is answered with a sentence that names it.

Gradio answers most of these with status 500 and a traceback in the log, or with `{"error": null}`.
"""

import inspect
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import gradio as gr
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qa_demo.views.parse import came, got

log = logging.getLogger("qa_demo")
ROUTES = "/gradio_api/call/v2/", "/gradio_api/call/"
JOIN = "/gradio_api/queue/join"
UNEXPECTED = "Something went wrong in this program and was written to its log."
Refusal = tuple[int, str] | None


def public_calls(page: gr.Blocks) -> dict[str, Callable[..., Any]]:
    """What others may call by name."""
    return {
        str(fn.api_name): fn.fn
        for fn in page.fns.values()
        if fn.api_visibility == "public" and fn.fn is not None
    }


def wrong_fields(name: str, call: Callable[..., Any], given: Mapping[str, Any]) -> str | None:
    """The sentence about the first unknown or missing field of a call, or None."""
    known = inspect.signature(call).parameters
    for field in given:
        if field not in known:
            return f"{name} has no field {got(field)}; its fields are {', '.join(known)}"
    for field, parameter in known.items():
        if field not in given and parameter.default is inspect.Parameter.empty:
            return f"{name} needs the field {field}, which is missing"
    return None


class Door:
    """Middleware for one page: its public calls, and how many values each of its events takes."""

    def __init__(self, app: ASGIApp, page: gr.Blocks) -> None:
        self.app, self._page = app, page
        self.calls = public_calls(page)
        self.events = {number: len(fn.inputs) for number, fn in page.fns.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path, method, started = scope["path"].rstrip("/"), scope["method"], False

        async def noted(part: Message) -> None:
            nonlocal started
            started = started or part["type"] == "http.response.start"
            await send(part)

        try:
            refusal: Refusal = None
            if method == "POST" and (path.startswith(ROUTES) or path == JOIN):
                body = await _whole(receive)
                refusal = self.refusal(path, body)
                if refusal is None and path != JOIN and not path.startswith(ROUTES[0]):
                    body = self._filled(path.removeprefix(ROUTES[1]), body)
                receive = _again(body, receive)
            elif method == "GET" and path.startswith(ROUTES):
                refusal = self._unknown_event(path.rsplit("/", 1)[1])
            if refusal is None:
                await self.app(scope, receive, noted)
            else:
                status, said = refusal
                await JSONResponse({"error": said}, status)(scope, receive, send)
        except Exception as fault:
            if type(fault).__name__ == "TooLarge":  # the guard's own, which answers it
                raise
            await self._failed(fault, started, scope, receive, send)

    async def _failed(
        self, fault: Exception, started: bool, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """End the answer: with a sentence, or, where it has begun, at the place it came to."""
        if not started:
            log.error("unexpected error at %s", scope["path"][:80], exc_info=fault)
            await JSONResponse({"error": UNEXPECTED}, 500)(scope, receive, send)
            return
        log.info("a stream has ended early: %s", type(fault).__name__)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def refusal(self, path: str, body: bytes) -> Refusal:
        """Status and sentence for a request that goes no further, or None."""
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            return 422, "the request must be JSON"
        if not isinstance(given, dict):
            return 422, f"the request must be a JSON object, got {came(given)}"
        if path == JOIN:
            return self._event(given)
        by_name = path.startswith(ROUTES[0])
        name = path.removeprefix(ROUTES[0] if by_name else ROUTES[1])
        if name not in self.calls:
            return 404, f"this page has no call {got(name)}; it has {', '.join(self.calls)}"
        if not by_name:
            return self._list(name, given.get("data"))
        wrong = wrong_fields(name, self.calls[name], given)
        return None if wrong is None else (422, wrong)

    def _list(self, name: str, given: Any) -> Refusal:
        parameters = inspect.signature(self.calls[name]).parameters
        known = list(parameters)
        needed = sum(one.default is inspect.Parameter.empty for one in parameters.values())
        order = f"data holds one value for each of {', '.join(known)}"
        if not isinstance(given, list):
            return 422, f"{name} needs the field data, a list: {order}"
        if len(given) < needed:
            return 422, (
                f"{name} lacks {known[len(given)]}: {order}; the last ones may be left out, and at "
                f"{ROUTES[0]}{name} fields have names"
            )
        if len(given) > len(known):
            return 422, f"{name} takes {len(known)} values, got {len(given)}: {order}"
        return None

    def _filled(self, name: str, body: bytes) -> bytes:
        """The body with the defaults of the last values where they are left out: a call written
        before a parameter was added is still good.
        """
        given = json.loads(body)
        parameters = list(inspect.signature(self.calls[name]).parameters.values())
        given["data"] += [one.default for one in parameters[len(given["data"]) :]]
        return json.dumps(given).encode()

    def _event(self, given: dict[str, Any]) -> Refusal:
        """An event of the page: its number, its values, and whose it is."""
        number, values = given.get("fn_index"), given.get("data")
        if isinstance(number, bool) or not isinstance(number, int) or number not in self.events:
            return 404, f"this page has no event {got(number)}; please load the page again"
        if not isinstance(values, list) or len(values) < self.events[number]:
            return 422, f"this event needs data, a list of {self.events[number]} values"
        if not isinstance(given.get("session_hash"), str) or not given["session_hash"]:
            return 422, "this event needs a session_hash, a text"
        return None

    def _unknown_event(self, number: str) -> Refusal:
        """A result is fetched once; after that its number is not known any more.

        gradio's list of events holds it a moment longer than its result: who asks then would wait
        without end.
        """
        waiting = self._page._queue.pending_event_ids_session
        known = any(number in ids for ids in list(waiting.values()))
        return None if known else (404, f"there is no result {got(number)} to be fetched")


async def _whole(receive: Receive) -> bytes:
    parts = []
    while True:
        part = await receive()
        parts.append(part.get("body", b""))
        if not part.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read is handed out once more; after it comes what else the client says."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay
