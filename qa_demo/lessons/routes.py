"""`POST /lesson` and `/room` of the page."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from qa_demo.core.base import BadInput
from qa_demo.lessons.handout import hour, wrong
from qa_demo.lessons.rooms import UNSURE, Rooms
from qa_demo.lessons.served import Lessons
from qa_demo.page import replied, sent
from qa_demo.state import dump, load

MOST_SECRET, MOST_ADDRESS = 40, 300
DOCUMENT = "application/xhtml+xml"
"""Not text/html: that would be given the running page's head."""


def words(asked: Mapping[str, Any], name: str, most: int = MOST_SECRET) -> str:
    """A short text of a request. Errors: BadInput."""
    found = asked.get(name)
    if not isinstance(found, str) or len(found) > most:
        raise BadInput(f"{name} must be a text of at most {most} characters")
    return found


def seat(asked: Any) -> tuple[str, str] | None:
    """Code and key of a page in a room, None for a page in none. Errors: BadInput."""
    if asked is None:
        return None
    if not isinstance(asked, Mapping):
        raise BadInput('a page in a room is {"code": ..., "key": ...}')
    return words(asked, "code"), words(asked, "key")


def answer(lessons: Lessons, rooms: Rooms, asked: Any) -> dict[str, Any]:
    """What is told: {} asks for the list, {lesson, step} for a step, with `guess` for what is said
    of it, with `reveal` for the reveal. In a room a guess counts and nothing is said of it before
    its teacher reveals. Errors: BadInput.
    """
    if not isinstance(asked, Mapping):
        raise BadInput('a step is asked for by {"lesson": ID, "step": NUMBER}')
    if "lesson" not in asked:
        return {"lessons": lessons.list()}
    lesson, step = lessons.place(asked)
    place, room = (lesson.id, int(asked["step"])), seat(asked.get("room"))
    said: dict[str, Any] = {}
    if "guess" in asked:
        guess = asked["guess"]
        said = {"label": UNSURE, "right": False, "said": []}
        if guess is not None:
            said = lessons.verdict(step, guess)
        if room and rooms.vote(*room, place, said["label"], said["right"]):
            return {"counted": True, "label": said["label"]}
    if asked.get("reveal"):
        if room and rooms.waits(*room, place):
            raise BadInput("your teacher reveals this step")
        told = lessons.told(step)
        if room and rooms.leads(*room):
            rooms.reveal(*room, place, told["label"] or "")
        return {**told, "verdict": said or None}
    return said or lessons.card(lesson, step)


def in_room(lessons: Lessons, rooms: Rooms, others: str | None, asked: Any) -> dict[str, Any]:
    """What a page does in a room, by `act`. `others`: the address that others type, where the
    server knows it. Errors: BadInput.
    """
    if not isinstance(asked, Mapping):
        raise BadInput('a room is asked by {"act": ...}')
    act = asked.get("act")
    if act == "open":
        return rooms.open(words(asked, "key") if asked.get("key") is not None else None)
    if act == "join":
        return rooms.join(words(asked, "code"))
    if act == "invite":
        return invite(others or words(asked, "base", MOST_ADDRESS), words(asked, "code"))
    own = words(asked, "code"), words(asked, "key")
    if act == "leave":
        rooms.leave(*own)
    elif act == "show":
        rooms.show(*own, asked.get("on") is True)
    elif act == "move":
        place = None
        if asked.get("lesson") is not None:
            place = lessons.place(asked)[0].id, int(asked["step"])
        rooms.move(*own, place, dump(load(asked.get("state"))))
    else:
        raise BadInput("act must be open, join, invite, leave, show or move")
    return {}


def invite(base: str, code: str) -> dict[str, Any]:
    """The address that others type, and with the code behind it as a QR code; no QR for an address
    that only this computer reaches.
    """
    host = urlsplit(base).hostname or ""
    try:
        alone = ip_address(host).is_loopback
    except ValueError:
        alone = host == "localhost"
    made = segno.make(f"{base}?room={code}", error="m", micro=False)
    qr = None if alone else made.svg_data_uri(scale=4, border=4, light="white")
    return {"address": base, "alone": alone, "qr": qr}


def routes(lessons: Lessons, others: str | None = None) -> list[BaseRoute]:
    """What the page asks of its lessons and rooms."""
    rooms = Rooms()

    async def look(request: Request) -> Response:
        code = request.query_params.get("code", "")[:MOST_SECRET]
        key = request.headers.get("x-room-key", "")[:MOST_SECRET]
        return sent(request, rooms.look(code, key))

    return [
        Route("/lesson", replied(lambda asked: answer(lessons, rooms, asked)), methods=["POST"]),
        Route("/room", replied(lambda a: in_room(lessons, rooms, others, a)), methods=["POST"]),
        Route("/room", look),
        Route("/teaching", lambda _: Response(hour(), media_type=DOCUMENT)),
        Route("/wrong", lambda _: Response(wrong(), media_type=DOCUMENT)),
    ]
