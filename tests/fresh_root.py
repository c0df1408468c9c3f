"""Do the two commands of README.md pass on a machine that has nothing else? As root, on Debian:

    python -m tests.fresh_root ROOT [--suite bookworm] [--copy PATH ...] [--test]

Makes ROOT with debootstrap (minbase with python3, pip, venv and git alone), clones this checkout
into it, runs README's start command word for word until the page answers /health, and asks one
question by the command line. `--test` runs the test command too. `--copy` names files and folders
that pip or apt need on this machine (a configuration, certificates, wheels); they are copied to the
same places. What it took is printed, and every step that fails ends the run.
"""

import argparse
import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

from tests.documents import README, ROOT, START, TEST
from tests.ports import free_port, wait_for_page
from tests.run import say

PACKAGES = "python3,python3-pip,python3-venv,git,ca-certificates"
HOME = "spanlight"
PATIENCE = 1800.0


def inside(root: Path, script: str) -> list[str]:
    """The command that runs a script in the clone, in the root."""
    return ["chroot", str(root), "/bin/sh", "-ec", f"cd /{HOME}; {script}"]


def step(name: str, *words: str) -> None:
    """Run one step, and say how long it took."""
    began = time.monotonic()
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    say(f"{name}: {time.monotonic() - began:.0f} s")


def make(root: Path, suite: str, mirror: str, copied: list[Path]) -> None:
    """The bare system, what pip needs of this machine, and the clone."""
    words = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(root)]
    step("bare system", *words, *([mirror] if mirror else []))
    for path in [Path("/etc/resolv.conf"), Path("/etc/hosts"), *copied]:
        there = root / path.relative_to("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-rLT", "--remove-destination", path, there], check=True)
    step("clone", "git", "clone", "-q", str(ROOT), str(root / HOME))
    for kind in ("proc", "dev"):
        (root / kind).mkdir(exist_ok=True)
        step(f"mount {kind}", "mount", "--rbind", f"/{kind}", str(root / kind))


def opened(root: Path) -> None:
    """README's start command, until the page says that it can answer."""
    port = free_port()
    start = START.replace("app.py", f"app.py --port {port}")
    words, began = inside(root, f"exec sh -ec '{start}'"), time.monotonic()
    with subprocess.Popen(words, start_new_session=True) as page:
        try:
            wait_for_page(port, lambda: page.poll() is None, PATIENCE)
            say(f"start command: {time.monotonic() - began:.0f} s")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(page.pid, 15)


def main() -> None:
    """Make the root, run the commands, unmount."""
    p = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    p.add_argument("root", type=Path, help="an empty or missing folder")
    p.add_argument("--suite", default="bookworm")
    p.add_argument("--mirror", default="", help="by default debootstrap's own")
    p.add_argument("--copy", type=Path, nargs="*", default=[])
    p.add_argument("--test", action="store_true", help="run the test command too")
    a = p.parse_args()
    try:
        make(a.root, a.suite, a.mirror, a.copy)
        opened(a.root)
        asked = re.search(r"^\$ (.+answer .+)$", README, re.M)
        assert asked
        step("one question", *inside(a.root, asked[1]))
        if a.test:
            step("test command", *inside(a.root, TEST))
    finally:
        for kind in ("dev", "proc"):
            subprocess.run(["umount", "-R", "-l", str(a.root / kind)], check=False)


if __name__ == "__main__":
    main()
