"""The events of a class without a browser: a guess waits for the reveal; any value is answered."""

from typing import Any

import pytest

from qa_demo.core.course.room_quiz import form
from qa_demo.core.course.room_state import Place, Seat
from qa_demo.core.course.rooms import Rooms
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.views.frame import Frame
from qa_demo.views.lessons.course import load
from qa_demo.views.lessons.rooms import looker
from qa_demo.views.lessons.strip import KEY
from qa_demo.views.lessons.tasks import marked
from qa_demo.views.session.errors import UNEXPECTED
from qa_demo.views.state import Screen
from qa_demo.views.update import Update
from tests.documents import ROOT
from tests.views.lessons.test_strip import ODD, framed, sent

PLACE = {"lesson": "span", "step": 1}
NAMES = ("room_open", "room_join", "room_leave", "room_move", "room_show", "room_reveal")
NAMES += ("room_quiz", "room_pin", "room_results", "task_open", "task_check", "task_done")


ROOMS = Rooms()


@pytest.fixture(autouse=True)
def rooms() -> Rooms:
    """None is open yet."""
    ROOMS._rooms.clear()
    return ROOMS


@pytest.fixture(scope="module")
def frame() -> Frame:
    return framed(ROOMS)


def quick(frame: Frame, name: str, value: Any) -> Update:
    return frame.inputs[KEY][name](None, value)


def seat_of(update: Update) -> dict[str, Any]:
    return {k: update.pictures[KEY]["seat"][k] for k in ("code", "key")}


@pytest.fixture(scope="module")
def screen(frame: Frame) -> Screen:
    return sent(frame, None, "open", PLACE).screen


def test_a_guess_is_counted_and_answered_after_the_reveal(
    frame: Frame, rooms: Rooms, screen: Screen
) -> None:
    teacher = seat_of(quick(frame, "room_open", True))
    student = seat_of(quick(frame, "room_join", {"code": teacher["code"].lower()}))
    look = looker(rooms)
    assert not quick(frame, "room_move", {**teacher, **PLACE}).refused
    assert look(student["code"], student["key"])["place"] == PLACE
    guess = {**PLACE, "room": student}
    voted = sent(frame, screen, "guess", {**guess, "guess": "writes"}).pictures[KEY]
    assert voted["voted"]["label"].startswith("The model writes") and "told" not in voted
    given_up = sent(frame, screen, "guess", {**guess, "guess": None}).pictures[KEY]["voted"]
    assert given_up["label"] == "I don’t know"
    assert sent(frame, screen, "guess", {**guess, "guess": "sings"}).refused
    quick(frame, "room_show", {**teacher, "on": True})
    counts = [n for _, n in look(teacher["code"], teacher["key"])["bars"]]
    assert counts == [0, 0, 0, 1] and look(student["code"], student["key"])["bars"] is None
    quick(frame, "room_reveal", teacher)
    told = sent(frame, screen, "guess", {**guess, "guess": "copies"}).pictures[KEY]["told"]
    assert told["right"] and look(student["code"], student["key"])["revealed"]


@pytest.mark.parametrize("lesson", load(), ids=lambda lesson: lesson.id)
def test_every_question_of_the_lessons_can_be_counted(
    frame: Frame, rooms: Rooms, screen: Screen, lesson: Any
) -> None:
    teacher = seat_of(quick(frame, "room_open", True))
    if lesson.id == "said":
        refused = quick(frame, "room_move", {**teacher, "lesson": "said", "step": 0})
        assert refused.refused and "led through lessons" in refused.message["text"]
        return
    student = seat_of(quick(frame, "room_join", teacher))
    for number, step in enumerate(lesson.steps):
        place = {"lesson": lesson.id, "step": number}
        if not step.predict or (step.check and CHECKS[step.check].needs_reader):
            continue
        opened = sent(frame, screen, "open", place)
        quick(frame, "room_move", {**teacher, **place})
        reply = opened.pictures[KEY]["reply"]
        options = [*(o.key for o in step.options), *(key for key, _ in reply["options"])]
        guesses = {"number": [1, 2.5], "mark": [[2, 3]], "chips": [None]}.get(
            step.predict, list(dict.fromkeys(options))
        )
        for guess in guesses:
            value = {**place, "guess": guess, "room": student}
            voted = sent(frame, opened.screen, "guess", value).pictures[KEY]["voted"]
            assert voted["label"] == looker(rooms)(student["code"], student["key"])["mine"]


def test_a_guess_on_another_text_is_refused_and_at_another_step_is_answered(
    frame: Frame, screen: Screen
) -> None:
    teacher = seat_of(quick(frame, "room_open", True))
    student = seat_of(quick(frame, "room_join", teacher))
    quick(frame, "room_move", {**teacher, **PLACE})
    other = sent(frame, screen, "open", {"lesson": "best-pair", "step": 0}).screen
    guess = {**PLACE, "guess": "copies", "room": student}
    refused = sent(frame, other, "guess", guess)
    assert refused.refused and "does not count in the class" in refused.message["text"]
    quick(frame, "room_move", {**teacher, "lesson": "span", "step": 0})
    assert "told" in sent(frame, screen, "guess", guess).pictures[KEY]


@pytest.mark.parametrize("name", NAMES)
def test_any_value_is_answered(frame: Frame, rooms: Rooms, name: str) -> None:
    seat = rooms.open()
    rooms.move(seat, Place("span", 1))
    odd = [{"code": 7, "key": []}, {"code": "x" * 10_000, "key": "y"}]
    odd += [{"code": seat.code, "key": "<img src=x>"}]
    odd += [{"code": seat.code, "key": seat.key, "on": "yes", "lesson": "span", "step": -1}]
    for value in (*ODD, *odd):
        update = quick(frame, name, value)
        assert (update.message or {}).get("text") != UNEXPECTED, str(value)[:80]


def test_odd_seats_of_a_guess_are_answered(frame: Frame, screen: Screen) -> None:
    for room in [*ODD, {"code": "x", "key": "y"}]:
        update = sent(frame, screen, "guess", {**PLACE, "guess": "copies", "room": room})
        assert (update.message or {}).get("text") != UNEXPECTED
        assert update.refused == (room is not None)


def test_a_look_says_why_there_is_no_room(rooms: Rooms) -> None:
    assert "there is no room 'ZZZZZ'" in looker(rooms)("ZZZZZ", "")["gone"]
    seat = rooms.open()
    assert "not in the room" in looker(rooms)(seat.code, "x" * 10_000)["gone"]
    assert looker(rooms)(seat.code, seat.key)["teacher"]
    assert Seat(seat.code, seat.key) == seat


def test_a_server_without_rooms_offers_none() -> None:
    frame = framed(None)
    assert not [name for name in frame.inputs.get(KEY, {}) if name.startswith("room")]
    assert '"rooms":false' in frame.outputs.parts[f"picture:{KEY}"].value


def test_a_class_is_asked_before_and_after(frame: Frame, rooms: Rooms) -> None:
    teacher = seat_of(quick(frame, "room_open", True))
    student = seat_of(quick(frame, "room_join", teacher))
    told = {}
    for moment in ("before", "after"):
        quick(frame, "room_quiz", {**teacher, "moment": moment})
        look = looker(rooms)(student["code"], student["key"])["quiz"]
        assert (look["moment"], look["form"]) == (moment, form(teacher["code"], moment))
        asked = quick(frame, "task_open", {"what": "quiz", "form": look["form"]})
        items = asked.pictures[KEY]["quiz"]["items"]
        assert len(items) == 9 and "solution" not in str(items) and "right" not in items[0]
        answers = [0] * 9 if moment == "before" else [told_right(look["form"], k) for k in range(9)]
        value = {"form": look["form"], "answers": answers, "moment": moment, "room": student}
        told[moment] = quick(frame, "task_done", value).pictures[KEY]["marked"]
    assert told["before"].keys() == {"form", "counted"}, "what is right comes after the lessons"
    assert told["after"]["points"] == 9
    quick(frame, "room_quiz", {**teacher, "moment": None})
    value["answers"] = [None] * 9
    late = quick(frame, "task_done", value).pictures[KEY]["marked"]
    assert late == {"form": value["form"], "counted": False}
    found = quick(frame, "room_results", teacher).pictures[KEY]["results"]
    assert [row[4:] for row in found["quiz"]["rows"]] == [["1", "1"]] * 9
    before = sum(int(row[2]) for row in found["quiz"]["rows"])
    assert f"on average +{9 - before}.00 of 9 items right. One student gives" in found["gain"]
    assert quick(frame, "room_results", student).refused


def told_right(form: str, item: int) -> int:
    """The right option of an item, as one who was marked alone is told."""
    return marked(form, [None] * 9)[1][item]["right"]


def test_homework_is_checked_one_by_one(frame: Frame) -> None:
    drawn = quick(frame, "task_open", {"what": "homework", "seed": "spring/3"}).pictures[KEY]
    items = drawn["homework"]["items"]
    assert len(items) == 10 and not [one for one in items if "solution" in one or "answer" in one]
    for one in items:
        task = {"seed": "spring/3", "kind": one["kind"]}

        def check(guess: Any, task: dict[str, str] = task) -> dict[str, Any]:
            return quick(frame, "task_check", {**task, "guess": guess}).pictures[KEY]["checked"]

        wrong = check("99999")
        assert wrong["right"] is False and wrong["solution"] is wrong["answer"] is None
        shown = check(None)
        assert shown["right"] is None and shown["solution"]
        assert check(shown["answer"])["right"] is True
    assert quick(frame, "task_check", {**task, "guess": "one half"}).refused


def test_the_plans_on_the_page_are_those_of_the_document(frame: Frame) -> None:
    plans = quick(frame, "task_open", {"what": "plans"}).pictures[KEY]["plans"]
    document = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    assert len(plans["sheets"]) == 5 and not plans["faults"]
    for sheet in plans["sheets"]:
        assert f"### {sheet['title']}" in document
        for row in sheet["rows"]:
            assert "| " + " | ".join(row).replace("\n", "<br>") + " |" in document
