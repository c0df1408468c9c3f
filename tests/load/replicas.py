"""Three pages behind nginx, one of them killed in the middle: python -m tests.load.replicas.

Without containers: nginx (Debian: nginx-light) with deploy/spanlight.conf, three page processes,
all on 127.0.0.1. Visitors read texts of their own; after half of the time one page is killed.
Its visitors must get a sentence or a new answer, and their texts back from their link; nobody else
may notice. Exit code 1 otherwise.
"""

import argparse
import asyncio
import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from tests.load.__main__ import ROOT, client, page, wires
from tests.load.session import SHARED, canary
from tests.load.visitor import Lost, Visitor, Wires
from tests.ports import free_port

PAGES = 3
CONFIG = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    log_format replica '$visitor $upstream_addr';
    access_log {folder}/access.log replica;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    upstream spanlight {{
        hash $visitor consistent;
        {servers}
    }}
    {server}
}}
"""


@dataclass
class Told:
    """What one visitor met."""

    cookie: str = ""
    before: int = 0
    after: int = 0
    sentences: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    back: bool = False


@contextlib.contextmanager
def front(folder: Path, pages: list[str]) -> Iterator[str]:
    """nginx with the configuration of `deploy`, on a free port of 127.0.0.1."""
    port = free_port()
    server = (ROOT / "deploy" / "spanlight.conf").read_text(encoding="utf-8")
    servers = "\n        ".join(
        f"server {one.removeprefix('http://').strip('/')} max_fails=2 fail_timeout=10s;"
        for one in pages
    )
    text = CONFIG.format(
        folder=folder,
        servers=servers,
        server=server.replace("listen 8080", f"listen 127.0.0.1:{port}"),
    )
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    nginx = subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)])
    try:
        for _ in range(50):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        nginx.terminate()
        nginx.wait(10)


async def visit(address: str, known: Wires, k: int, killed: asyncio.Event, until: float) -> Told:
    """One visitor with a cookie of their own."""
    told = Told()
    async with client(address) as http:
        await http.get("/")
        told.cookie = http.cookies["spanlight"]
        visitor, texts = Visitor(http, known), (SHARED[0], f"{SHARED[1]} So said {canary(k)}.")
        while time.monotonic() < until:
            try:
                said = await visitor.ask(*texts)
                told.sentences += [] if said is None else [said]
                if said is None and killed.is_set():
                    told.after += 1
                elif said is None:
                    told.before += 1
            except Lost as fault:
                told.faults.append(str(fault))
            await asyncio.sleep(1 + (k % 7) / 7)
        link = "#" + urlencode({"v": "1", "q": texts[0], "p": texts[1]})
        with contextlib.suppress(Lost):
            again = Visitor(http, known)  # the page loaded anew at its address
            await again.open(link)
            told.back = again.shown["store"]["context"] == texts[1]
    return told


async def tried(address: str, visitors: int, seconds: float, kill: subprocess.Popen) -> list[Told]:
    """All visitors at once, and the end of one page after half of the time."""
    killed = asyncio.Event()

    async def end() -> None:
        await asyncio.sleep(seconds / 2)
        kill.kill()
        killed.set()

    async with client(address) as http:
        known = await wires(http)
    until = time.monotonic() + seconds
    visits = (visit(address, known, k, killed, until) for k in range(visitors))
    *told, _ = await asyncio.gather(*visits, end())
    return [one for one in told if isinstance(one, Told)]


def main(arguments: list[str]) -> int:
    """Try it and print who noticed what."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=150)
    parser.add_argument("--seconds", type=float, default=40)
    args = parser.parse_args(arguments)
    if shutil.which("nginx") is None:
        sys.stderr.write("nginx is not installed (Debian: apt-get install nginx-light)\n")
        return 2
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        served = [stack.enter_context(page()) for _ in range(PAGES)]
        address = stack.enter_context(front(folder, [one.address for one in served]))
        told = asyncio.run(tried(address, args.visitors, args.seconds, served[0].process))
        gone = served[0].address.removeprefix("http://").strip("/")
        lines = (folder / "access.log").read_text(encoding="utf-8").splitlines()
    theirs = {line.split()[0] for line in lines if line.split()[1:2] and gone in line.split()[1]}
    return report(told, theirs)


def report(told: list[Told], theirs: set[str]) -> int:
    """Lines for both groups; 1 where somebody else noticed, or texts did not come back."""
    ok = True
    for title, group in (
        ("visitors of the killed page", [one for one in told if one.cookie in theirs]),
        ("all others", [one for one in told if one.cookie not in theirs]),
    ):
        faults = sum(len(one.faults) for one in group)
        sys.stdout.write(
            f"{title}: {len(group)}, answers before {sum(t.before for t in group)}, after "
            f"{sum(t.after for t in group)}, refused {sum(len(t.sentences) for t in group)}, "
            f"events broken off {faults}, texts back from the link {sum(t.back for t in group)}\n"
        )
        ok = ok and all(one.back for one in group) and (title != "all others" or not faults)
    return int(not ok)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
