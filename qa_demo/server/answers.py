"""How a request is answered: what is made for it, or the sentence why not, as status and body; one
that waits for its models; JSON in and out, and files.
"""

import gzip
import hashlib
import json
import logging
import time
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any

import orjson
from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from qa_demo.core.base import BadInput, Cancelled, QADemoError
from qa_demo.model.work import Pending

log = logging.getLogger("qa_demo")
PATIENCE = 600.0
"""Seconds that a call or Save waits for its models."""
THREADS = CapacityLimiter(16)
"""Of the calls and of Save alone: however many wait, the page answers."""
Gone = Callable[[], Awaitable[bool]]


def attempt(make: Callable[[Any], Any], asked: Any) -> tuple[int, Any]:
    """Status and body of an answer: 200 with what is made, 202 with model, place, seconds and done
    while a model works, 4xx and 5xx with one sentence.
    """
    try:
        return 200, make(asked)
    except (Pending, Cancelled) as fault:
        # cancelled: this machine slept, and the work was given up while its asker waited
        wait = fault if isinstance(fault, Pending) else Pending((), 0, 0.0, 0.0)
        model = "SpanBERT" if wait.key[:1] == ("spanbert",) else "the reader"
        far = {"place": wait.place, "seconds": wait.seconds, "done": wait.done}
        return 202, {"model": model, **far}
    except BadInput as fault:
        return 422, {"error": str(fault)}
    except QADemoError as fault:
        return 503, {"error": str(fault)}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # the tokenizers library panics so
        log.exception("A request failed")
        return 500, {"error": "this failed; the server's log tells more"}


async def at_last(make: Callable[[Any], Any], asked: Any, gone: Gone | None) -> tuple[int, Any]:
    """What `attempt` says at last. It asks again and again while a model works, so that what nobody
    waits for any more ends.
    """
    end, make = time.monotonic() + PATIENCE, partial(attempt, make, asked)
    while (made := await to_thread.run_sync(make, limiter=THREADS))[0] == 202:
        if time.monotonic() > end or (gone is not None and await gone()):
            return 503, {"error": "too busy; try again later"}
    return made


async def json_of(request: Request, unread: Any = None) -> Any:
    """The value of a request's body; a whole number of more than 18 digits is a float, for
    an answer holds 64 bits. `unread` where it is not JSON.
    """
    try:
        body = await request.body()
        return json.loads(body, parse_int=lambda n: int(n) if len(n.lstrip("-")) < 19 else float(n))
    except (ValueError, RecursionError):
        return unread


def served(text: Callable[[], bytes], kind: str, cached: str = "no-cache") -> Callable[..., Any]:
    """A file, packed once, that the browser asks for again at each visit, for it must never mix two
    versions; `cached` says otherwise.
    """

    @cache
    def file() -> tuple[bytes, bytes, str]:
        plain = text()
        return plain, gzip.compress(plain, 9), f'"{hashlib.sha256(plain).hexdigest()[:32]}"'

    def answer(request: Request) -> Response:
        plain, packed, tag = file()
        headers = {"cache-control": cached, "etag": tag, "vary": "accept-encoding"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", "") and len(packed) < len(plain):
            plain, headers["content-encoding"] = packed, "gzip"
        return Response(plain, headers=headers, media_type=kind)

    return answer


def replied(make: Callable[[Any], Any]) -> Callable[[Request], Any]:
    """A route that is asked in JSON and answers what `attempt` says; a text is a file."""

    async def route(request: Request) -> Response:
        return sent(*await run_in_threadpool(attempt, make, await json_of(request)))

    return route


def sent(status: int, body: Any) -> Response:
    """An answer that nobody keeps."""
    # not text/html: that would be given the running page's head
    kind = "application/octet-stream" if isinstance(body, str) else "application/json"
    made = body if isinstance(body, str) else orjson.dumps(body)
    return Response(made, status, {"cache-control": "no-store"}, kind)
