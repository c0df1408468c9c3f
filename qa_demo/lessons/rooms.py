"""The rooms of classes: a teacher's page opens one, the pages of students join by its code, follow
what the teacher shows, and commit guesses.

Nothing is written and nobody is named: a page is known by the key that it was given. The code is
computed from the teacher's key, so after a restart of the server only that page opens the same room
again. All is bounded: rooms, pages, steps, lengths and time.
"""

import hashlib
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import segno
from pydantic import BaseModel, StringConstraints

from qa_demo.core.base import BadInput
from qa_demo.state import Int, dump, load

QUIET, LIFE = 2 * 3600.0, 12 * 3600.0
"""Seconds after which a room is gone: since its teacher's page last asked, since it was opened."""
SEEN, DESERTED = 30.0, 600.0
"""Seconds after which a page counts as away, and a room without its teacher makes room."""
MOST_ROOMS, MOST_PAGES, MOST_STEPS, MOST_BARS, MOST_LABEL = 20, 100, 60, 8, 120
LETTERS = "BCDFGHJKMNPQRTVWXZ346789"
"""No vowels, so that no code is a word, and no signs that look alike."""
CODE, KEY = 5, 22
UNSURE = "I don't know"
Short = Annotated[str, StringConstraints(max_length=40)]
Place = tuple[str, int]
"""A lesson and a step."""


class Seat(BaseModel):
    """A page in a room, and the key that it was given."""

    code: Short = ""
    key: Short = ""


class Act(Seat):
    """What a page does in a room: `base`: the address that it stands at; `on`: whether the bars are
    shown; `place` and `state`: what the teacher shows.
    """

    act: Literal["open", "join", "invite", "leave", "show", "move"]
    base: Annotated[str, StringConstraints(max_length=300)] = ""
    on: bool = False
    place: tuple[Short, Int] | None = None
    state: Any = None


def code_of(key: str) -> str:
    """The code of a teacher's key; slow, so that nobody tries keys until one has a given code."""
    made = hashlib.scrypt(key.encode(), salt=b"a room of Spanlight", n=2**14, r=8, p=1, dklen=8)
    number = int.from_bytes(made)
    return "".join(LETTERS[number // len(LETTERS) ** k % len(LETTERS)] for k in range(CODE))


@dataclass
class Ballot:
    """The newest guess of each page at one step, (words, right); `right`: the words of the right
    guess once it is revealed; `shown`: the teacher looks at the bars.
    """

    votes: dict[str, tuple[str, bool]] = field(default_factory=dict)
    shown: bool = False
    right: str | None = None

    def bars(self) -> list[tuple[str, int, bool]]:
        """(words, guesses, right), most frequent first, the rest as one; what is right is told
        after the reveal alone, and the right one then has a bar without a guess too.
        """
        counts = Counter(words for words, _ in self.votes.values())
        right = set[str]()
        if self.right is not None:
            right = {words for words, yes in self.votes.values() if yes} or {self.right}
            counts.update(dict.fromkeys(right - {""}, 0))
        order = sorted(counts, key=lambda words: (words == UNSURE, -counts[words], words))
        kept = [words for k, words in enumerate(order) if k < MOST_BARS or words in right]
        found = [(words, counts[words], words in right) for words in kept]
        rest = counts.total() - sum(n for _, n, _ in found)
        return [*found, *([("other guesses", rest, False)] if rest else [])]


@dataclass
class Room:
    """`state` and `place` are the teacher's newest; `version` grows with them from a number that no
    earlier room of this code had; `seen` and `at`: when each student's page and the teacher's last
    asked; `closed`: by its teacher.
    """

    code: str
    key: str
    opened: float
    at: float
    version: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    state: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    seen: dict[str, float] = field(default_factory=dict)
    ballots: dict[Place, Ballot] = field(default_factory=dict)
    closed: bool = False

    def led_by(self, seat: Seat) -> bool:
        """Whether this is the teacher's page."""
        return secrets.compare_digest(seat.key.encode(), self.key.encode())

    def ballot(self, place: Place | None) -> Ballot | None:
        """The guesses at a step, where the class stands there."""
        return self.ballots.get(place) if place is not None and place == self.place else None


class Rooms:
    """All rooms of this server. `clock` counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._rooms = dict[str, Room]()

    def open(self, key: str = "") -> Seat:
        """A new room, or with a teacher's key its own again. Errors: BadInput for too many."""
        if key and not (len(key) == KEY and key.isascii()):
            raise BadInput("this is no key of a room")
        key = key or secrets.token_urlsafe(16)
        seat = Seat(code=code_of(key), key=key)
        with self._swept(seat.code) as (now, known):
            if known is None or known.closed:
                if len(self._rooms) >= MOST_ROOMS:
                    oldest = min(self._rooms.values(), key=lambda room: (not room.closed, room.at))
                    if now - oldest.at < DESERTED and not oldest.closed:
                        raise BadInput(f"{MOST_ROOMS} rooms are open, and more there may not be")
                    del self._rooms[oldest.code]
                self._rooms[seat.code] = Room(seat.code, key, now, now)
            elif not known.led_by(seat):  # another key has the same code
                raise BadInput("this code is taken; press again")
        return seat

    def join(self, code: str, key: str = "") -> Seat:
        """A student's page comes, or by its key again. Errors: BadInput for none or a full one."""
        with self._swept() as (now, _):
            room = self._room(code)
            seat = Seat(code=room.code, key=key or secrets.token_urlsafe(16))
            if seat.key not in room.seen and len(room.seen) >= MOST_PAGES:
                quietest = min(room.seen, key=room.seen.__getitem__)
                if now - room.seen[quietest] < SEEN:
                    raise BadInput(f"the room {room.code} is full: {MOST_PAGES} pages are in it")
                del room.seen[quietest]
            room.seen[seat.key] = now
            return seat

    def leave(self, seat: Seat) -> None:
        """A student's page goes, its guesses stay; the teacher's page closes the room."""
        with self._swept(seat.code) as (_, room):
            if room:
                room.closed |= room.led_by(seat)
                room.seen.pop(seat.key, None)

    def move(self, seat: Seat, place: Place | None, state: dict[str, Any]) -> None:
        """What the teacher's page shows now. Errors: BadInput for another page."""
        with self._led(seat) as room:
            room.place, room.state, room.version = place, state, room.version + 1
            if place is not None:
                room.ballots[place] = room.ballots.pop(place, Ballot())
                while len(room.ballots) > MOST_STEPS:
                    del room.ballots[next(iter(room.ballots))]

    def show(self, seat: Seat, on: bool) -> None:
        """The teacher looks at the bars, or covers them again. Errors: BadInput."""
        with self._led(seat) as room:
            if ballot := room.ballot(room.place):
                ballot.shown = on

    def vote(self, seat: Seat, place: Place, words: str, right: bool) -> bool:
        """A student's guess, which replaces the page's earlier one. False where the class stands
        elsewhere or has seen the answer: then it is not counted.
        """
        with self._swept(seat.code) as (_, room):
            ballot = room and seat.key in room.seen and room.ballot(place)
            if not (room and ballot) or ballot.right is not None:
                return False
            ballot.votes[seat.key] = words[:MOST_LABEL], right
            if len(ballot.votes) > MOST_PAGES:  # pages come and go, and their guesses stay
                del ballot.votes[next(key for key in ballot.votes if key not in room.seen)]
            return True

    def reveal(self, seat: Seat, place: Place, right: str) -> None:
        """Note the teacher's reveal, after which no guess of the step changes; a student's page is
        refused until then. Errors: BadInput.
        """
        with self._swept(seat.code) as (_, room):
            ballot = room and room.ballot(place)
            if room and room.led_by(seat):
                room.ballots.setdefault(place, Ballot()).right = right[:MOST_LABEL]
            elif room and seat.key in room.seen and ballot and ballot.right is None:
                raise BadInput("your teacher reveals this step")

    def look(self, seat: Seat) -> dict[str, Any]:
        """What a page may know now; asking says that it is there. `gone`: there is no such room,
        or this page is not in it; `closed`: its teacher closed it.
        """
        with self._swept(seat.code) as (now, room):
            if not room or room.closed or not (room.led_by(seat) or seat.key in room.seen):
                return {"gone": True, "closed": bool(room and room.closed)}
            ballot, teacher = room.ballot(room.place) or Ballot(), room.led_by(seat)
            revealed = ballot.right is not None
            bars = ballot.bars() if revealed or (teacher and ballot.shown) else None
            found: dict[str, Any] = {"version": room.version, "place": room.place}
            found |= {"revealed": revealed, "bars": bars}
            if not teacher:
                room.seen[seat.key] = now
                return {**found, "state": room.state}
            room.at = now
            here = sum(now - at < SEEN for at in room.seen.values())
            return {**found, "here": here, "guesses": len(ballot.votes), "shown": ballot.shown}

    # ---- under the lock

    @contextmanager
    def _swept(self, code: str = "") -> Iterator[tuple[float, Room | None]]:
        """Hold the lock on the rooms, without those that are over; the time, and a code's room."""
        with self._lock:
            now = self._clock()
            for room in list(self._rooms.values()):
                if now - room.at >= QUIET or now - room.opened >= LIFE:
                    del self._rooms[room.code]
            yield now, self._rooms.get(code)

    def _room(self, code: str) -> Room:
        """Errors: BadInput."""
        asked = code.strip().upper()
        room = self._rooms.get(asked)
        if room is None or room.closed:
            raise BadInput(f"there is no room {asked[:20]!r}; a code has {CODE} letters and digits")
        return room

    @contextmanager
    def _led(self, seat: Seat) -> Iterator[Room]:
        """The room of its teacher's page. Errors: BadInput."""
        with self._swept():
            room = self._room(seat.code)
            if not room.led_by(seat):
                raise BadInput(f"only the page that opened the room {room.code} leads it")
            yield room


def acted(rooms: Rooms, others: str | None, asked: Act) -> dict[str, Any]:
    """What a page does in a room. Errors: BadInput."""
    match asked.act:
        case "open":
            shown = dump(load(asked.state or {}))
            seat = rooms.open(asked.key)
            rooms.move(seat, asked.place, shown)  # whoever comes at once follows at once
            return seat.model_dump()
        case "join":
            return rooms.join(asked.code, asked.key).model_dump()
        case "invite":
            return invite(others or asked.base, asked.code)
        case "leave":
            rooms.leave(asked)
        case "show":
            rooms.show(asked, asked.on)
        case "move":
            rooms.move(asked, asked.place, dump(load(asked.state)))
    return {}


def invite(base: str, code: str) -> dict[str, Any]:
    """The address that others type, and with the code behind it as a QR code; no QR for an address
    that only this computer reaches.
    """
    alone = bool(re.match(r"https?://(localhost|127\.[\d.]+|\[::1\])[:/]", base))
    made = segno.make(f"{base}?room={code}", error="m", micro=False)
    qr = None if alone else made.svg_data_uri(scale=4, border=4, light="white")
    return {"address": base, "alone": alone, "qr": qr}
