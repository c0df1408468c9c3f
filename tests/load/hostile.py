"""Hostile texts through every door of a running page: python -m tests.load.hostile [--inputs 1000]
[--generated 2000] [--seconds 600] [--seed 1].

Each goes through the call `read`, through the page's Answer and through a link. The longest allowed
paragraph takes a reader many seconds, and four are asked for at once: the page must say something
every `SLOW` seconds, and a call must come within as many besides the times that it tells. A reply
must be an answer whose characters are an exact slice of the paragraph or a
sentence of our own, never a status from 500 on; and the server's log must hold no traceback. Exit
code 1 otherwise.
"""

import argparse
import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from qa_demo.server.guard import MAX_BODY
from qa_demo.views.api.door import UNEXPECTED as DOOR
from qa_demo.views.session.errors import UNEXPECTED
from tests.load.__main__ import client, page, wires
from tests.load.visitor import Lost, Visitor, Wires

SLOW = 5.0
PLAIN = "Anna Lund kept the old mill near Visby until 1882."
UNSEEN = ["", " ", "\n\r\t\u2028\u2029\u0085", "\x00", "\x00\x01\x1f\x7f\x9f", "\ufeff"]
UNSEEN += ["\u200b\u200d\u2060", "\u202e\u2066abc\u2069", "\ud800", "a\udfff"]
LETTERS = ["\U0001f469\u200d\U0001f467", "e" + "\u0301" * 40, "\u1d00\uff21\u2460", "İıſß"]
LETTERS += ["שלום עולם", "नमस्ते", "กรุงเทพ", "東京は日本", "ﷺ", "“‘’”…—"]
LETTERS += ["\U000e0041\U000e007f", "\ue000\uf8ff", "\uffff\ufffe"]
MARKUP = ["<b>&amp;</b>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>"]
MARKUP += ["<svg/onload=alert(1)>", "[a](javascript:alert(1))", "javascript:alert(1)"]
MARKUP += ["|a|b|\n|-|-|", "$$\\rule{3000em}{3000em}$$", "\\u0000 \\x00", "%00%ff%c0%af"]
COMMANDS = ["${alert(1)}", "{{constructor}}", "{0} {x!r} %s %n", "'; DROP TABLE readers; --"]
COMMANDS += ["../../etc/passwd", "C:\\Windows\\nul", "`id` $(id) | id"]
PIECES = ["[SEP]", "[CLS] [MASK] [PAD] [UNK]", "##ing ##", "</s><s>"]
VALUES = ["__proto__ constructor toString", "null", "NaN Infinity -0 1e999"]
LONG = ["9" * 400, "a" * 5000, "a b " * 3000, ". " * 4000, "?!" * 500]
ATOMS = (*UNSEEN, *LETTERS, *MARKUP, *COMMANDS, *PIECES, *VALUES, *LONG)
Outcome = tuple[str | None, float]
"""A fault or None, and for how many seconds nothing was said."""
PLACES = ("{}", f"{PLAIN} {{}}", f"{{}} {PLAIN}", "Anna {} Lund kept{} the mill.")
FIELDS = {
    "max_answer_length": (0, -1, 1e9, "30", None, [], {}, True, 2.5),
    "n_best_size": (0, 10**30, "x", None),
    "null_score_diff_threshold": ("nan", 1e308, [], False),
    "max_seq_length": (0, 3, 10**9, "384", None),
    "doc_stride": (-1, 10**9, "a"),
    "max_query_length": (0, 10**9, {}),
}


@dataclass
class Found:
    """What happened so far."""

    requests: int = 0
    slowest: float = 0.0
    silence: float = 0.0
    """The longest time, in seconds, for which nothing was said."""
    faults: list[str] = field(default_factory=list)


def written() -> Iterator[tuple[str, str]]:
    """(question, paragraph) of the written corpus, endlessly."""
    while True:
        for atom, place in itertools.product(ATOMS, PLACES):
            text = place.replace("{}", atom)
            yield "Who kept the mill?", text
            yield text, PLAIN
            yield text, text


def generated(dice: random.Random) -> Iterator[tuple[str, str]]:
    """Random mixtures of the same, and of any characters."""

    def text() -> str:
        parts = dice.choices(ATOMS, k=dice.randint(0, 4)) + [
            "".join(chr(dice.randrange(0x11000)) for _ in range(dice.randint(0, 30))) for _ in "ab"
        ]
        dice.shuffle(parts)
        return dice.choice(("", " ", "\n")).join(parts) * dice.choice((1, 1, 1, 30))

    while True:
        yield text(), text()


class Doors:
    """The doors of one page."""

    def __init__(
        self, http: httpx.AsyncClient, known: Wires, dice: random.Random, slow: float
    ) -> None:
        self._http, self._known, self._dice, self._slow = http, known, dice, slow
        self.found = Found()

    async def knock(self, question: str, context: str) -> None:
        """All three, each timed."""
        for name, door in (("call", self._call), ("page", self._page), ("link", self._link)):
            began = time.perf_counter()
            silence = 0.0
            try:
                fault, silence = await door(question, context)
            except (Lost, httpx.HTTPError, ValueError, KeyError) as error:
                fault = f"{type(error).__name__}: {error}"
            self.found.requests += 1
            self.found.slowest = max(self.found.slowest, time.perf_counter() - began)
            self.found.silence = max(self.found.silence, silence)
            if fault is None and silence > self._slow:
                fault = f"nothing was said for {silence:.1f} s"
            if fault is not None:
                self.found.faults.append(f"{name} {question[:40]!a} {context[:40]!a}: {fault}")

    async def _call(self, question: str, context: str) -> Outcome:
        body: dict[str, Any] = {"question": question, "context": context}
        if self._dice.random() < 0.2:
            name = self._dice.choice(list(FIELDS))
            body[name] = self._dice.choice(FIELDS[name])
        raw = json.dumps(body).encode()  # half surrogates as escapes
        json_type = {"content-type": "application/json"}
        began = time.perf_counter()
        begun = await self._http.post("/gradio_api/call/v2/read", content=raw, headers=json_type)
        if begun.status_code >= 500:
            return f"status {begun.status_code}", 0.0
        if begun.status_code != 200:
            said = isinstance(begun.json().get("error"), str)
            return None if said else begun.text[:80], time.perf_counter() - began
        event = begun.json()["event_id"]
        stream = (await self._http.get(f"/gradio_api/call/read/{event}")).text
        took = time.perf_counter() - began
        # a reply that takes long is preceded by heartbeats
        events = [one for one in stream.split("\n\n") if one and "event: heartbeat" not in one]
        kind, _, data = events[-1].partition("\ndata: ")
        reply = json.loads(data.split("\n")[0])
        if kind == "event: error":
            return _own(reply.get("error")), took
        return _exact(reply[0], context), took - sum(reply[0]["seconds"].values())

    async def _page(self, question: str, context: str) -> Outcome:
        visitor = Visitor(self._http, self._known)
        if any("\ud800" <= c <= "\udfff" for c in question + context):
            return None, 0.0  # httpx refuses to send them; a browser cannot
        said = await visitor.ask(question, context)
        return None if said is None else _own(said), visitor.silence

    async def _link(self, question: str, context: str) -> Outcome:
        visitor = Visitor(self._http, self._known)
        texts = (quote(text.encode("utf-8", "surrogatepass")) for text in (question, context))
        link = "#v=1&q={}&p={}".format(*texts)
        if len(link) > MAX_BODY * 0.9:
            return None, 0.0  # refused with 413 before it is read
        await visitor.open(link)
        said = visitor.shown.get("say") or {}
        return _own(said.get("text")) if said.get("kind") == "error" else None, visitor.silence


def _exact(reply: dict[str, Any], context: str) -> str | None:
    """Every span's characters are an exact slice of the paragraph."""
    answer = reply["answer"]
    start, end = reply["char_start"], reply["char_end"]
    exact = answer is None or context[start:end] == answer
    exact = exact and all(
        context[one["char_start"] : one["char_end"]] == one["text"] for one in reply["n_best"]
    )
    return None if exact else f"{answer!a} is not at {start} to {end}"


def _own(sentence: Any) -> str | None:
    """A sentence of our own that tells the cause is no fault."""
    if not isinstance(sentence, str) or not sentence or sentence in (UNEXPECTED, DOOR):
        return f"no sentence of a cause: {sentence!a}"
    return None


async def knocked(
    address: str, inputs: int, made: int, seconds: float = 600, seed: int = 1, slow: float = SLOW
) -> Found:
    """So many written and generated texts through all doors, four at a time; silence of
    more than `slow` seconds is a fault.
    """
    dice, until = random.Random(seed), time.monotonic() + seconds
    texts = itertools.chain(
        itertools.islice(written(), inputs), itertools.islice(generated(dice), made)
    )
    async with client(address) as http:
        doors = Doors(http, await wires(http), dice, slow)

        async def some() -> None:
            for question, context in texts:
                if time.monotonic() > until:
                    return
                await doors.knock(question, context)

        await asyncio.gather(*(some() for _ in range(4)))
    return doors.found


def main(arguments: list[str]) -> int:
    """Knock, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--generated", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    with page() as served:
        found = asyncio.run(
            knocked(served.address, args.inputs, args.generated, args.seconds, args.seed)
        )
        traced = [line for line in served.log if "Traceback" in line]
    sys.stdout.write(
        f"{found.requests} requests, slowest {found.slowest:.1f} s, longest silence "
        f"{found.silence:.1f} s, {len(found.faults)} faults, "
        f"{len(traced)} tracebacks in the log\n"
        + "".join(f"  {fault}\n" for fault in found.faults[:20])
    )
    return int(bool(found.faults or traced))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
