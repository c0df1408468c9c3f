"""One visitor: the page's own events over HTTP, each followed until the server has completed it."""

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx

PATIENCE = 90.0
"""Seconds after which an event counts as lost; the page refuses what takes longer than 60."""
CANARY = re.compile(r"canary[a-j]{4}")
"""Whole words: a span may hold the first pieces of one, which belong to nobody."""


class Lost(Exception):
    """An event that was never completed, or that the server failed at."""


BOXES = ("ask-question", "ask-paragraph")
"""What holds a visitor's own text, which may look like JSON."""


@dataclass(frozen=True)
class Wires:
    """The numbers of the page's events, and which output is which, from its own description."""

    events: dict[tuple[str, str, int], int]
    """By element, event and number of outputs of at most 2 (0 or 1)."""
    names: dict[int, list[str]]
    delivery: int

    @staticmethod
    def of(config: dict[str, Any]) -> "Wires":
        """Read `/config`."""
        ids = {
            one["id"]: one["props"].get("elem_id") or one["type"] for one in config["components"]
        }
        events, names, delivery = {}, {}, -1
        for one in config["dependencies"]:
            outputs = [ids[k] for k in one["outputs"]]
            names[one["id"]] = outputs
            for target, event in one["targets"]:
                name = ids.get(target, "page")
                events[name, event, int(len(outputs) > 2)] = one["id"]
                if (name, event) == ("state", "change"):
                    delivery = one["id"]
        return Wires(events, names, delivery)


@dataclass(eq=False)
class Visitor:
    """A session. `shown`: what the page shows by now; `heard`: canary words of any message."""

    client: httpx.AsyncClient
    wires: Wires
    name: str = field(default_factory=lambda: secrets.token_hex(6))
    shown: dict[str, Any] = field(default_factory=dict)
    heard: set[str] = field(default_factory=set)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the page says what it is busy with, which is when it offers Cancel."""
    silence: float = 0.0
    """The longest time, in seconds, in which the page said nothing of an event that it was at."""
    _heard: float = field(default_factory=time.perf_counter)

    async def open(self, fragment: str = "") -> None:
        """Load the page with what its address says."""
        await self._event(self.wires.events["page", "load", 1], [None, fragment, ""])

    async def ask(self, question: str, context: str) -> str | None:
        """Press Ask; None, or the sentence of a refusal."""
        self.told.clear()
        number = self.wires.events["ask-answer", "click", 1]
        return self._said(await self._event(number, [None, question, context]))

    async def choose(self, key: str) -> str | None:
        """Open a chapter."""
        number = self.wires.events["chapters", "select", 1]
        return self._said(await self._event(number, [None], {"index": key, "id": 1}))

    async def send(self, picture: str, name: str, value: Any) -> str | None:
        """`page.input(name, value)` of a picture."""
        number = self.wires.events[picture, "input", 1]
        event = {"index": name, "value": value, "id": 1}
        return self._said(await self._event(number, [None], event))

    async def begin(self, picture: str, name: str, value: Any) -> str | None:
        """Slow work of a picture, and the fetching of what it made."""
        number = self.wires.events[picture, "input", 0]
        said = self._said(await self._event(number, [None], {"index": name, "value": value}))
        return said or self._said(await self._event(self.wires.delivery, [None]))

    async def cancel(self) -> None:
        """Press Cancel."""
        number = self.wires.events["say", "select", 0]
        reply = await self.client.post("/gradio_api/run/predict", json=self._body(number, []))
        if reply.status_code != 200:
            raise Lost(f"Cancel: status {reply.status_code}")

    def _body(
        self, number: int, data: list[Any], event: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        body = {"data": data, "fn_index": number, "event_data": event}
        return body | {"session_hash": self.name}

    def _said(self, output: dict[str, Any]) -> str | None:
        say = output.get("say")
        refused = isinstance(say, dict) and say.get("kind") == "error"
        return str(say["text"]) if refused else None

    async def _event(
        self, number: int, data: list[Any], event: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send an event and wait until it is completed: its outputs by their names."""
        body = self._body(number, data, event) | {"trigger_id": None}
        self._heard = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                joined = await self.client.post("/gradio_api/queue/join", json=body)
                if joined.status_code != 200:
                    raise Lost(f"status {joined.status_code}: {joined.text[:200]}")
                return await self._completed(number, joined.json()["event_id"])
        except TimeoutError as late:
            raise Lost(f"event {number} was not completed within {PATIENCE:g} s") from late
        except httpx.HTTPError as fault:
            raise Lost(f"event {number}: {type(fault).__name__}") from fault

    async def _completed(self, number: int, event: str) -> dict[str, Any]:
        asked = {"session_hash": self.name}
        found: dict[str, Any] | None = None
        async with self.client.stream("GET", "/gradio_api/queue/data", params=asked) as stream:
            async for line in _lines(stream):
                if not line.startswith("data:"):
                    continue
                self.heard |= set(CANARY.findall(line))
                message = json.loads(line[5:])
                kind = message["msg"]
                if kind != "heartbeat":
                    self._hear()
                if kind == "process_generating" and '"kind":"busy"' in line:
                    self.told.set()
                if kind == "process_completed" and message["event_id"] == event:
                    found = self._outputs(number, message)
                if kind == "close_stream":
                    break
        if found is None:
            raise Lost(f"the stream of event {number} ended before it was completed")
        return found

    def _hear(self) -> None:
        now = time.perf_counter()
        self.silence, self._heard = max(self.silence, now - self._heard), now

    def _outputs(self, number: int, message: dict[str, Any]) -> dict[str, Any]:
        if not message["success"]:
            raise Lost(f"event {number} failed: {str(message['output'])[:200]}")
        found = {}
        for name, value in zip(self.wires.names[number], message["output"]["data"], strict=True):
            if isinstance(value, str) and value.startswith("{") and name not in BOXES:
                value = json.loads(value)  # a picture's value is JSON text (views/picture.py)
            if isinstance(value, dict) and value.get("__type__") != "update":
                found[name] = value
        self.shown.update(found)
        return found


async def _lines(stream: httpx.Response) -> AsyncIterator[str]:
    """Lines as the server ends them; httpx would break them at U+2028 too, which texts hold."""
    rest = b""
    async for part in stream.aiter_bytes():
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            yield line.decode()
