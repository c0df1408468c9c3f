"""A class reads own texts on one server: how long a reading takes, and what the server holds.

    python -m tests.benchmarks.class_load [--pages 60] [--readings 2000] [--why 0.2] [--pause 15]
    [--words 100] [--seed 1]

Each page asks an own question about an own text, waits as the browser does (again after 0.3 s while
the answer is 202), checks that the picture is of its own text and its span in it, and pauses. A
share of them then opens Why, whose integrated gradients take seconds each, and leaves after 60 s.
Printed: p50 and p95 of a reading, of Why, the faults, and the server's memory as readings come in.
Say with the figures whether the machine was shared.
"""

import argparse
import json
import platform
import random
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.store import ASSETS
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


class Class:
    """All pages, and what they met: seconds of each reading and of each Why, faults, memory."""

    def __init__(self, a: argparse.Namespace, url: str, pid: int) -> None:
        self.a, self.url, self.pid = a, url, pid
        self.lock, self.left = threading.Lock(), a.readings
        self.reading, self.why, self.gone = list[float](), list[float](), 0
        self.faults, self.memory = list[str](), list[tuple[int, int]]()
        texts = json.loads((ASSETS / "passages.json").read_text(encoding="utf-8"))
        self.words = " ".join(row["text"] for row in texts).split()

    def megabytes(self) -> int:
        """The server's resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024

    def picture(self, state: dict[str, Any], patience: float) -> dict[str, Any] | None:
        """The picture of a state; None for one that was given up."""
        body, end = json.dumps({"state": state}).encode(), time.monotonic() + patience
        while time.monotonic() < end:
            asked = urllib.request.Request(
                f"{self.url}picture", body, {"content-type": "application/json"}
            )
            with urllib.request.urlopen(asked, timeout=patience) as reply:
                if reply.status == 200:
                    found: dict[str, Any] = json.load(reply)
                    return found
            time.sleep(0.3)
        return None

    def page(self, seed: int) -> None:
        """One page until the class has read enough."""
        pick = random.Random(seed)
        time.sleep(pick.uniform(0, self.a.pause))
        while True:
            with self.lock:
                if self.left <= 0:
                    return
                self.left -= 1
            at = pick.randrange(len(self.words) - self.a.words)
            told = self.words[at : at + self.a.words]
            state = {"question": f"What did {pick.choice(told)} see?", "context": " ".join(told)}
            try:
                self.read(state, pick.random() < self.a.why)
            except (OSError, KeyError, ValueError) as fault:
                with self.lock:
                    self.faults.append(repr(fault))
            time.sleep(pick.expovariate(1 / self.a.pause))

    def read(self, state: dict[str, str], why: bool) -> None:
        """Ask, check, and for some open Why."""
        began = time.monotonic()
        found = self.picture({**state, "chapter": "spans"}, 300.0)
        took = time.monotonic() - began
        if found is None or found["context"] != state["context"]:
            raise ValueError("the picture is of another text")
        best = next(b for b in found["blocks"] if b["key"] == "answer")["parts"]
        if not any(role == "strong" for _, role in best):
            raise ValueError("the picture has no best span")
        with self.lock:
            self.reading.append(took)
            if len(self.reading) % max(1, self.a.readings // 10) == 0:
                self.memory.append((len(self.reading), self.megabytes()))
        if why:
            began = time.monotonic()
            shown = self.picture({**state, "chapter": "why"}, PATIENCE)
            with self.lock:
                if shown is None:
                    self.gone += 1
                else:
                    self.why.append(time.monotonic() - began)


def main() -> None:
    """Start a server, let the class read, print."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--pages", type=int, default=60)
    p.add_argument("--readings", type=int, default=2000)
    p.add_argument("--why", type=float, default=0.2)
    p.add_argument("--pause", type=float, default=15.0)
    p.add_argument("--words", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    port = free_port()
    server = subprocess.Popen([sys.executable, "app.py", "--port", str(port)], cwd=ROOT)
    url = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{url}health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        group = Class(a, url, server.pid)
        group.memory.append((0, group.megabytes()))
        began = time.monotonic()
        pages = [
            threading.Thread(target=group.page, args=(a.seed * 1000 + k,)) for k in range(a.pages)
        ]
        for page in pages:
            page.start()
        for page in pages:
            page.join()
        took = time.monotonic() - began
    finally:
        server.terminate()
        server.wait(30)
    said = [
        f"{platform.machine()}, {a.pages} pages, own texts of {a.words} words, pause {a.pause:g} s, seed {a.seed}"
    ]
    for name, seconds in (("reading", group.reading), ("why", group.why)):
        if seconds:
            p50, p95 = np.percentile(seconds, [50, 95])
            said.append(f"{name}: {len(seconds)} in {took:.0f} s, p50 {p50:.2f} s, p95 {p95:.2f} s")
    said.append(
        f"left Why after {PATIENCE:.0f} s: {group.gone}; faults: {len(group.faults)} {sorted(set(group.faults))[:3]}"
    )
    said.append("memory, MB: " + ", ".join(f"{mb} after {n}" for n, mb in group.memory))
    sys.stdout.write("\n".join(said) + "\n")


if __name__ == "__main__":
    main()
