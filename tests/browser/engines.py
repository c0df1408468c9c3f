"""Open all nine chapters in Firefox and in WebKit: python -m tests.browser.engines [firefox webkit].

A picture must be drawn in each chapter, nothing wider than the screen, and no script may fail. It
needs Debian's `firefox-esr`, `webkit2gtk-driver` and, without a screen, `xvfb`; it speaks the
browsers' own protocols (Marionette; WebDriver over HTTP), and is no part of the test suite.
WebKit's driver hands out no console: there an error shows as a picture that is not drawn.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from qa_demo.views.page import CHAPTERS
from tests.browser.serve import serve
from tests.fakes import FakeReader
from tests.ports import free_port

PATIENCE = 90.0
Run = Callable[[str], Any]
"""Run a script in the page: the body of a function."""

READY = """return document.body.classList.contains("ready")
  && Boolean(document.querySelector("#picture-answer .four dd"));"""
OPEN = 'document.getElementById("tab-{key}").click(); return true;'
DRAWN = """const panel = document.getElementById("panel-{key}");
const stage = panel.querySelector(".stage");
const marks = [...stage.querySelectorAll("svg *, canvas, .word, button, td")];
return {{
  notice: panel.querySelector(".notice").textContent.length,
  marks: marks.filter((node) => node.getBoundingClientRect().width > 0).length,
  words: stage.innerText.length,
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
}};"""


def until(look: Callable[[], Any], what: str) -> Any:
    """What `look` finds, once it is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not within {PATIENCE:.0f} seconds")


@contextlib.contextmanager
def program(*command: str) -> Iterator[None]:
    """A browser's process, ended at the end."""
    environment = {**os.environ, "MOZ_HEADLESS": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()


class Marionette:
    """Firefox's own protocol: [0, number, command, parameters], its length before it."""

    def __init__(self, port: int) -> None:
        self._numbers = count(1)
        self._stream = until(lambda: self._connect(port), "Firefox").makefile("rwb")
        self._receive()

    @staticmethod
    def _connect(port: int) -> socket.socket | None:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except OSError:
            return None

    def _receive(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self._stream.read(1)
        return json.loads(self._stream.read(int(size[:-1])))

    def ask(self, command: str, family: str = "WebDriver", **parameters: Any) -> Any:
        """The answer to a command."""
        sent = json.dumps([0, next(self._numbers), f"{family}:{command}", parameters]).encode()
        self._stream.write(b"%d:%s" % (len(sent), sent))
        self._stream.flush()
        _, _, error, answer = self._receive()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return answer

    def context(self, name: str) -> None:
        """Where scripts run: in the page ("content") or in the browser ("chrome")."""
        self.ask("SetContext", "Marionette", value=name)

    def run(self, script: str) -> Any:
        """A script in the page."""
        return self.ask("ExecuteScript", script=script, args=[])["value"]


CONSOLE = """return Services.console.getMessageArray()
  .filter((m) => m instanceof Ci.nsIScriptError && !(m.flags & m.warningFlag) &&
    m.sourceName.startsWith("http://127.0.0.1"))
  .map((m) => `${m.errorMessage} (${m.sourceName.split("/").at(-1)}:${m.lineNumber})`);"""


@contextlib.contextmanager
def firefox(address: str) -> Iterator[tuple[str, Run, Callable[[], list[str]]]]:
    """Its version, a way to run scripts, and its console's errors."""
    port = free_port()
    with tempfile.TemporaryDirectory() as profile:
        with open(f"{profile}/user.js", "w", encoding="ascii") as settings:
            settings.write(f'user_pref("marionette.port", {port});\n')
        with program(
            "firefox-esr",
            "--headless",
            "--marionette",
            "--remote-allow-system-access",
            "--profile",
            profile,
        ):
            browser = Marionette(port)
            session = browser.ask("NewSession")
            browser.ask("SetWindowRect", width=1280, height=900)
            browser.ask("Navigate", url=address)

            def errors() -> list[str]:
                browser.context("chrome")
                found = browser.run(CONSOLE)
                browser.context("content")
                return list(found)

            name = session["capabilities"]
            yield f"Firefox {name['browserVersion']}", browser.run, errors


@contextlib.contextmanager
def webkit(address: str) -> Iterator[tuple[str, Run, Callable[[], list[str]]]]:
    """The same by WebDriver over HTTP; its driver knows no console."""
    port = free_port()
    driver = shutil.which("WebKitWebDriver") or "WebKitWebDriver"
    screen = ["xvfb-run", "-a"] if shutil.which("xvfb-run") and "DISPLAY" not in os.environ else []
    with program(*screen, driver, f"--port={port}"):

        def ask(path: str, body: dict[str, Any] | None = None) -> Any:
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}{path}",
                None if body is None else json.dumps(body).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]

        def there() -> Any:
            try:
                return ask("/status")
            except (urllib.error.URLError, ConnectionError):
                return None

        until(there, "WebKitWebDriver")
        session = ask("/session", {"capabilities": {"alwaysMatch": {}}})
        path = f"/session/{session['sessionId']}"
        ask(f"{path}/window/rect", {"width": 1280, "height": 900})
        ask(f"{path}/url", {"url": address})
        name = session["capabilities"]
        try:
            yield (
                f"WebKit ({name['browserName']} {name['browserVersion']})",
                lambda script: ask(f"{path}/execute/sync", {"script": script, "args": []}),
                list,
            )
        finally:
            urllib.request.urlopen(
                urllib.request.Request(f"http://127.0.0.1:{port}{path}", method="DELETE"),
                timeout=10,
            ).close()


def look(name: str, run: Run, errors: Callable[[], list[str]]) -> list[str]:
    """Open every chapter and say what is wrong with it."""
    until(lambda: run(READY), f"{name}, first reading")
    faults = []
    for module in CHAPTERS:
        key = module.CHAPTER.key
        run(OPEN.format(key=key))
        drawn = DRAWN.format(key=key)
        found = until(
            lambda drawn=drawn: (
                lambda seen: seen if seen["marks"] >= 40 and seen["notice"] else None
            )(run(drawn)),
            f"{name}, chapter {module.CHAPTER.number}",
        )
        print(f"{name}, chapter {module.CHAPTER.number}: {found}")  # noqa: T201
        if found["wide"] > 1:
            faults.append(f"{key} is {found['wide']} px wider than the screen")
    return faults + errors()


def main(names: list[str]) -> int:
    """Look at the page in these browsers; 1 when something is wrong."""
    port, faults = free_port(), []
    app, _, _ = serve(port, FakeReader(bio=True), prevent_thread_lock=True)
    try:
        for name in names or ["firefox", "webkit"]:
            opened = {"firefox": firefox, "webkit": webkit}[name]
            with opened(f"http://127.0.0.1:{port}/") as (told, run, errors):
                found = look(told, run, errors)
                print(f"{told}: {found or 'nine chapters drawn, nothing wrong'}")  # noqa: T201
                faults += found
    finally:
        app.get_blocks().close(verbose=False)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
