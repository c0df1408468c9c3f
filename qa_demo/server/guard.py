"""The guard in front of the routes: what it refuses, and the policy that every answer carries."""

import os
import re
from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qa_demo.core.base import BadInput

MAX_BODY = 1_000_000
VARIABLE = "SPANLIGHT_FRAME_ANCESTORS"
_ORIGIN = re.compile(
    r"https?://(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?",
    re.ASCII | re.IGNORECASE,
)
DENIED = re.compile("upload|process|proxy=|component|file[=/]|stream|deep_link|undo|vibe|monitor")
"""Routes of gradio's, at the root or under /gradio_api/, that this page never needs."""


def policy(ancestors: Iterable[str] = ()) -> str:
    """What the page may load, and which origins may show it in a frame."""
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' "
        "'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self' "
        + " ".join(("https://huggingface.co", "https://*.hf.space", *ancestors))
    )


def frame_ancestors() -> tuple[str, ...]:
    """The origins of `SPANLIGHT_FRAME_ANCESTORS`, apart by blanks. Errors: BadInput for others."""
    found = tuple(os.environ.get(VARIABLE, "").split())
    if odd := [origin for origin in found if not _ORIGIN.fullmatch(origin)]:
        raise BadInput(
            f"{VARIABLE} names the origins that may embed the page, apart by blanks, such as "
            f"https://course.example.org or https://*.example.org:8443; got {odd[0][:80]!r}"
        )
    return found


class TooLarge(Exception):
    """A request body grew past the limit while it was read."""


def refused(said: str, status: int) -> JSONResponse:
    """An answer in the form of every other refusal."""
    return JSONResponse({"error": said}, status)


TOO_LARGE = refused(f"a request may hold {MAX_BODY:,} bytes", 413)


class Guard:
    """Refuse what this page never needs: large bodies, file and proxy routes, foreign pages.
    `names`: what this server may be called, port included; None for anything. `ancestors`: see
    `policy`. `port`: where this machine alone reaches the server, else 0.
    """

    def __init__(
        self, app: ASGIApp, names: frozenset[str] | None, ancestors: Iterable[str], port: int
    ) -> None:
        self.app, self.names = app, names
        # such a name was led here by its owner: a server in front has a port of its own
        self.rebound = re.compile(rf"(?!localhost:|[\d.]+:|\[).+:{port}")
        self.carried = {
            "content-security-policy": policy(ancestors),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))  # routes are found without it
        refusal = self.refusal(path, Headers(scope=scope))
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            part = await receive()
            seen += len(part.get("body", b""))
            if seen > MAX_BODY:
                raise TooLarge
            return part

        async def with_policy(part: Message) -> None:
            if part["type"] == "http.response.start":
                MutableHeaders(scope=part).update(self.carried)
            await send(part)

        try:
            await (refusal or self.app)(scope, counted, with_policy)
        except TooLarge:
            await TOO_LARGE(scope, receive, with_policy)
        except ClientDisconnect:  # in the middle of a body: the log of a fault has 60 lines
            pass

    def refusal(self, path: str, headers: Mapping[str, str]) -> JSONResponse | None:
        """The answer to a request that goes no further, or None."""
        if DENIED.match(path.lstrip("/").removeprefix("gradio_api/")):
            return refused("this page has no such route", 404)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            return TOO_LARGE
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if self.rebound.fullmatch(host) or (self.names is not None and host not in self.names):
            return refused("this page has another name; its start printed the address", 403)
        if origin is not None and not same_origin(origin, host):
            return refused("requests from other pages are not answered", 403)
        return None


def same_origin(origin: str, host: str) -> bool:
    """Whether an Origin header names the host asked; behind a Space's proxy its public name. No
    other header names it: a foreign page may set them all.
    """
    asking, public = origin.partition("://")[2], os.environ.get("SPACE_HOST", "")
    return bool(asking) and asking in (host, *public.split(","))
