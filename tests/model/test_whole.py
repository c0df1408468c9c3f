"""A library that replaces itself at the end of its import, and threads that come second."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from qa_demo.model.whole import imported, transformers

SELF_REPLACING = """
import sys, types
from threading_marks import began, go
began.set()
assert go.wait(30)
whole = types.ModuleType(__name__)
whole.Config = "whole"
whole.__spec__ = __spec__
sys.modules[__name__] = whole
"""


def test_the_second_thread_is_given_the_whole_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go = Event(), Event()
    (tmp_path / "replaces_itself.py").write_text(SELF_REPLACING, encoding="utf-8")
    marks = type(sys)("threading_marks")
    marks.began, marks.go = began, go  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "threading_marks", marks)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        with ThreadPoolExecutor(4) as threads:
            first = threads.submit(imported, "replaces_itself")
            assert began.wait(30)
            others = [threads.submit(imported, "replaces_itself") for _ in range(3)]
            go.set()
            assert {one.result(30).Config for one in (first, *others)} == {"whole"}
    finally:
        sys.modules.pop("replaces_itself", None)


def test_transformers_has_what_readers_are_built_of() -> None:
    assert transformers() is sys.modules["transformers"] and transformers().BertConfig
