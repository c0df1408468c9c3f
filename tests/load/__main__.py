"""A class at the page: python -m tests.load [--sessions 60] [--seconds 120] ...

The page is started on this machine, with the bundled reader, on a free port of 127.0.0.1. Sessions
send its own events: 60 % answers, 15 % explanations, 15 % sliders, 10 % chapter changes, with 2 to
6 seconds to think; half of them work on one text. Then a stampede of 100 within a second, and a
storm of cancels. Printed are medians and 95th percentiles, refusals, and what was lost, wrong or
leaked; exit code 1 where anything was.
"""

import argparse
import asyncio
import contextlib
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.load.session import SHARED, Record, Student, canary
from tests.load.twin import Twin
from tests.load.visitor import Lost, Visitor, Wires

ROOT = Path(__file__).resolve().parents[2]
THINK = (2.0, 6.0)
MOST_COMPARED = {"integrated_gradients": 40}
"""The twin computes them on one thread, one after the other."""


@dataclass(frozen=True)
class Served:
    """A running page."""

    address: str
    process: subprocess.Popen
    log: list[str]
    """Everything that it has written, line by line."""


@contextlib.contextmanager
def page() -> Iterator[Served]:
    """A page of its own, once its reader is loaded."""
    served = subprocess.Popen(
        [sys.executable, "app.py", "--port", "0"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert served.stderr is not None
        line = next((one for one in served.stderr if "is open at" in one), "")
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert address is not None, "the page did not open"
        log: list[str] = []
        # read all the time: a full pipe would hold the page up
        threading.Thread(target=log.extend, args=(served.stderr,), daemon=True).start()
        for _ in range(600):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{address[0]}health", timeout=5).status_code == 200:
                    break
            time.sleep(0.1)
        yield Served(address[0], served, log)
    finally:
        served.terminate()
        served.wait(20)


def client(address: str) -> httpx.AsyncClient:
    """Connections enough for a class, to this machine only."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    return httpx.AsyncClient(
        base_url=address, timeout=httpx.Timeout(120.0), limits=limits, trust_env=False
    )


async def wires(http: httpx.AsyncClient) -> Wires:
    """The events of the running page."""
    return Wires.of((await http.get("/config")).raise_for_status().json())


Act = Callable[[Visitor, int, Record], Awaitable[None]]


async def crowd(address: str, numbers: range, act: Act) -> Record:
    """What became of a visitor for each number, all at once; each has the canary of its number."""
    record = Record()

    async def one(visitor: Visitor, k: int) -> None:
        try:
            await act(visitor, k, record)
        except Lost as fault:
            record.lost.append(str(fault))
        record.leaked += sorted(visitor.heard - {canary(k)})

    async with client(address) as http:
        known = await wires(http)
        await asyncio.gather(*(one(Visitor(http, known), k) for k in numbers))
    return record


async def lesson(
    address: str, sessions: int, seconds: float, think: tuple[float, float] = THINK, least: int = 0
) -> Record:
    """So many students for so long, and for so many acts at least."""
    until = time.monotonic() + seconds

    async def one(visitor: Visitor, k: int, record: Record) -> None:
        await Student(visitor, k, record, think).work(until, least)

    return await crowd(address, range(sessions), one)


async def heard_first(visitor: Visitor, asked: asyncio.Task) -> None:
    """Return once the page has said anything to who asked: a result, a refusal, or a place in line
    with an estimate.
    """
    told = asyncio.create_task(visitor.told.wait())
    await asyncio.wait({asked, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()


async def stampede(address: str) -> Record:
    """A hundred press Answer within one second, each with a text of their own."""

    async def one(visitor: Visitor, k: int, record: Record) -> None:
        own = canary(k)
        await asyncio.sleep(random.Random(k).random())
        began = time.perf_counter()
        asking = visitor.ask(f"Who told {own}?", f"{SHARED[1]} Bertil told {own} so.")
        asked = asyncio.create_task(record.timed("answer", asking))
        await heard_first(visitor, asked)
        record.seconds["first word"].append(time.perf_counter() - began)
        await asked

    return await crowd(address, range(5000, 5100), one)


async def storm(address: str) -> Record:
    """Thirty begin and cancel as soon as the page offers it, twenty times, for at most a minute;
    then one more answer for each.
    """
    until = time.monotonic() + 60

    async def one(visitor: Visitor, k: int, record: Record) -> None:
        dice = random.Random(k)
        for turn in range(20):
            if time.monotonic() > until:
                break
            text = f"{SHARED[1]} {canary(k)} {turn}. " * 8
            asked = asyncio.create_task(visitor.ask(SHARED[0], text))
            await heard_first(visitor, asked)
            await asyncio.sleep(dice.uniform(0, 0.1))
            began = time.perf_counter()
            await visitor.cancel()
            said = await asked
            took = time.perf_counter() - began
            record.seconds["answered before" if said is None else "cancelled after"].append(took)
            if said is not None and "was cancelled" not in said:
                record.refused.append(("answer", said, took))
        await record.timed("answer afterwards", visitor.ask(*SHARED))

    return await crowd(address, range(6000, 6030), one)


def told(title: str, record: Record) -> list[str]:
    """The record as lines."""
    out = [title]
    for kind, all_seconds in sorted(record.seconds.items()):
        ordered = sorted(all_seconds)
        p50, p95 = (ordered[min(len(ordered) - 1, int(q * len(ordered)))] for q in (0.5, 0.95))
        out.append(
            f"  {kind:<22} {len(ordered):5d} times, p50 {p50:6.2f} s, p95 {p95:6.2f} s, "
            f"longest {ordered[-1]:6.2f} s"
        )
    for sentence in sorted({re.sub(r"\d+", "N", said) for _, said, _ in record.refused}):
        those = [s for _, said, s in record.refused if re.sub(r"\d+", "N", said) == sentence]
        out.append(f"  refused {len(those)} times, after {max(those):.2f} s at most: {sentence}")
    out += [f"  lost: {fault}" for fault in record.lost[:5]]
    out.append(f"  lost {len(record.lost)}, wrong or of another {len(record.leaked)}")
    return out


def main(arguments: list[str]) -> int:
    """Run the class, the stampede and the storm; 1 when anything was lost, wrong or leaked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=120)
    args = parser.parse_args(arguments)
    with page() as served:
        address, records = served.address, {}
        first = f"{args.sessions} sessions for {args.seconds:g} s"
        for title, work in (
            (first, lesson(address, args.sessions, args.seconds)),
            ("stampede of 100 within a second", stampede(address)),
            ("30 visitors cancel 20 times", storm(address)),
        ):
            before = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
            records[title] = asyncio.run(work)
            lines = told(f"{title} (load before: {before:.1f})", records[title])
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()
    wrong, compared = records[first].wrong(Twin(), MOST_COMPARED)
    sys.stdout.write(f"{compared} of {len(records[first].checks)} replies compared with the twin, ")
    sys.stdout.write(f"{len(wrong)} wrong\n" + "".join(f"  {one}\n" for one in wrong[:5]))
    faults = [*wrong, *(x for r in records.values() for x in (*r.lost, *r.leaked))]
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
