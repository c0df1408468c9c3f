"""A reading in a notebook: a frame that holds all of it, and says what needs a reader."""

import json
import sys
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import qa_demo
from qa_demo.core.types import Reading
from qa_demo.views.notebook import as_page
from tests.fakes import FakeReader

LACKING = "This needs the running page: a notebook shows the reading alone, without its reader."
HOSTILE = "It's <b>\"Visby\"</b>, &#39; &amp; </script></iframe><img src=x onerror='alert(1)'>"
TEXT = f"Anna Lund came to Visby in 1900. {HOSTILE} George Rotne drew the bridge there."


@pytest.fixture(scope="module")
def reading() -> Reading:
    reader = FakeReader(bio=True)
    reader.checksum = "fake-notebook"  # its heads: no test before has made them
    return reader.read("Who came to 'Visby'?", TEXT)


@pytest.fixture(scope="module")
def shown(reading: Reading) -> str:
    return as_page(reading)


class Elements(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script":
            self.scripts[-1] += data


def tape_of(shown: str) -> dict[str, Any]:
    [(_, frame)] = Elements(shown).found
    inside = Elements(str(frame["srcdoc"]))
    tape: dict[str, Any] = json.loads(inside.scripts[0])["tape"]
    return tape


def test_one_frame_holds_the_reading_whatever_its_text_is(shown: str, reading: Reading) -> None:
    [(name, frame)] = Elements(shown).found
    assert name == "iframe" and frame.keys() == {"title", "sandbox", "style", "srcdoc"}
    assert set(str(frame["sandbox"]).split()) == {"allow-scripts", "allow-downloads"}
    tape = tape_of(shown)
    assert tape["reading"]["question"] == reading.encoding.question
    assert tape["reading"]["context"] == TEXT and tape["reading"]["saved"] is True
    assert len(tape["pictures"]) == 9
    assert not any(tag in ("img", "iframe") for tag, _ in Elements(str(frame["srcdoc"])).found)


def test_what_needs_the_reader_is_said_in_one_sentence(shown: str) -> None:
    tape = tape_of(shown)
    pages, said = tape["pages"], {}
    for request, answer in tape["answers"].items():
        picture = pages[answer["page"]].get("picture", {})
        reply = picture.get("reply") or {}
        if (sentence := picture.get("lacking") or reply.get("error")) is not None:
            said.setdefault(" ".join(request.split()[:2]), set()).add(sentence)
    assert said == {
        name: {LACKING} for name in ("scores states", "spanbert load", "bio heads", "why ask")
    }


def test_a_running_notebook_is_told_and_nothing_else_is(
    monkeypatch: pytest.MonkeyPatch, reading: Reading
) -> None:
    told: dict[tuple[str, str], Any] = {}

    def for_type_by_name(module: str, name: str, show: Any) -> None:
        told[module, name] = show

    html = SimpleNamespace(for_type_by_name=for_type_by_name)
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": html}))
    notebook = ModuleType("IPython")
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setattr(notebook, "get_ipython", lambda: None, raising=False)
    qa_demo._shown_in_notebooks()
    assert told == {}
    monkeypatch.setattr(notebook, "get_ipython", lambda: shell)
    qa_demo._shown_in_notebooks()
    [((module, name), show)] = told.items()
    assert (module, name) == (type(reading).__module__, type(reading).__qualname__)
    assert show(reading).startswith("<iframe ")
