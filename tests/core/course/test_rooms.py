"""A room by hand, any sequence of events against a plain model of it, and what is refused."""

import random
from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qa_demo.core.course.room_quiz import FORMS, Quiz, Sheet, form, outcome, pairs
from qa_demo.core.course.room_state import MOST_BARS, MOST_LABEL, OTHERS, Place, Seat, Vote, bars
from qa_demo.core.course.rooms import (
    CODE,
    DESERTED,
    LETTERS,
    LIFE,
    MOST_PAGES,
    MOST_ROOMS,
    MOST_STEPS,
    QUIET,
    SEEN,
    Rooms,
)
from qa_demo.core.errors import BadInput

HERE, NEXT = Place("span", 1), Place("span", 2)
YES, NO = Vote("yes", "Yes."), Vote("no", "No.")


class Clock:
    """A clock that the test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rooms(clock: Clock) -> Rooms:
    return Rooms(clock)


def test_a_lesson_of_two(rooms: Rooms) -> None:
    teacher = rooms.open()
    assert len(teacher.code) == CODE and set(teacher.code) <= set(LETTERS)
    anna, bertil = rooms.join(f" {teacher.code.lower()} "), rooms.join(teacher.code)
    assert len({teacher.key, anna.key, bertil.key}) == 3
    rooms.move(teacher, HERE, [YES, NO])
    assert rooms.vote(anna, HERE, YES) and rooms.vote(anna, HERE, NO), "a guess may be changed"
    assert rooms.look(anna).mine == "No." and not rooms.look(anna).teacher
    rooms.show(teacher)
    led = rooms.look(teacher)
    assert led.teacher and led.bars == (("Yes.", 0), ("No.", 1))
    rooms.reveal(teacher)
    assert rooms.look(bertil).revealed and not rooms.vote(bertil, HERE, YES), "nothing changes now"
    rooms.leave(teacher)
    assert rooms.count() == 0
    with pytest.raises(BadInput, match="there is no room"):
        rooms.look(anna)


def test_a_room_in_use_stays_and_one_that_its_teacher_left_goes(rooms: Rooms, clock: Clock) -> None:
    teacher = rooms.open()
    student = rooms.join(teacher.code)
    clock.now += QUIET - 1
    assert rooms.look(teacher).here == 0, "a page that has not asked for long is not here"
    clock.now += QUIET - 1
    # the teacher's page counts, not the time since opening
    assert rooms.look(student).place is None
    clock.now += 1
    for seat in (teacher, student):
        with pytest.raises(BadInput, match=r"2 hours after its teacher's page was last open"):
            rooms.look(seat)
    assert rooms.count() == 0
    forgotten = rooms.open()
    for _ in range(int(LIFE // 3600) - 1):
        clock.now += 3600
        rooms.look(forgotten)
    clock.now += 3600
    assert rooms.count() == 0, "a page that is left open for a day keeps no room"


def test_rooms_and_pages_are_bounded(rooms: Rooms, clock: Clock) -> None:
    opened = [rooms.open() for _ in range(MOST_ROOMS)]
    with pytest.raises(BadInput, match=f"{MOST_ROOMS} rooms are open"):
        rooms.open()
    clock.now += DESERTED
    for seat in opened[1:]:
        rooms.look(seat)
    rooms.open()  # in the place of the one whose teacher has gone
    with pytest.raises(BadInput, match="there is no room"):
        rooms.look(opened[0])
    full = opened[1]
    first = rooms.join(full.code)
    for _ in range(MOST_PAGES - 1):
        rooms.join(full.code)
    with pytest.raises(BadInput, match=f"is full: {MOST_PAGES} pages"):
        rooms.join(full.code)
    rooms.move(full, HERE)
    assert rooms.vote(first, HERE, YES)
    rooms.leave(first)
    assert rooms.look(full).committed == 1
    late = rooms.join(full.code)  # in the place of the one that has left, at once
    assert rooms.look(full).committed == 0
    clock.now += SEEN
    rooms.join(full.code)
    assert rooms.look(late).place == HERE, "the page that was here last is the last to go"


def test_only_the_teacher_leads(rooms: Rooms) -> None:
    teacher = rooms.open()
    student, stranger = rooms.join(teacher.code), Seat(teacher.code, "guessed")
    for seat in (student, stranger):
        for act in (rooms.show, rooms.reveal, lambda s: rooms.move(s, HERE)):
            with pytest.raises(BadInput, match="only the page that opened the room"):
                act(seat)
    for act in (rooms.look, rooms.leave, lambda s: rooms.vote(s, HERE, YES)):
        with pytest.raises(BadInput, match="this page is not in the room"):
            act(stranger)
    rooms.move(teacher, HERE)
    assert not rooms.vote(teacher, HERE, YES), "the teacher's page is not of the class"


def test_steps_and_texts_are_bounded(rooms: Rooms) -> None:
    teacher = rooms.open()
    student = rooms.join(teacher.code)
    rooms.move(teacher, HERE)
    assert rooms.vote(student, HERE, Vote("k" * 500, "l" * 500))
    assert rooms.look(student).mine == "l" * MOST_LABEL
    for step in range(MOST_STEPS):
        rooms.move(teacher, Place("long", step))
    rooms.move(teacher, HERE)
    assert rooms.look(student).mine is None, "the oldest step is forgotten"


def test_bars_keep_the_options_in_order_and_gather_the_rest() -> None:
    assert bars([NO, NO], [YES, NO]) == (("Yes.", 0), ("No.", 2))
    free = [Vote(str(k), f"word {k}") for k in range(12) for _ in range(k + 1)]
    found = bars(free)
    assert len(found) == MOST_BARS and found[0] == ("word 11", 12) and found[-1][0] == OTHERS
    assert sum(n for _, n in found) == len(free)


ACTS = st.sampled_from(["join", "vote", "move", "reveal", "show", "leave", "wait", "look"])
EVENTS = st.lists(st.tuples(ACTS, st.integers(0, 5), st.integers(0, 2)), max_size=60)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(EVENTS)
def test_any_sequence_agrees_with_a_plain_model(events: list[tuple[str, int, int]]) -> None:
    """The model: a list of (page, step, guess), the newest of each page and step counts."""
    clock, codes = Clock(), count()
    rooms = Rooms(clock, lambda: f"R{next(codes)}")
    teacher = rooms.open()
    pages: list[Seat] = []
    log: list[tuple[str, int, str]] = []
    at, revealed, shown, closes = None, set(), set(), clock.now + LIFE
    for act, who, what in events:
        page = pages[who % len(pages)] if pages else None
        if act == "wait":
            clock.now += (before := (1.0, 3000.0, QUIET)[what])
        else:
            before = 0.0
        if before >= QUIET or clock.now >= closes:
            assert rooms.count() == 0
            for seat in (teacher, *pages):
                with pytest.raises(BadInput):
                    rooms.look(seat)
            return
        if act == "join":
            pages.append(rooms.join(teacher.code))
        elif act == "move":
            at = what
            rooms.move(teacher, Place("a", what))
        elif act == "reveal":
            rooms.reveal(teacher)
            revealed |= {at} - {None}
        elif act == "show":
            rooms.show(teacher, who % 2 == 0)
            shown = (shown | {at}) if who % 2 == 0 else shown - {at}
        elif act == "vote" and page is not None:
            counted = rooms.vote(page, Place("a", what), Vote(str(who), str(who)))
            assert counted == (at == what and what not in revealed)
            if counted:
                log.append((page.key, what, str(who)))
        elif act == "leave" and page is not None:
            rooms.leave(page)
            pages.remove(page)
        newest = {(key, step): guess for key, step, guess in log}
        wanted = Counter(guess for (_, step), guess in newest.items() if step == at)
        led = rooms.look(teacher)
        assert led.committed == wanted.total() and led.handed == bool(log)
        assert led.place == (None if at is None else Place("a", at))
        assert (led.bars is not None) == (at in revealed or at in shown - {None})
        if led.bars is not None:
            assert dict(led.bars) == dict(wanted)
        for one in pages:
            look = rooms.look(one)
            assert look.mine == newest.get((one.key, at))
            assert (look.here, look.committed, look.revealed) == (None, None, at in revealed)
            assert (look.bars is not None) == (at in revealed)
        assert led.here is not None and led.here <= len(pages)


def sheet(right: str, mark: str = "") -> Sheet:
    """ "110" has the first two items right."""
    return Sheet(tuple(letter == "1" for letter in right), mark)


def test_a_quiz_is_counted_at_its_moment_and_paired_by_page_or_mark(rooms: Rooms) -> None:
    teacher = rooms.open()
    anna, bertil, cecil = (rooms.join(teacher.code) for _ in range(3))
    assert not rooms.answer_quiz(anna, "before", sheet("111")), "nobody has asked yet"
    rooms.quiz(teacher, "before")
    look = rooms.look(anna).quiz
    assert (look.moment, look.done, look.handed) == ("before", False, None)
    assert rooms.answer_quiz(anna, "before", sheet("111"))
    assert rooms.answer_quiz(anna, "before", sheet("100")), "the newest counts"
    assert rooms.answer_quiz(bertil, "before", sheet("010", "b"))
    assert rooms.answer_quiz(cecil, "before", sheet("000", "c"))
    assert not rooms.answer_quiz(teacher, "before", sheet("111"))
    assert not rooms.answer_quiz(anna, "after", sheet("111"))
    assert rooms.look(anna).quiz.done and rooms.look(teacher).quiz.handed == (3, 0)
    rooms.quiz(teacher, "after")
    asked = rooms.look(anna).quiz
    assert not asked.done and asked.form != look.form and {asked.form, look.form} <= set(FORMS)
    late = rooms.join(teacher.code)  # Bertil on another page, known by his mark
    assert rooms.answer_quiz(anna, "after", sheet("110"))
    assert rooms.answer_quiz(late, "after", sheet("111", "b"))
    found = rooms.results(teacher).quiz
    assert found is not None
    assert (found.before, found.after, found.sheets) == ((1, 1, 0), (2, 2, 1), (3, 2))
    assert found.pairs == 2 and found.gain is not None
    assert found.gain.value == ((2 - 1) + (3 - 1)) / 2
    assert found.gain.low is not None and found.gain.high is not None
    assert 1 <= found.gain.low <= found.gain.value <= found.gain.high <= 2
    rooms.leave(anna)
    with pytest.raises(BadInput, match="not in the room"):
        rooms.look(anna)
    gone = rooms.results(teacher)
    assert (gone.quiz, gone.pages, rooms.look(teacher).here) == (found, 4, 3), "her sheets stay"


def test_a_page_is_paired_with_itself_and_a_mark_with_its_other_page() -> None:
    quiz = Quiz()
    before, after = quiz.sheets["before"], quiz.sheets["after"]
    before |= {"1": sheet("1", "x"), "2": sheet("0", "x"), "3": sheet("0"), "4": sheet("1", "y")}
    after |= {"1": sheet("1", "x"), "3": sheet("1", "z"), "4": sheet("0", "w")}
    after |= {"5": sheet("1", "x"), "6": sheet("0", "y")}
    # 1 and 3 by page; of two marks x one is left, so 2 goes with 5; 4 was shared, so y goes with 6
    found = pairs(before, after)
    assert [(sum(a.right), sum(b.right)) for a, b in found] == [(1, 1), (0, 1), (0, 1), (1, 0)]
    before["7"] = sheet("1", "x")  # now two are left with the mark x, which pairs nobody
    assert len(pairs(before, after)) == 3


def test_before_the_second_quiz_there_is_no_gain() -> None:
    quiz = Quiz()
    assert outcome(quiz) is None
    quiz.sheets["before"] = {"3": sheet("0")}
    alone = outcome(quiz)
    assert alone is not None and (alone.pairs, alone.gain, alone.after) == (0, None, ())
    quiz.sheets["after"] = {"3": sheet("1")}
    one = outcome(quiz)
    assert one is not None and one.gain is not None
    assert (one.gain.value, one.gain.low) == (1.0, None), "one student gives no interval"


def test_the_interval_of_a_gain_is_that_of_a_plain_bootstrap() -> None:
    rng = random.Random(3)
    gains = [rng.randint(-2, 6) for _ in range(40)]
    quiz = Quiz()
    for k, gain in enumerate(gains):
        quiz.sheets["before"][str(k)] = sheet("1" * 2 + "0" * 7)
        quiz.sheets["after"][str(k)] = sheet("1" * (2 + gain) + "0" * (7 - gain))
    found = outcome(quiz)
    assert found is not None and found.gain is not None
    means = sorted(sum(rng.choices(gains, k=40)) / 40 for _ in range(4000))
    assert found.gain.value == pytest.approx(sum(gains) / 40)
    assert found.gain.low == pytest.approx(means[100], abs=0.15)
    assert found.gain.high == pytest.approx(means[3900], abs=0.15)


def test_every_room_asks_another_form_after_the_lessons() -> None:
    for code in ("BCDFG", "HJKMN", "34678", "XZ346"):
        assert form(code, "before") != form(code, "after")


def test_a_pin_opens_the_second_device_once(rooms: Rooms) -> None:
    teacher = rooms.open()
    student = rooms.join(teacher.code)
    with pytest.raises(BadInput, match="leads it"):
        rooms.pin(student)
    old, new = rooms.pin(teacher), rooms.pin(teacher)
    for wrong in (old, new, f"{teacher.code}-X"):  # a wrong try uses up the pin that holds
        with pytest.raises(BadInput, match="a key holds once"):
            rooms.join(wrong)
    assert not rooms.look(rooms.join(f"{teacher.code}-")).teacher
    second = rooms.join(rooms.pin(teacher).lower())
    assert second == teacher and rooms.look(second).teacher
    rooms.move(second, HERE, [YES])
    assert rooms.look(student).place == HERE


def test_the_results_hold_the_guesses_in_the_order_of_the_lesson(
    rooms: Rooms, clock: Clock
) -> None:
    teacher = rooms.open()
    student = rooms.join(teacher.code)
    clock.now += 60
    rooms.move(teacher, NEXT, [YES, NO])
    rooms.vote(student, NEXT, YES)
    clock.now += 60
    rooms.move(teacher, HERE, [YES, NO])
    rooms.vote(student, HERE, NO)
    clock.now += 60
    rooms.move(teacher, Place("span", 3), [YES])  # nobody guesses here
    found = rooms.results(teacher)
    assert [(s.place, s.opened) for s in found.steps] == [(NEXT, 60.0), (HERE, 120.0)]
    assert found.steps[0].bars == (("Yes.", 1), ("No.", 0)) and found.pages == 1
    with pytest.raises(BadInput, match="leads it"):
        rooms.results(student)


def test_a_class_reads_the_teachers_text_and_guesses_belong_to_it(rooms: Rooms) -> None:
    teacher, own = rooms.open(), ("Who came?", "Anna came.")
    student = rooms.join(teacher.code)
    rooms.move(teacher, HERE, [YES, NO])
    assert rooms.look(student).text == "" and rooms.text(student) is None
    assert rooms.vote(student, HERE, YES)
    rooms.move(teacher, HERE, [YES, NO], own)
    assert rooms.text(student) == own and rooms.look(student).mine is None
    first = rooms.look(student).text
    assert rooms.vote(student, HERE, NO)
    rooms.move(teacher, HERE, [YES, NO], own)
    assert rooms.look(student).mine == NO.label, "the same text: the guess stands"
    rooms.move(teacher, NEXT, text=("Who came?", "Bo came."))
    assert rooms.look(student).text not in ("", first)


def test_a_closed_lid_for_an_hour_a_late_page_and_two_rooms(rooms: Rooms, clock: Clock) -> None:
    teacher, other = rooms.open(), rooms.open()
    student = rooms.join(teacher.code)
    rooms.move(teacher, HERE, [YES, NO])
    assert rooms.vote(student, HERE, YES)
    clock.now += 3600
    assert rooms.look(teacher).here == 0, "nobody has asked for an hour"
    late = rooms.join(teacher.code)
    assert rooms.look(late).place == HERE and rooms.look(student).mine == YES.label
    assert rooms.vote(late, HERE, NO)
    assert (rooms.look(teacher).here, rooms.look(teacher).committed) == (2, 2)
    assert rooms.look(other).place is None and rooms.look(other).committed == 0
    with pytest.raises(BadInput, match="not in the room"):
        rooms.look(Seat(other.code, student.key))
