"""What the page asks of its lessons, and two pages for teachers to read and to print."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from string import Template
from typing import Any

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from qa_demo.core.base import BadInput
from qa_demo.lessons import checks, deeper
from qa_demo.lessons.checks import Facts, Seen, sum_of
from qa_demo.lessons.files import TEACHERS, Lesson, Step, read_lesson
from qa_demo.lessons.judge import Asked, plain
from qa_demo.lessons.rooms import UNSURE, Act, Rooms, Seat, acted
from qa_demo.pictures import CHAPTERS, Pictures
from qa_demo.printed import quote
from qa_demo.records import read
from qa_demo.server.answers import replied, sent
from qa_demo.state import Int, dump, load

CHECKS: dict[str, Callable[[Seen], Facts]] = {
    name: check
    for name, check in {**vars(checks), **vars(deeper)}.items()
    if getattr(check, "__annotations__", {}).get("return") == Facts and name[0] != "_"
}
DOCUMENT = "application/xhtml+xml"
"""Not text/html: that would be given the running page's head."""


class Question(BaseModel):
    """{} asks for the list, a lesson and a step for this step, with `guess` for what is said of it
    (None: "I don't know"), with `reveal` for the reveal.
    """

    lesson: str | None = None
    step: Int = 1
    guess: Any = None
    reveal: bool = False
    room: Seat | None = None


@dataclass(frozen=True)
class Lessons:
    """The lessons of a server."""

    pictures: Pictures
    lessons: tuple[Lesson, ...]

    def asked(self, step: Step) -> Asked:
        """The step on the text of its reveal. Raises Pending while a model works. Errors: BadInput
        where that text does not show the point.
        """
        shown = self.pictures.shown(self.pictures.opened(step.then))
        if step.check and step.check not in CHECKS:
            names = ", ".join(sorted(CHECKS))
            raise BadInput(f"there is no check {step.check!r}; allowed: {names}")
        c = shown.best  # what every step may name
        facts: Facts = {"best": quote(c.text), "sum": sum_of(c), "score": c.score}
        facts |= {"start": c.start_logit, "end": c.end_logit}
        facts |= CHECKS[step.check](Seen(shown)) if step.check else {}
        then = load(dump(step.then) | facts.get("then", {}))
        return Asked(step.model_copy(update={"then": then}), shown, facts)

    def proof(self, step: Step) -> list[str]:
        """Every sentence of a step with the numbers of its text, a line each. Errors: BadInput,
        which tells what does not hold.
        """
        now = self.asked(step)
        self.pictures.blocks(now.step.then)
        wrong = [f"{key}: {plain(why)}" for key, why in now.whys.items() if key != now.right]
        right = [f"right: {now.label}"] if now.label else []
        return [plain(now.question), *right, *wrong, f"> {plain(now.reveal)}"]

    def answer(self, rooms: Rooms, question: Question) -> dict[str, Any]:
        """What is told. In a room a guess counts, and nothing is said of it before its teacher
        reveals. Errors: BadInput.
        """
        name, number, seat = question.lesson, question.step, question.room
        if name is None:
            menu = (x.model_dump(include={"id", "title", "minutes"}) for x in self.lessons)
            return {"lessons": list(menu)}
        lesson = next((one for one in self.lessons if one.id == name), None)
        if lesson is None:
            raise BadInput(f"there is no lesson {name[:40]!r}")
        if not 1 <= number <= len(lesson.steps):
            raise BadInput(f"step must be 1 to {len(lesson.steps)} in this lesson, got {number}")
        place, step = (name, number), lesson.steps[number - 1]
        now, said = self.asked(step), dict[str, Any]()
        if "guess" in question.model_fields_set:
            said = {"label": UNSURE, "right": False, "said": []}
            if question.guess is not None:
                said = now.judge(question.guess)
            if seat and rooms.vote(seat, place, said["label"], said["right"]):
                return {"counted": True, "label": said["label"]}
        if question.reveal:
            if seat:
                rooms.reveal(seat, place, now.label)
            told = {"label": now.label, "key": now.right or None, "reveal": now.reveal}
            return {"state": dump(now.step.then), **told, "verdict": said or None}
        return said or self._card(lesson, number, now)

    def _card(self, lesson: Lesson, number: int, now: Asked) -> dict[str, Any]:
        """What a page shows of a step before a guess."""
        after = (*self.lessons, None)[self.lessons.index(lesson) + 1]
        return {
            "lesson": lesson.id,
            "title": lesson.title,
            "step": number,
            "of": len(lesson.steps),
            "after": after and after.id,
            "heading": now.step.title,
            "state": dump(now.step.state),
            "ask": now.step.ask,
            "question": now.question,
            "options": list(now.options.items()),
        }


def routes(lessons: Lessons, others: str | None = None) -> list[BaseRoute]:
    """What the page asks of its lessons and rooms. `others`: the address that others type, where
    the server knows it.
    """
    rooms = Rooms()

    async def look(request: Request) -> Response:
        code, key = request.query_params.get("code", ""), request.headers.get("x-room-key", "")
        return sent(200, rooms.look(Seat(code=code[:40], key=key[:40])))

    act = replied(lambda asked: acted(rooms, others, read(Act, asked)))
    lesson = replied(lambda asked: lessons.answer(rooms, read(Question, asked)))
    return [
        Route("/lesson", lesson, methods=["POST"]),
        Route("/room", act, methods=["POST"]),
        Route("/room", look),
        Route("/teaching", lambda _: Response(handout("hour"), media_type=DOCUMENT)),
        Route("/wrong", lambda _: Response(handout("wrong"), media_type=DOCUMENT)),
    ]


TABLES = {
    "hour": (
        "Open a room under Lessons, let the class join, press Present. In each row the class "
        "guesses in the steps that stand behind the lesson, you reveal, then show the picture.",
        "minutes | picture | lesson: step | what stays",
        "{title} | {picture} | {source} | {reveal}",
    ),
    "wrong": (
        "Sentences met in texts and answers about this subject, and what holds.",
        "said | so | picture",
        "“{title}” | {reveal} <small>{source}</small> | {picture}",
    ),
}
"""What stands above a table, its heads, and what stands below them of each step of its file."""


def handout(table: str) -> bytes:
    """A page with one table, "hour" or "wrong": a row for each step of its file, with a link to
    the step's picture.
    """
    lesson, (lead, heads, columns) = read_lesson(TEACHERS / f"{table}.md"), TABLES[table]
    rows, seen = list[str](), set[str]()
    for step in lesson.steps:
        state, chapter = step.state, step.state.chapter
        one = CHAPTERS[chapter]
        name = f"{one.NAME}, “{one.STEPS[state.step - 1][0]}”" if state.step > 1 else one.NAME
        made = base64.urlsafe_b64encode(orjson.dumps(dump(state))).decode().rstrip("=")
        at = "" if chapter in seen else f' id="{chapter}"'
        seen.add(chapter)
        said = {part: escape(getattr(step, part)) for part in ("title", "source", "reveal")}
        said["picture"] = f'<a href="./#{made}">{escape(name)}</a>'
        cells = (cell.format(**said) for cell in columns.split(" | "))
        rows.append(f"<tr{at}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{head}</th>" for head in heads.split(" | "))
    page = Template((TEACHERS / "page.html").read_text(encoding="utf-8"))
    parts = {"title": lesson.title, "lead": lead, "head": head, "rows": "\n".join(rows)}
    return page.substitute(parts).encode()
