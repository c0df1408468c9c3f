"""Rooms: what each page may know, who may do what, restarts, bounds."""

import re
from unittest.mock import Mock

import pytest

from qa_demo.core.base import BadInput
from qa_demo.lessons import rooms as module
from qa_demo.lessons.rooms import LETTERS, UNSURE, Act, Rooms, acted, code_of, invite
from qa_demo.lessons.served import Lessons, Question
from qa_demo.records import read
from tests.chapters.given import full
from tests.lessons.test_lessons import GOOD, written

PLACE = ("01-span", 1)


@pytest.fixture
def made():
    clock = Mock(return_value=0.0)
    rooms = Rooms(clock)
    teacher = rooms.open()
    students = [rooms.join(f" {teacher.code.lower()} ") for _ in range(3)]
    rooms.move(teacher, place=PLACE, state={"example": "gold"})
    return rooms, teacher, students, clock


def test_guesses_are_counted_and_what_is_right_is_told_after_the_reveal_alone(made):
    rooms, teacher, (a, b, c), _ = made
    assert re.fullmatch(f"[{LETTERS}]{{5}}", teacher.code)
    for page, words in ((a, "Bo"), (a, "Ada"), (b, "Bo"), (c, UNSURE)):  # a page's newest counts
        assert rooms.vote(page, place=PLACE, words=words, right=words == "Ada")
    assert not rooms.vote(a, place=("01-span", 2), words="Bo", right=False)
    assert rooms.join(teacher.code, b.key) == b, "who comes again is the same page"
    look = rooms.look(teacher)
    assert (look["here"], look["guesses"], look["bars"]) == (3, 3, None)
    rooms.show(teacher, on=True)
    bars = [("Ada", 1, False), ("Bo", 1, False), (UNSURE, 1, False)]
    assert rooms.look(teacher)["bars"] == bars and rooms.look(a)["bars"] is None
    with pytest.raises(BadInput, match="your teacher reveals"):
        rooms.reveal(a, place=PLACE, right="Ada")
    rooms.reveal(teacher, place=PLACE, right="Ada")
    assert rooms.look(a)["bars"] == [("Ada", 1, True), *bars[1:]]
    rooms.reveal(a, place=PLACE, right="Bo")  # a student's page may see it now, and sets nothing
    assert rooms.look(a)["bars"] == [("Ada", 1, True), *bars[1:]]
    assert not rooms.vote(b, place=PLACE, words="Ada", right=True)
    for place in (("01-span", 2), PLACE):  # and back
        rooms.move(teacher, place=place, state={})
    assert rooms.look(a)["bars"] == [("Ada", 1, True), *bars[1:]]


def test_of_many_guesses_the_last_are_one_bar_and_the_right_one_keeps_its_own(made):
    rooms, teacher, *_ = made
    for k in range(10):
        rooms.vote(rooms.join(teacher.code), place=PLACE, words=f"word {k}", right=k == 9)
    rooms.vote(rooms.join(teacher.code), place=PLACE, words=UNSURE, right=False)
    rooms.reveal(teacher, place=PLACE, right="nine")  # one of several that are right
    *bars, rest = rooms.look(teacher)["bars"]
    assert bars == [(f"word {k}", 1, k == 9) for k in (*range(8), 9)]
    assert rest == ("other guesses", 2, False)


def test_followers_see_the_newest_state_and_no_key_and_only_the_teachers_page_leads(made):
    rooms, teacher, (a, *_), _ = made
    before = rooms.look(a)
    assert (before["place"], before["state"]) == (PLACE, {"example": "gold"})
    rooms.move(teacher, place=None, state={"chapter": "loss"})
    after = rooms.look(a)
    assert after["version"] > before["version"] and after["state"] == {"chapter": "loss"}
    assert teacher.key not in str(after) + str(rooms.look(teacher))
    for act in (lambda: rooms.move(a, PLACE, {}), lambda: rooms.show(a, on=True)):
        with pytest.raises(BadInput, match="only the page that opened"):
            act()
    rooms.leave(a)
    assert rooms.look(teacher)["here"] == 2
    assert not rooms.vote(a, PLACE, "Bo", False)  # a page that is not in the room
    rooms.leave(teacher)
    assert rooms.look(a) == {"gone": True, "closed": True}


def test_after_a_restart_the_same_key_opens_the_same_code_and_no_other_does(made, monkeypatch):
    _, teacher, (a, *_), _ = made
    fresh = Rooms()
    assert fresh.look(teacher) == fresh.look(a) == {"gone": True, "closed": False}
    assert fresh.open(teacher.key) == teacher and fresh.open(teacher.key) == teacher
    assert fresh.join(teacher.code).code == teacher.code and code_of(a.key) != teacher.code
    with pytest.raises(BadInput, match="no key"):
        fresh.open("x")
    monkeypatch.setattr(module, "code_of", lambda key: teacher.code)
    with pytest.raises(BadInput, match="taken"):
        fresh.open()


def test_all_is_bounded(made, monkeypatch):
    rooms, teacher, (*_, stays), clock = made
    with pytest.raises(BadInput, match="no room 'NOPE'"):
        rooms.join("nope")
    monkeypatch.setattr(module, "MOST_PAGES", 3)
    with pytest.raises(BadInput, match="full: 3 pages"):
        rooms.join(teacher.code)
    clock.return_value = 40.0  # the three have not asked for a while: one makes room
    assert rooms.vote(stays, PLACE, words="Ada", right=True)
    for page in map(rooms.join, [teacher.code] * 9):  # one that comes, guesses and goes
        assert rooms.vote(page, PLACE, words="Bo", right=False)
        rooms.leave(page)
    rooms.show(teacher, on=True)
    assert not rooms.look(stays).get("gone") and (look := rooms.look(teacher))
    assert look["bars"] == [("Bo", 2, False), ("Ada", 1, False)]
    assert (look["here"], look["guesses"]) == (1, 3), "of those that were there one asked anew"
    monkeypatch.setattr(module, "MOST_ROOMS", 1)
    with pytest.raises(BadInput, match="1 rooms are open"):
        rooms.open()
    monkeypatch.setattr(module, "MOST_ROOMS", 2)
    other = rooms.open()
    clock.return_value = 50.0
    rooms.look(other)
    rooms.leave(other)  # a closed room makes place first, though an open one is older
    assert (quiet := rooms.open()) and not rooms.look(teacher).get("gone")
    for clock.return_value in range(3600, int(module.LIFE), 3600):
        assert not rooms.look(teacher).get("gone"), "as long as its page asks"
    assert rooms.look(quiet)["gone"]
    clock.return_value = module.LIFE
    assert rooms.look(teacher)["gone"] and rooms.open()


ODD = [None, [], {}, {"act": "x", "code": "a", "key": "b"}, {"act": "open", "key": 1}]
ODD += [{"act": "move", "code": "A", "key": "B"}, {"act": "join", "code": "x" * 99}]
ODD += [{"act": "invite", "code": "A", "base": ["x"]}, {"act": "join", "code": 5}, {"act": "join"}]


@pytest.mark.parametrize("asked", ODD)
def test_what_is_asked_oddly_is_refused(asked):
    with pytest.raises(BadInput):
        acted(Rooms(), None, read(Act, asked))


def test_a_move_takes_states_and_short_places_alone():
    rooms = Rooms()
    seat = acted(rooms, None, Act(act="open"))
    good = {"act": "move", **seat, "place": ["hand", 1]}
    good["state"] = {"own": {"loss": {"x": "\ud800"}}}  # half a letter, which no answer could hold
    assert acted(rooms, None, read(Act, good)) == {}
    assert rooms.look(rooms.join(seat["code"]))["state"]["own"] == {"loss": {"x": "\ufffd"}}
    faults = [{"state": {"chapter": "x"}}, {"state": 1}, {"place": "x"}, {"place": ["x" * 41, 1]}]
    for wrong in (*faults, {"place": ["hand", True]}):
        with pytest.raises(BadInput):
            acted(rooms, None, read(Act, {**good, **wrong}))


def test_a_guess_is_judged_alone_and_counted_in_a_room_until_its_teacher_reveals(tmp_path):
    text = GOOD.replace("check: here\n", "").replace("{who}", "Ada")
    both = written(tmp_path, text), written(tmp_path, text, "next.md")
    lessons, rooms = Lessons(full(), both), Rooms()

    def told(**asked):
        return lessons.answer(rooms, read(Question, asked))

    here = {"lesson": "hand", "step": 1}
    menu, card = told()["lessons"], told(**here)
    assert menu[0] == {"id": "hand", "title": "Hand", "minutes": 3} and len(menu) == 2
    assert (card["heading"], card["of"], card["after"]) == ("One", 1, "next")
    with pytest.raises(BadInput, match="step must be 1 to 1 in this lesson, got 0"):
        told(lesson="hand", step=0)
    assert told(**here, guess="a")["right"] and told(**here, guess=None)["label"] == UNSURE
    teacher = rooms.open()
    student = rooms.join(teacher.code)
    rooms.move(teacher, place=("hand", 1), state={})
    assert told(**here, guess="b", room=student) == {"counted": True, "label": "Bo."}
    assert told(**here, guess=None, room=student) == {"counted": True, "label": UNSURE}
    with pytest.raises(BadInput, match="your teacher reveals"):
        told(**here, reveal=True, room=student)
    assert told(**here, reveal=True, room=teacher)["label"] == "Ada."
    assert rooms.look(student)["bars"] == [("Ada.", 0, True), (UNSURE, 1, False)]
    after = told(**here, guess="b", reveal=True, room=student)
    assert after["key"] == "a" and not after["verdict"]["right"]


@pytest.mark.parametrize("base", ["http://127.0.0.1:7860/", "http://localhost/", "http://[::1]:1/"])
def test_an_address_that_only_this_computer_reaches_has_no_qr_code(base):
    assert invite(base, "BCDFG") == {"address": base, "alone": True, "qr": None}
    for other in ("http://192.168.1.5:7860/", "http://[::1", "http://127.example/"):
        drawn = {invite(other, code)["qr"] for code in ("BCDFG", "BCDFH")}
        assert len(drawn) == 2 and all(qr.startswith("data:image/svg+xml") for qr in drawn)
