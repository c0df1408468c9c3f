"""The rooms of classes: a teacher's page opens one and moves it from step to step, the pages of
students join by its code and commit guesses.

Nothing is written anywhere and nobody is named: a page is known by the key that it was given. A
room is gone `LIFE` seconds after it was opened. Rooms, pages, steps and the lengths of all texts
are bounded.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from qa_demo.core.errors import BadInput

LIFE = 2 * 3600.0
SEEN = 30.0
"""Seconds after which a page that has not asked counts as gone."""
DESERTED = 600.0
"""Seconds after which a room without its teacher gives way to a new one, where there are too many.
"""
MOST_ROOMS = 20
MOST_PAGES = 100
MOST_STEPS = 40
"""Steps of one room whose guesses are kept, the newest ones."""
MOST_BARS = 8
MOST_LABEL = 80
LETTERS = "BCDFGHJKMNPQRTVWXZ346789"
"""No vowels, so that no code is a word, and no signs that look alike."""
CODE = 5
OTHERS = "other guesses"


@dataclass(frozen=True)
class Place:
    """A step of a lesson, by the lesson's id and the step's number."""

    lesson: str
    step: int


@dataclass(frozen=True)
class Vote:
    """One guess: equal guesses have equal keys; `label` is what stands beside their bar."""

    key: str
    label: str


@dataclass(frozen=True)
class Seat:
    """What a page keeps to be known again; `key` is a secret between it and the server."""

    code: str
    key: str


@dataclass(frozen=True)
class Look:
    """What one page may know of its room. `here` and `committed` are the teacher's, else None;
    `bars` are (label, guesses), None while they are not to be seen; `mine` the label of one's own
    guess.
    """

    teacher: bool
    place: Place | None
    revealed: bool
    bars: tuple[tuple[str, int], ...] | None
    here: int | None
    committed: int | None
    mine: str | None


@dataclass
class _Ballot:
    """The guesses at one step: the newest of each page."""

    options: tuple[Vote, ...] = ()
    votes: dict[str, Vote] = field(default_factory=dict)
    shown: bool = False
    revealed: bool = False


@dataclass
class _Room:
    """`seen` holds when each page of a student last asked; `at` when the teacher's did."""

    code: str
    key: str
    opened: float
    at: float
    place: Place | None = None
    seen: dict[str, float] = field(default_factory=dict)
    ballots: dict[Place, _Ballot] = field(default_factory=dict)

    def ballot(self) -> _Ballot | None:
        """The guesses at the step in hand."""
        return None if self.place is None else self.ballots[self.place]


def bars(votes: Sequence[Vote], options: Sequence[Vote] = ()) -> tuple[tuple[str, int], ...]:
    """(label, guesses): the options in their order, also those without a guess; then other guesses,
    most frequent first, at most `MOST_BARS` in all with the rest as one.
    """
    counts = Counter(vote.key for vote in votes)
    labels = {vote.key: vote.label for vote in [*reversed(votes), *options]}
    listed = [option.key for option in options]
    free = sorted((k for k in counts if k not in listed), key=lambda k: (-counts[k], labels[k], k))
    room = max(MOST_BARS - len(listed), 1)
    if len(free) > room:
        free, rest = free[: room - 1], free[room - 1 :]
    else:
        rest = []
    found = [(labels[key], counts[key]) for key in [*listed, *free]]
    return (*found, *([(OTHERS, sum(counts[key] for key in rest))] if rest else []))


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
        self._rooms: dict[str, _Room] = {}
        self._lock = threading.Lock()

    def open(self) -> Seat:
        """A new room. Errors: BadInput when there are `MOST_ROOMS` with their teachers."""
        with self._lock:
            now = self._swept()
            if len(self._rooms) >= MOST_ROOMS:
                oldest = min(self._rooms.values(), key=lambda room: room.at)
                if now - oldest.at < DESERTED:
                    raise BadInput(f"{MOST_ROOMS} rooms are open, and more there may not be")
                del self._rooms[oldest.code]
            code = next(c for c in iter(self._code, None) if c not in self._rooms)
            room = self._rooms[code] = _Room(code, new_key(), now, now)
            return Seat(code, room.key)

    def join(self, code: str) -> Seat:
        """A student's page comes. Errors: BadInput for no such room, or a full one."""
        with self._lock:
            now = self._swept()
            room = self._room(code)
            if len(room.seen) >= MOST_PAGES:
                gone = [key for key, at in room.seen.items() if now - at >= SEEN]
                if not gone:
                    raise BadInput(f"the room {room.code} is full: {MOST_PAGES} pages are in it")
                self._forget(room, min(gone, key=room.seen.__getitem__))
            key = new_key()
            room.seen[key] = now
            return Seat(room.code, key)

    def leave(self, seat: Seat) -> None:
        """A student's page goes, with its guesses; the teacher's page closes the room."""
        with self._lock:
            self._swept()
            room = self._member(seat)
            if seat.key == room.key:
                del self._rooms[room.code]
            else:
                self._forget(room, seat.key)

    def move(self, seat: Seat, place: Place, options: Sequence[Vote] = ()) -> None:
        """The teacher opens a step; `options` are what it offers to choose from. Errors: BadInput
        for another page than the teacher's.
        """
        with self._lock:
            self._swept()
            room = self._led(seat)
            ballot = room.ballots.pop(place, None) or _Ballot(tuple(options))
            room.ballots[place] = ballot
            room.place = place
            while len(room.ballots) > MOST_STEPS:
                del room.ballots[next(iter(room.ballots))]

    def vote(self, seat: Seat, place: Place, vote: Vote) -> bool:
        """A page commits a guess, which replaces its earlier one. False where the class stands at
        another step or has seen the answer: then it is not counted.
        """
        with self._lock:
            self._swept()
            room = self._member(seat)
            ballot = room.ballot()
            if room.place != place or ballot is None or ballot.revealed or seat.key == room.key:
                return False
            ballot.votes[seat.key] = Vote(vote.key[:MOST_LABEL], vote.label[:MOST_LABEL])
            return True

    def show(self, seat: Seat, on: bool = True) -> None:
        """The teacher looks at the bars before the reveal, or covers them again."""
        with self._lock:
            self._swept()
            ballot = self._led(seat).ballot()
            if ballot is not None:
                ballot.shown = on

    def reveal(self, seat: Seat) -> None:
        """The teacher shows the answer: from now on no guess of this step changes."""
        with self._lock:
            self._swept()
            ballot = self._led(seat).ballot()
            if ballot is not None:
                ballot.revealed = True

    def look(self, seat: Seat) -> Look:
        """What a page may know now; asking says that it is there."""
        with self._lock:
            now = self._swept()
            room = self._member(seat)
            teacher = seat.key == room.key
            if teacher:
                room.at = now
            else:
                room.seen[seat.key] = now
            ballot = room.ballot() or _Ballot()
            seen = ballot.revealed or (teacher and ballot.shown)
            mine = ballot.votes.get(seat.key)
            return Look(
                teacher,
                room.place,
                ballot.revealed,
                bars(tuple(ballot.votes.values()), ballot.options) if seen else None,
                sum(now - at < SEEN for at in room.seen.values()) if teacher else None,
                len(ballot.votes) if teacher else None,
                None if mine is None else mine.label,
            )

    def count(self) -> int:
        """Rooms that are open now."""
        with self._lock:
            self._swept()
            return len(self._rooms)

    # Under the lock

    def _swept(self) -> float:
        """Forget what is over; returns the time."""
        now = self._clock()
        for code in [c for c, room in self._rooms.items() if now - room.opened >= LIFE]:
            del self._rooms[code]
        return now

    def _room(self, code: str) -> _Room:
        """Errors: BadInput."""
        asked = code.strip().upper()
        if asked not in self._rooms:
            raise BadInput(
                f"there is no room '{asked[:20]}'; a code has {CODE} letters and digits, and a "
                f"room closes after {LIFE / 3600:g} hours"
            )
        return self._rooms[asked]

    def _member(self, seat: Seat) -> _Room:
        room = self._room(seat.code)
        if seat.key != room.key and seat.key not in room.seen:
            raise BadInput(f"this page is not in the room {room.code}; join it by its code")
        return room

    def _led(self, seat: Seat) -> _Room:
        room = self._room(seat.code)
        if seat.key != room.key:
            raise BadInput(f"only the page that opened the room {room.code} leads it")
        return room

    @staticmethod
    def _forget(room: _Room, key: str) -> None:
        del room.seen[key]
        for ballot in room.ballots.values():
            ballot.votes.pop(key, None)
