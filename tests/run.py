"""Set up and run every test: python3 tests/run.py [--quick] [pytest arguments]. Standard library
only, Python 3.11 or later.

Creates .venv where it is missing, installs requirements-dev.txt into it when that or
requirements.txt changed, at the same time Chromium where there is none, and then runs pytest on two
workers and beside it deno (format, lint and types of what runs in a browser), ruff, import-linter
and mypy, all of them even if one fails. The exit code is 0 only when all pass; pytest's closing
line comes last. `--quick` leaves out what needs a browser, a model or seconds. requirements-dev.txt
names the systems that have deno; on others the run says so, and the rest runs.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
DENO = PYTHON.with_name("deno.exe" if os.name == "nt" else "deno")
REQUIREMENTS = ("requirements.txt", "requirements-dev.txt")
LOCK = ROOT / "requirements.lock"
# the shell has no windows, whose own pages cost a third of a second for each page of a test
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSERS += ("google-chrome-stable",)
# the last one is for Playwright's own Node: without it its driver ends at once on a bare Debian 12
DEBIAN_PACKAGES = ("chromium-headless-shell", "fonts-liberation", "libatomic1")
QUICK = "--quick"
LEFT_OUT = ("tests/browser", "tests/cli", "tests/model", "tests/training")
# a worker that is through takes over half of what the other still has, whole files where it can
WORKERS = ("-n", "2", "--dist", "worksteal", "--durations=20", "--durations-min=1")
PAGE = (
    (DENO, "fmt", "--check"),
    (DENO, "lint"),
    (DENO, "check", "--no-remote", "--no-npm", "--cached-only")
    + ("assets/page/main.js", "assets/page/report.js", "assets/page/early.js"),
)
CODE = (
    (PYTHON, "-m", "ruff", "check", "."),
    (PYTHON.with_name(f"lint-imports{PYTHON.suffix}"), "--no-cache"),
    (PYTHON, "-m", "mypy"),
)
HEARD = {"cwd": ROOT, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
HEARD |= {"stderr": subprocess.STDOUT, "text": True, "encoding": "utf-8"}
"""How a step is run whose words are read as they come, in one stream."""


def say(text: str) -> None:
    """One line before each step, at once, so that a log shows what hangs."""
    sys.stdout.write(f"== {text}\n")
    sys.stdout.flush()


def run(*command: str | Path, **environment: str) -> int:
    """Run a step from the project's root and return its exit code."""
    words, known = [str(part) for part in command], {**os.environ, **environment}
    say(" ".join(words))
    if not shutil.which(words[0]):
        sys.exit(f"{words[0]} is missing")
    return subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, env=known).returncode


def need(*command: str | Path, **environment: str) -> None:
    """Run a step without which the rest is pointless."""
    if code := run(*command, **environment):
        sys.exit(f"this step failed with exit code {code}: {' '.join(map(str, command))}")


def install() -> None:
    """Make .venv at the pinned versions, by pip from outside: Debian may lack ensurepip."""
    read = b"".join((ROOT / name).read_bytes() for name in REQUIREMENTS)
    digest = hashlib.sha256(read).hexdigest()
    stamp = VENV / "installed-requirements"
    if PYTHON.exists() and stamp.is_file() and stamp.read_text() == digest:
        say(f"{VENV.name} already holds the pinned versions")
        return
    if not PYTHON.exists():
        need(sys.executable, "-m", "venv", "--without-pip", VENV)
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    # Python compiles what is imported; pip would compile all of it, for longer than it installs
    install = ("install", "--quiet", "--no-compile")
    (pip,) = re.findall(r"^pip==\S+", read.decode(), re.MULTILINE)
    need(sys.executable, "-m", "pip", "--python", PYTHON, *install, pip, **quiet)
    # two pips at once are faster than one, and by quarters, the large ones of the end first, wait
    # less for each other; what they refuse on this system, the last one names
    listed = LOCK.read_text() + read.decode()
    found = re.findall(r"^([\w-]+)(==[^;\s]+(?:;.*)?)", listed, re.MULTILINE)
    pins = [n + v for n, v in {name.replace("_", "-"): v for name, v in found}.items()][::-1]
    size = len(pins) // 4 + 1
    with ThreadPoolExecutor(2) as pool:
        for part in (pins[i : i + size] for i in range(0, len(pins), size)):
            pool.submit(run, PYTHON, "-m", "pip", *install, "--no-deps", *part, **quiet)
    # the pip of Debian 12 and of Python 3.11 reads the lists of all files of a package much slower
    need(PYTHON, "-m", "pip", *install, "-r", REQUIREMENTS[-1], **quiet)
    stamp.write_text(digest)


def has_browser() -> bool:
    """Whether there is a Chromium now: apt-get brings Debian's (sudo without a password)."""
    if found := next(filter(None, map(shutil.which, BROWSERS)), None):
        say(f"Chromium: {found}")
        return True
    root = () if os.name == "nt" or os.geteuid() == 0 else ("sudo", "-n")
    if not shutil.which("apt-get") or (root and not shutil.which("sudo")):
        return False
    need(*root, "apt-get", "update", "-q", DEBIAN_FRONTEND="noninteractive")
    install = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-q", "-y")
    need(*root, *install, "--no-install-recommends", *DEBIAN_PACKAGES)
    return True


def check() -> list[str]:
    """Run deno, ruff, import-linter and mypy; whoever passes says one line, whoever fails all that
    it said. Returns what failed.
    """
    failed = []
    if not DENO.exists():
        say("no deno for this system: the page's modules were NOT formatted, linted or checked")
    for step in (*PAGE, *CODE) if DENO.exists() else CODE:
        command = " ".join(map(str, step))
        done = subprocess.run(step, **HEARD)
        if done.returncode:
            failed.append(command)
        say(f"{command}: " + (f"FAILED\n{done.stdout}" if done.returncode else "passed"))
    return failed


def test(arguments: list[str]) -> int:
    """Run pytest and the other checks beside it; 1 if anything failed."""
    command = [str(PYTHON), "-m", "pytest", *WORKERS, *arguments]
    say(" ".join(command))
    # some fifty processes import torch or gradio: each would compile them if none kept its bytecode
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with ThreadPoolExecutor(1) as pool, subprocess.Popen(command, env=kept, **HEARD) as pytest:
        others = pool.submit(check)
        assert pytest.stdout is not None
        last = ""
        for line in pytest.stdout:
            sys.stdout.write(last)
            sys.stdout.flush()
            last = line
    failed = others.result() + (["pytest"] if pytest.returncode else [])
    if failed:
        say(f"failed: {', '.join(failed)}")
    sys.stdout.write(last)
    return 1 if failed else 0


def main() -> int:
    """Set up, then check style, types and behaviour."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what tells an older Python
        sys.exit(f"Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    quick = QUICK in (arguments := sys.argv[1:])
    with ThreadPoolExecutor(1) as pool:
        browser = pool.submit(lambda: quick or has_browser())
        install()
    if quick:
        arguments.remove(QUICK)
        arguments += ["-m", "not browser and not model and not slow"]
        arguments += [f"--ignore={folder}" for folder in LEFT_OUT]
    if not browser.result():
        need(PYTHON, "-m", "playwright", "install", "chromium")
    return test(arguments)


if __name__ == "__main__":
    sys.exit(main())
