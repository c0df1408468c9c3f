"""What a student does: reads, explains, moves a slider, opens a chapter, thinks in between."""

import asyncio
import itertools
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from tests.load.twin import Twin, difference
from tests.load.visitor import Visitor

TEXT = (
    "the keeper of the old mill near Visby told Anna that rivers carry sand to the sea and every "
    "bridge built before the war had been painted twice by Ingeborg Hansen of Kalmar"
)
WORDS = TEXT.split()
SHARED = (
    "Who painted the bridge?",
    "The bridge of Kalmar was opened in 1972. Ingeborg Hansen painted it twice before the war of "
    "prices, and Anna Lund, who kept the old mill near Visby, told everybody about it.",
)
CHAPTERS = ("answer", "scores", "start_end", "spans", "loss", "windows", "bio", "why")
METHODS = ("attention", "gradient_x_input", "integrated_gradients")
ACTS = {"answer": 60, "explanation": 15, "slider": 15, "chapter": 10}


@dataclass
class Record:
    """What became of everybody's acts."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: list[tuple[str, str, float]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    checks: list[tuple[str, tuple[str, str], Any, dict[str, Any]]] = field(default_factory=list)
    """(kind, texts, detail, what was shown), for the twin."""

    async def timed(self, kind: str, work: Awaitable[str | None]) -> bool:
        """Whether it was done; a refusal is noted with its sentence."""
        began = time.perf_counter()
        said = await work
        took = time.perf_counter() - began
        if said is not None:
            self.refused.append((kind, said, took))
            return False
        self.seconds[kind].append(took)
        return True

    def wrong(self, twin: Twin, most: dict[str, int]) -> tuple[list[str], int]:
        """Differences from the twin, and how many records were compared; equal texts once."""
        found: list[str] = []
        compared: Counter[str] = Counter()
        for kind, texts, detail, shown in self.checks:
            if compared[kind] < most.get(kind, 10**9):
                compared[kind] += 1
                fault = difference(shown, twins_own(twin, kind, texts, detail), kind)
                found += [] if fault is None else [fault]
        return found, compared.total()


def twins_own(twin: Twin, kind: str, texts: tuple[str, str], detail: Any) -> dict[str, Any]:
    """What the twin shows of the same."""
    if kind == "answer":
        return twin.store(texts)
    if kind == "slider":
        return twin.spans(texts, detail)
    return twin.explanation(texts, detail)


def canary(number: int) -> str:
    """A word that belongs to one visitor alone; made of letters, so that it stays one word."""
    return "canary" + "".join(chr(ord("a") + int(d)) for d in f"{number:04d}")


class Student:
    """One session; every second one works on the shared text, the others on texts of their own."""

    def __init__(self, visitor: Visitor, number: int, record: Record, think: tuple[float, float]):
        self._visitor, self._record, self._think = visitor, record, think
        self._dice = random.Random(number)
        self._shared, self._canary = number % 2 == 0, canary(number)
        self._texts = SHARED

    async def work(self, until: float, least: int) -> None:
        """Act and think until the time is over, `least` times where that takes longer."""
        await self._visitor.open()
        await self._answer()
        acts = itertools.count()
        while next(acts) < least or time.monotonic() < until:
            await asyncio.sleep(self._dice.uniform(*self._think))
            (act,) = self._dice.choices(list(ACTS), list(ACTS.values()))
            await getattr(self, f"_{act}")()

    def _new_texts(self) -> tuple[str, str]:
        if self._shared:
            return SHARED
        words = self._dice.choices(WORDS, k=self._dice.randint(40, 160))
        words.insert(self._dice.randrange(len(words)), self._canary)
        return f"Who told {self._canary}?", " ".join(words) + "."

    def _check(self, kind: str, detail: Any, shown: dict[str, Any]) -> None:
        self._record.checks.append((kind, self._texts, detail, shown))

    async def _answer(self) -> None:
        texts = self._new_texts()
        if await self._record.timed("answer", self._visitor.ask(*texts)):
            self._texts = texts
            self._check("answer", None, self._visitor.shown["store"])

    async def _chapter(self) -> None:
        key = self._dice.choice(CHAPTERS)
        await self._record.timed("chapter", self._visitor.choose(key))

    async def _slider(self) -> None:
        await self._visitor.choose("spans")
        length = self._dice.randint(1, 40)
        moved = self._visitor.send("picture-spans", "max_answer_length", length)
        if await self._record.timed("slider", moved):
            shown = self._visitor.shown["picture-spans"]
            own = {k: v for k, v in shown.items() if k not in ("stamp", "chapter")}
            self._check("slider", length, own)
        # as it was, so that the next answer is the twin's
        await self._visitor.send("picture-spans", "max_answer_length", 30)

    async def _explanation(self) -> None:
        method = self._dice.choice(METHODS)
        chosen = self._visitor.shown["chosen"].get("predicted")
        if not chosen:
            return
        looked = method == "attention"
        choice = {"kind": "span_score", "other": None, "baseline": "pad"}
        choice["method"] = "gradient_x_input" if looked else method
        value = {"what": "exact" if looked else "attribution", "key": method, "choice": choice}
        value["span"] = [chosen["window"], chosen["start"], chosen["end"]]
        value |= {"layer": 0, "head": 0, "position": 1}
        if await self._record.timed(method, self._visitor.begin("picture-why", "ask", value)):
            reply = self._visitor.shown["picture-why"]["picture"]["reply"]
            if reply.get("error"):
                self._record.refused.append((method, reply["error"], 0.0))
            else:
                self._check(method, method, reply["data"])
