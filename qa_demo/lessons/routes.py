"""`POST /lesson` and `/room` of the page."""

from ipaddress import ip_address
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import segno
from pydantic import BaseModel, StringConstraints, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from qa_demo.core.base import BadInput
from qa_demo.lessons.handout import handout
from qa_demo.lessons.rooms import UNSURE, Rooms
from qa_demo.lessons.served import Lessons
from qa_demo.page import replied, sent
from qa_demo.state import Int, dump, load, sentence

MOST_SECRET, MOST_ADDRESS = 40, 300
Secret = Annotated[str, StringConstraints(max_length=MOST_SECRET)]
DOCUMENT = "application/xhtml+xml"
"""Not text/html: that would be given the running page's head."""
M = TypeVar("M", bound=BaseModel)


class Seat(BaseModel):
    """A page in a room."""

    code: Secret
    key: Secret


class Question(BaseModel):
    """{} asks for the list, a lesson and a step for this step, with `guess` for what is said of it
    (None: "I don't know"), with `reveal` for the reveal.
    """

    lesson: str | None = None
    step: Int = 1
    guess: Any = None
    reveal: bool = False
    room: Seat | None = None


class Act(BaseModel):
    """What a page does in a room: `base`: the address that it stands at; `on`: whether the bars are
    shown; `lesson`, `step` and `state`: what the teacher shows.
    """

    act: Literal["open", "join", "invite", "leave", "show", "move"]
    code: Secret = ""
    key: Secret | None = None
    base: Annotated[str, StringConstraints(max_length=MOST_ADDRESS)] = ""
    on: bool = False
    lesson: str | None = None
    step: Int = 1
    state: Any = None


def read(model: type[M], asked: Any) -> M:
    """A request. Errors: BadInput, one sentence."""
    try:
        return model.model_validate(asked)
    except ValidationError as fault:
        raise BadInput(sentence(fault)) from fault


def answer(lessons: Lessons, rooms: Rooms, asked: Question) -> dict[str, Any]:
    """What is told of a step. In a room a guess counts, and nothing is said of it before its
    teacher reveals. Errors: BadInput.
    """
    if asked.lesson is None:
        return {"lessons": lessons.list()}
    lesson, step = lessons.place(asked.lesson, asked.step)
    place, seat = (lesson.id, asked.step), asked.room and (asked.room.code, asked.room.key)
    said: dict[str, Any] = {}
    if "guess" in asked.model_fields_set:
        said = {"label": UNSURE, "right": False, "said": []}
        if asked.guess is not None:
            said = lessons.verdict(step, asked.guess)
        if seat and rooms.vote(*seat, place, said["label"], said["right"]):
            return {"counted": True, "label": said["label"]}
    if asked.reveal:
        told = lessons.told(step)
        if seat:
            rooms.reveal(*seat, place, told["label"])
        return {**told, "verdict": said or None}
    return said or lessons.card(lesson, step)


def in_room(lessons: Lessons, rooms: Rooms, others: str | None, asked: Act) -> dict[str, Any]:
    """What a page does in a room. `others`: the address that others type, where the server knows
    it. Errors: BadInput.
    """
    own = asked.code, asked.key or ""
    match asked.act:
        case "open":
            return rooms.open(asked.key)
        case "join":
            return rooms.join(asked.code)
        case "invite":
            return invite(others or asked.base, asked.code)
        case "leave":
            rooms.leave(*own)
        case "show":
            rooms.show(*own, asked.on)
        case "move":
            place = None
            if asked.lesson is not None:
                place = lessons.place(asked.lesson, asked.step)[0].id, asked.step
            rooms.move(*own, place, dump(load(asked.state)))
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

    def lesson(asked: Any) -> dict[str, Any]:
        return answer(lessons, rooms, read(Question, asked))

    def room(asked: Any) -> dict[str, Any]:
        return in_room(lessons, rooms, others, read(Act, asked))

    async def look(request: Request) -> Response:
        code = request.query_params.get("code", "")[:MOST_SECRET]
        key = request.headers.get("x-room-key", "")[:MOST_SECRET]
        return sent(request, rooms.look(code, key))

    return [
        Route("/lesson", replied(lesson), methods=["POST"]),
        Route("/room", replied(room), methods=["POST"]),
        Route("/room", look),
        Route("/teaching", lambda _: Response(handout("hour"), media_type=DOCUMENT)),
        Route("/wrong", lambda _: Response(handout("wrong"), media_type=DOCUMENT)),
    ]
