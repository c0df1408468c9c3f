"""python -m qa_demo site: a folder of plain files, or one sentence why there is none."""

import re
import shlex
from pathlib import Path

import pytest

from qa_demo.cli.main import main
from qa_demo.cli.site import check_folder
from qa_demo.core.errors import BadInput
from qa_demo.views.saved.site import MARK
from tests.documents import TEXT
from tests.fake_infiller import FakeInfiller
from tests.model import kit

pytestmark = pytest.mark.slow


def test_the_command_that_is_shown_writes_an_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from qa_demo.views.examples import load_menu

    command = re.search(r"-m qa_demo (site .*)", TEXT)
    assert command is not None
    folder = kit.save(tmp_path / "tiny", "bert", bio=True, threshold=100.0)
    first = dict([next(iter(load_menu().items()))])
    monkeypatch.setattr("qa_demo.views.examples.load_menu", lambda: first)
    monkeypatch.setattr("qa_demo.views.lessons.course.load", lambda: ())
    monkeypatch.setattr("qa_demo.core.files.examples.load_passages", lambda path: ())
    monkeypatch.setattr("qa_demo.app.load_infiller", lambda limits, source: FakeInfiller(source))
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command[1])
    assert main([*words, "--reader", str(folder)]) == 0
    streams = capsys.readouterr()
    out = Path(words[1])
    files = [path for path in out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    assert streams.out.startswith(f"{out}: {len(files)} files, {size:,} bytes, ")
    assert f"data/{next(iter(first))}.js: " in streams.err
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


def test_what_is_no_address_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["site", str(tmp_path), "--page", "file:///x"]) == 2
    assert "--page must be an address such as" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
