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
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.store import ASSETS
from tests.documents import ROOT
from tests.ports import free_port, wait_for_page

TEXTS = json.loads((ASSETS / "passages.json").read_text(encoding="utf-8"))
WORDS = " ".join(row["text"] for row in TEXTS).split()


def picture(url: str, state: dict[str, str], patience: float) -> tuple[float, dict[str, Any]]:
    """Seconds until the picture of a state has come, and the picture; empty if it was given up."""
    began, body = time.monotonic(), json.dumps({"state": state}).encode()
    while (took := time.monotonic() - began) < patience:
        asked = urllib.request.Request(f"{url}picture", body, {"content-type": "application/json"})
        with urllib.request.urlopen(asked, timeout=patience) as reply:
            if reply.status == 200:
                return time.monotonic() - began, json.load(reply)
        time.sleep(0.3)
    return took, {}


def visit(a: argparse.Namespace, url: str, number: int) -> dict[str, Any]:
    """One reading after a pause, and for some Why: the seconds of each, or the fault."""
    pick = random.Random(a.seed * 1_000_000 + number)
    time.sleep(pick.expovariate(1 / a.pause))
    at = pick.randrange(len(WORDS) - a.words)
    told = WORDS[at : at + a.words]
    state = {"question": f"What did {pick.choice(told)} see?", "context": " ".join(told)}
    try:
        took, found = picture(url, {**state, "chapter": "spans"}, 300.0)
        if found.get("context") != state["context"]:
            return {"fault": "the picture is of another text"}
        best = next(b for b in found["blocks"] if b["key"] == "answer")["parts"]
        if not any(role == "strong" for _, role in best):
            return {"fault": "the picture has no best span"}
        if pick.random() >= a.why:
            return {"reading": took}
        waited, shown = picture(url, {**state, "chapter": "why"}, 60.0)
        return {"reading": took, "why" if shown else "left Why": waited}
    except (OSError, KeyError, ValueError) as fault:
        return {"fault": repr(fault)}


def megabytes(pid: int) -> int:
    """A process's resident memory."""
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()[0]) // 1024


def main() -> None:
    """Start a server, let the class read, print."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    usual = {"pages": 60, "readings": 2000, "why": 0.2, "pause": 15.0, "words": 100, "seed": 1}
    for name, value in usual.items():
        p.add_argument(f"--{name}", type=type(value), default=value)
    a = p.parse_args()
    port = free_port()
    server = subprocess.Popen([sys.executable, "app.py", "--port", str(port)], cwd=ROOT)
    try:
        wait_for_page(port, lambda: server.poll() is None, 300.0)
        found, memory, began = [], [f"{megabytes(server.pid)} at first"], time.monotonic()
        with ThreadPoolExecutor(a.pages) as pool:
            url = f"http://127.0.0.1:{port}/"
            for one in pool.map(lambda number: visit(a, url, number), range(a.readings)):
                found.append(one)
                if len(found) % max(1, a.readings // 10) == 0:
                    memory.append(f"{megabytes(server.pid)} after {len(found)}")
        took = time.monotonic() - began
    finally:
        server.terminate()
        server.wait(30)
    print(f"{platform.machine()}, {vars(a)}, {took:.0f} s")
    for name in ("reading", "why", "left Why"):
        if seconds := [one[name] for one in found if name in one]:
            print(name, len(seconds), "p50, p95 in s:", np.percentile(seconds, [50, 95]).round(2))
    faults = [one["fault"] for one in found if "fault" in one]
    print(f"faults: {len(faults)} {sorted(set(faults))[:3]}; memory, MB: {', '.join(memory)}")


if __name__ == "__main__":
    main()
