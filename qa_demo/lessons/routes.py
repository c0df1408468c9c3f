"""`POST /lesson` of the page."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from qa_demo.core.base import BadInput, QADemoError
from qa_demo.lessons.served import Lessons
from qa_demo.model.work import Pending


def answer(lessons: Lessons, asked: Any) -> dict[str, Any]:
    """What is told: {} asks for the list, {lesson, step} for a step, with `guess` for what is said
    of it, with `reveal` for the reveal. Errors: BadInput.
    """
    if not isinstance(asked, Mapping):
        raise BadInput('a step is asked for by {"lesson": ID, "step": NUMBER}')
    if "lesson" not in asked:
        return {"lessons": lessons.list()}
    lesson, step = lessons.place(asked)
    if asked.get("reveal"):
        return lessons.told(step)
    if "guess" in asked:
        return lessons.verdict(step, asked["guess"])
    return lessons.card(lesson, step)


def replied(make: Callable[[Any], dict[str, Any]]) -> Callable[[Request], Any]:
    """A route whose body is JSON: 200, 202 while a model works, 422 with one sentence."""

    async def route(request: Request) -> Response:
        try:
            status, body = 200, await run_in_threadpool(make, orjson.loads(await request.body()))
        except orjson.JSONDecodeError:
            status, body = 422, {"error": "the body must be JSON"}
        except Pending as wait:
            status, body = 202, {"place": wait.place, "seconds": wait.seconds, "done": wait.done}
        except QADemoError as fault:
            status, body = 422, {"error": str(fault)}
        headers = {"cache-control": "no-store"}
        return Response(orjson.dumps(body), status, headers, "application/json")

    return route


def routes(lessons: Lessons) -> list[BaseRoute]:
    """What the page asks of its lessons."""
    return [Route("/lesson", replied(lambda asked: answer(lessons, asked)), methods=["POST"])]
