"""A class of thirty in a room: python -m tests.load.room [--pages 30] [--polls 60].

The page is started on this machine, with the bundled reader. One session leads a lesson through all
its steps; the others join, ask `/room` every two seconds as their pages do, follow, guess, change
their guess, and see the bars after the reveal. Printed are the times of every kind of event, what
one poll costs the server's processor, and what was lost or counted wrong; exit code 1 where
anything was. Not part of the suite.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from qa_demo.core.course.lessons import Lesson
from qa_demo.views.lessons.course import load
from tests.load.__main__ import client, page, told, wires
from tests.load.session import Record
from tests.load.visitor import Lost, Visitor, Wires

LESSON = "span"
EVERY = 2.0
TURNS = 60


class Member:
    """One page of the class."""

    def __init__(self, http: httpx.AsyncClient, known: Wires, record: Record) -> None:
        self._http, self._record = http, record
        self._visitor = Visitor(http, known)
        self.seat: dict[str, str] = {}

    async def event(self, name: str, value: Any, slow: bool = False) -> dict[str, Any]:
        """One event of the strip, timed; what the strip has learned by it."""
        began = time.perf_counter()
        send = self._visitor.begin if slow else self._visitor.send
        said = await send("lessons", name, value)
        if said is not None:
            raise Lost(f"{name} was refused: {said}")
        self._record.seconds.setdefault(name, []).append(time.perf_counter() - began)
        return dict(self._visitor.shown.get("lessons", {}))

    async def open(self) -> None:
        """Load the page."""
        await self._visitor.open()

    async def look(self) -> dict[str, Any]:
        """Ask for the room, as a page does every two seconds."""
        began = time.perf_counter()
        headers = {"x-room-key": self.seat["key"]}
        reply = await self._http.get("/room", params={"code": self.seat["code"]}, headers=headers)
        self._record.seconds.setdefault("poll", []).append(time.perf_counter() - began)
        return dict(reply.raise_for_status().json())

    async def sit(self, name: str, value: Any) -> None:
        """Open a room, or join one."""
        seat = (await self.event(name, value))["seat"]
        self.seat = {"code": seat["code"], "key": seat["key"]}

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Poll until the room stands so."""
        for _ in range(TURNS):
            look = await self.look()
            if wanted(look):
                return look
            await asyncio.sleep(EVERY)
        raise Lost(f"the room stayed at {look}")


async def student(member: Member, lesson: Lesson, number: int, record: Record) -> None:
    """Follow to the step in hand, as a page that comes late does too, and guess there."""
    at = -1
    while at < len(lesson.steps) - 1:
        place = (await member.until(partial(beyond, at)))["place"]
        at = place["step"]
        await member.event("open", place, slow=True)
        if lesson.steps[at].predict == "choice":
            await guess(member, lesson, place, number, record)


def beyond(at: int, look: dict[str, Any]) -> bool:
    """Whether the class stands behind this step."""
    return look["place"] is not None and look["place"]["step"] > at


async def guess(
    member: Member, lesson: Lesson, place: dict[str, Any], number: int, record: Record
) -> None:
    """Guess twice, and look at the bars."""
    keys = [option.key for option in lesson.steps[place["step"]].options]
    for key in (keys[(number + 1) % len(keys)], keys[number % len(keys)]):
        learned = await member.event(
            "guess", {**place, "guess": key, "room": member.seat}, slow=True
        )
        if "voted" not in learned:
            raise Lost(f"the guess {key} was not counted")
    look = await member.until(lambda look: look["place"] == place and look["revealed"])
    counts = [count for _, count in look["bars"]]
    if sum(counts) != record_pages(record):
        record.leaked.append(f"{place}: {counts} for {record_pages(record)} pages")


def record_pages(record: Record) -> int:
    """How many students there are."""
    return int(record.seconds["pages"][0])


async def teacher(member: Member, lesson: Lesson, pages: int, record: Record) -> None:
    """Open each step, wait until all have changed their guess, look at the bars, reveal."""
    made = record.seconds.setdefault("guess", [])
    wanted = 0
    for k, step in enumerate(lesson.steps):
        place = {"lesson": lesson.id, "step": k}
        await member.event("room_move", {**member.seat, **place})
        if step.predict == "choice":
            wanted += 2 * pages
            for _ in range(TURNS):  # a change behind the reveal counts no more
                if len(made) < wanted:
                    await asyncio.sleep(EVERY)
            await member.until(lambda look: look["committed"] == pages)
            await member.event("room_show", {**member.seat, "on": True})
            await member.event("room_reveal", member.seat)
        await asyncio.sleep(2 * EVERY)


async def lead(address: str, pages: int, record: Record) -> None:
    """The whole lesson."""
    lesson = next(one for one in load() if one.id == LESSON)
    async with client(address) as http:
        known = await wires(http)
        members = [Member(http, known, record) for _ in range(pages + 1)]
        await asyncio.gather(*(member.open() for member in members))
        first, *others = members
        await first.sit("room_open", True)
        await asyncio.gather(*(m.sit("room_join", {"code": first.seat["code"]}) for m in others))
        work = [student(m, lesson, k, record) for k, m in enumerate(others)]
        found = await asyncio.gather(
            teacher(first, lesson, pages, record), *work, return_exceptions=True
        )
        record.lost += [str(fault) for fault in found if isinstance(fault, Lost)]
        for fault in found:
            if isinstance(fault, BaseException) and not isinstance(fault, Lost):
                raise fault


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def idle(address: str, pid: int, pages: int, polls: int) -> tuple[float, float]:
    """Processor milliseconds of the server for one poll, and for one event of the page, by which a
    timer of gradio would ask.
    """
    record = Record()
    async with client(address) as http:
        known = await wires(http)
        members = [Member(http, known, record) for _ in range(pages + 1)]
        await members[0].sit("room_open", True)
        for member in members[1:]:
            await member.sit("room_join", {"code": members[0].seat["code"]})
        before = cpu_seconds(pid)
        for _ in range(polls):
            await asyncio.gather(*(member.look() for member in members[1:]))
        poll = (cpu_seconds(pid) - before) / (polls * pages)
        before = cpu_seconds(pid)
        await asyncio.gather(*(m.event("room_leave", m.seat) for m in members[1:]))
        return 1000 * poll, 1000 * (cpu_seconds(pid) - before) / pages


def main(arguments: list[str]) -> int:
    """Lead the class; 1 when anything was lost or counted wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--polls", type=int, default=60)
    args = parser.parse_args(arguments)
    record = Record()
    record.seconds["pages"] = [float(args.pages)]
    with page() as served:
        pid = served.process.pid
        poll, event = asyncio.run(idle(served.address, pid, args.pages, args.polls))
        asyncio.run(lead(served.address, args.pages, record))
    del record.seconds["pages"]
    sys.stdout.write("\n".join(told(f"{args.pages} pages in a room", record)) + "\n")
    sys.stdout.write(
        f"one poll costs the server {poll:.2f} ms of processor time, an event of the page "
        f"{event:.2f} ms; {args.pages} pages that ask every {EVERY:g} s take "
        f"{poll * args.pages / EVERY / 10:.2f} % of one processor\n"
    )
    return int(bool(record.lost or record.leaked))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
