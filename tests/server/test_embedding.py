"""Which origins may show the page in a frame, and what is refused."""

import pytest

from qa_demo import app
from qa_demo.core.base import BadInput
from qa_demo.server.embedding import MOST, VARIABLE, frame_ancestors
from qa_demo.server.guard import POLICY, policy


def test_origins_are_added_to_those_of_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert frame_ancestors() == () and policy() == POLICY
    monkeypatch.setenv(VARIABLE, " https://course.example.org  http://localhost:8000\n")
    found = frame_ancestors()
    assert found == ("https://course.example.org", "http://localhost:8000")
    made = policy(found)
    assert made == f"{POLICY} https://course.example.org http://localhost:8000"
    monkeypatch.setenv(VARIABLE, "https://*.example.org:8443 http://127.0.0.1:1")
    assert len(frame_ancestors()) == 2


ADDRESSES = ["*", "course.example.org", "https://course.example.org/", "data:", "https://"]
LISTS = ["https://a.example,https://b.example", "https://a.example; script-src *", "'none'"]
ODD = ["https://a b", "https://ä.example", "https://a.example" * 60]
MANY = " ".join(["https://a.example"] * (MOST + 1))


@pytest.mark.parametrize("value", [*ADDRESSES, *LISTS, *ODD, MANY])
def test_what_is_no_origin_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(BadInput, match=VARIABLE):
        frame_ancestors()
    monkeypatch.setattr("qa_demo.app.made", lambda *_: pytest.fail("it loads a reader"))
    assert app.main(["--port", "0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"spanlight: {VARIABLE}") and said.count("\n") == 1
