"""python -m qa_demo site: a folder of plain files, or one sentence why there is none."""

import re
import shlex
from pathlib import Path

import pytest

from qa_demo.cli.site import check_folder
from qa_demo.core.errors import BadInput
from qa_demo.views.saved.site import MARK
from tests.cli.terminal import Terminal
from tests.documents import TEXT
from tests.fake_infiller import FakeInfiller

pytestmark = pytest.mark.slow


def test_the_command_that_is_shown_writes_an_edition(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    from qa_demo.views.examples import load_menu

    command = re.search(r"-m qa_demo (site .*)", TEXT)
    assert command is not None

    first = dict([next(iter(load_menu().items()))])
    monkeypatch.setattr("qa_demo.views.examples.load_menu", lambda: first)
    monkeypatch.setattr("qa_demo.views.lessons.course.load", lambda: ())
    monkeypatch.setattr("qa_demo.core.files.examples.load_passages", lambda path: ())
    monkeypatch.setattr("qa_demo.app.load_infiller", lambda limits, source: FakeInfiller(source))
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command[1])
    terminal.run(*words, "--reader", folder)
    out = Path(words[1])
    files = [path for path in out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    assert terminal.out.startswith(f"{out}: {len(files)} files, {size:,} bytes, ")
    assert f"data/{next(iter(first))}.js: " in terminal.err
    assert (out / "index.html").is_file()


def test_a_folder_of_others_is_left_alone(tmp_path: Path) -> None:
    check_folder(tmp_path / "new", MARK)
    check_folder(tmp_path, MARK)
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(BadInput, match="holds other files"):
        check_folder(tmp_path, MARK)
    with pytest.raises(BadInput, match=r"mine\.txt is no folder"):
        check_folder(tmp_path / "mine.txt", MARK)
    (tmp_path / MARK).write_text("{}")
    check_folder(tmp_path, MARK)
