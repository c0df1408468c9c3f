"""The rooms of classes: a teacher's page opens one and moves it from step to step, the pages of
students join by its code and commit guesses.

Nothing is written anywhere and nobody is named: a page is known by the key that it was given. A
room is gone `QUIET` seconds after its teacher's page last asked, and at the latest `LIFE` seconds
after it was opened. Rooms, pages, steps and the lengths of all texts are bounded.
"""

import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from qa_demo.core.course.room_quiz import Moment, Sheet, outcome
from qa_demo.core.course.room_state import (
    MOST_LABEL,
    Ballot,
    Look,
    Place,
    Results,
    Room,
    Seat,
    StepGuesses,
    Vote,
    bars,
    text_name,
)
from qa_demo.core.errors import BadInput

QUIET = 2 * 3600.0
"""A closed lid for an hour closes no room, and a class of two double hours keeps its own."""
LIFE = 12 * 3600.0
SEEN = 30.0
"""Seconds after which a page that has not asked counts as gone."""
LEFT = -math.inf
"""When a page that gave its seat up was last here: in a full room it is the first to give way."""
DESERTED = 600.0
"""Seconds after which a room without its teacher gives way to a new one, where there are too many.
"""
MOST_ROOMS = 20
MOST_PAGES = 100
MOST_STEPS = 40
"""Steps of one room whose guesses are kept, the newest ones."""
LETTERS = "BCDFGHJKMNPQRTVWXZ346789"
"""No vowels, so that no code is a word, and no signs that look alike."""
CODE = 5
PIN = 6


def new_code() -> str:
    """A code to be read aloud and typed."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE))


def new_key() -> str:
    """96 random bits."""
    return secrets.token_urlsafe(12)


class Rooms:
    """All rooms of this server; every method may be called from any thread. `clock` counts seconds
    and never goes back.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, code: Callable[[], str] = new_code
    ) -> None:
        self._clock, self._code = clock, code
        self._rooms: dict[str, Room] = {}
        self._lock = threading.Lock()

    def open(self) -> Seat:
        """A new room. Errors: BadInput when there are `MOST_ROOMS` with their teachers."""
        with self._swept() as now:
            if len(self._rooms) >= MOST_ROOMS:
                oldest = min(self._rooms.values(), key=lambda room: room.at)
                if now - oldest.at < DESERTED:
                    raise BadInput(f"{MOST_ROOMS} rooms are open, and more there may not be")
                del self._rooms[oldest.code]
            code = next(c for c in iter(self._code, None) if c not in self._rooms)
            room = self._rooms[code] = Room(code, new_key(), now, now)
            return Seat(code, room.key)

    def join(self, code: str) -> Seat:
        """A student's page comes, or with a pin behind the code the teacher's second one. Errors:
        BadInput for no such room, or a full one.
        """
        with self._swept() as now:
            asked, _, pin = code.strip().upper().partition("-")
            room = self._room(asked)
            if pin:
                return self._led_by_pin(room, pin)
            if len(room.seen) >= MOST_PAGES:
                gone = [key for key, at in room.seen.items() if now - at >= SEEN]
                if not gone:
                    raise BadInput(f"the room {room.code} is full: {MOST_PAGES} pages are in it")
                self._forget(room, min(gone, key=room.seen.__getitem__))
            key = new_key()
            room.seen[key] = now
            return Seat(room.code, key)

    def leave(self, seat: Seat) -> None:
        """A student's page goes, what it handed in stays; the teacher's page closes the room."""
        with self._swept():
            room = self._member(seat)
            if seat.key == room.key:
                del self._rooms[room.code]
            else:
                room.seen[seat.key] = LEFT

    def move(
        self,
        seat: Seat,
        place: Place,
        options: Sequence[Vote] = (),
        text: tuple[str, str] | None = None,
    ) -> None:
        """The teacher opens a step; `options` are what it offers to choose from, `text` the
        teacher's own question and paragraph, None for the lesson's. What was guessed on another
        text is gone. Errors: BadInput for another page than the teacher's.
        """
        with self._swept() as now:
            room = self._led(seat)
            since, name = now - room.opened, text_name(text)
            ballot = room.ballots.pop(place, None)
            if ballot is None or ballot.text != name:
                ballot = Ballot(tuple(options), since, text=name)
            room.ballots[place] = ballot
            room.place, room.text = place, text
            while len(room.ballots) > MOST_STEPS:
                del room.ballots[next(iter(room.ballots))]

    def vote(self, seat: Seat, place: Place, vote: Vote) -> bool:
        """A page commits a guess, which replaces its earlier one. False where the class stands at
        another step or has seen the answer: then it is not counted.
        """
        with self._swept():
            room = self._member(seat)
            ballot = room.ballot()
            if room.place != place or ballot is None or ballot.revealed or seat.key == room.key:
                return False
            ballot.votes[seat.key] = Vote(vote.key[:MOST_LABEL], vote.label[:MOST_LABEL])
            return True

    def show(self, seat: Seat, on: bool = True) -> None:
        """The teacher looks at the bars before the reveal, or covers them again."""
        with self._swept():
            ballot = self._led(seat).ballot()
            if ballot is not None:
                ballot.shown = on

    def reveal(self, seat: Seat) -> None:
        """The teacher shows the answer: from now on no guess of this step changes."""
        with self._swept():
            ballot = self._led(seat).ballot()
            if ballot is not None:
                ballot.revealed = True

    def look(self, seat: Seat) -> Look:
        """What a page may know now; asking says that it is there."""
        with self._swept() as now:
            room = self._member(seat)
            teacher = seat.key == room.key
            if teacher:
                room.at = now
            else:
                room.seen[seat.key] = now
            ballot = room.ballot() or Ballot()
            seen = ballot.revealed or (teacher and ballot.shown)
            mine = ballot.votes.get(seat.key)
            return Look(
                teacher,
                room.place,
                ballot.revealed,
                bars(tuple(ballot.votes.values()), ballot.options) if seen else None,
                sum(now - at < SEEN for at in room.seen.values()) if teacher else None,
                len(ballot.votes) if teacher else None,
                room.handed() if teacher else None,
                None if mine is None else mine.label,
                room.quiz.look(room.code, seat.key, teacher),
                text_name(room.text),
            )

    def text(self, seat: Seat) -> tuple[str, str] | None:
        """The teacher's own question and paragraph, None where the step is read on its own."""
        with self._swept():
            return self._member(seat).text

    def quiz(self, seat: Seat, moment: Moment | None) -> None:
        """The teacher asks the quiz before or after the lessons, or ends it."""
        with self._swept():
            self._led(seat).quiz.moment = moment

    def answer_quiz(self, seat: Seat, moment: Moment, sheet: Sheet) -> bool:
        """A page hands in its quiz, which replaces its earlier one. False where the class is not
        asked at this moment: then it is not counted.
        """
        with self._swept():
            room = self._member(seat)
            if room.quiz.moment != moment or seat.key == room.key:
                return False
            room.quiz.sheets[moment][seat.key] = sheet
            return True

    def pin(self, seat: Seat) -> str:
        """A code that opens the teacher's part on another device, once; an older one is void."""
        with self._swept():
            room = self._led(seat)
            room.pin = "".join(secrets.choice(LETTERS) for _ in range(PIN))
            return f"{room.code}-{room.pin}"

    def results(self, seat: Seat) -> Results:
        """What the teacher takes home: guesses by step in the order of the lesson, and the quiz."""
        with self._swept():
            room = self._led(seat)
            steps = [
                StepGuesses(place, b.opened, bars(tuple(b.votes.values()), b.options))
                for place, b in sorted(room.ballots.items(), key=lambda item: item[1].opened)
                if b.votes
            ]
            code, pages, asked = room.code, len(room.seen), room.quiz.moment is not None
            return Results(code, pages, tuple(steps), asked, outcome(room.quiz))

    def count(self) -> int:
        """Rooms that are open now."""
        with self._swept():
            return len(self._rooms)

    # Under the lock

    @contextmanager
    def _swept(self) -> Iterator[float]:
        """Hold the lock on the rooms, without those that are over; gives the time."""
        with self._lock:
            now = self._clock()
            for code, room in list(self._rooms.items()):
                if now - room.at >= QUIET or now - room.opened >= LIFE:
                    del self._rooms[code]
            yield now

    def _room(self, code: str) -> Room:
        """Errors: BadInput."""
        asked = code.strip().upper()
        if asked not in self._rooms:
            raise BadInput(
                f"there is no room '{asked[:20]}'; a code has {CODE} letters and digits, and a "
                f"room closes {QUIET / 3600:g} hours after its teacher's page was last open"
            )
        return self._rooms[asked]

    def _member(self, seat: Seat) -> Room:
        room = self._room(seat.code)
        if seat.key != room.key and room.seen.get(seat.key, LEFT) == LEFT:
            raise BadInput(f"this page is not in the room {room.code}; join it by its code")
        return room

    def _led(self, seat: Seat) -> Room:
        room = self._room(seat.code)
        if seat.key != room.key:
            raise BadInput(f"only the page that opened the room {room.code} leads it")
        return room

    @staticmethod
    def _led_by_pin(room: Room, pin: str) -> Seat:
        """The teacher's seat for who has the pin; each holds once, right or wrong."""
        wanted, room.pin = room.pin, ""
        if not wanted or not secrets.compare_digest(pin.encode(), wanted.encode()):
            raise BadInput(
                f"this key does not open the teacher's part of the room {room.code}; a key holds "
                f"once, so the teacher's page has to show a new one"
            )
        return Seat(room.code, room.key)

    @staticmethod
    def _forget(room: Room, key: str) -> None:
        del room.seen[key]
        for ballot in room.ballots.values():
            ballot.votes.pop(key, None)
        room.quiz.forget(key)
