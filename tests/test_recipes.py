"""The two chapters of CONTRIBUTING: their diffs apply to this checkout, stay short, and work."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import CONTRIBUTING, ROOT

pytestmark = pytest.mark.slow
DIFFS = re.findall(r"```diff\n(.*?)```", CONTRIBUTING, re.DOTALL)
OPEN = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from qa_demo.core.errors import Cancelled
from qa_demo.core.options import DecodeOptions
from qa_demo.views.page import CHAPTERS
from qa_demo.views.state import Screen
from qa_demo.views.words import chapter
from tests.fakes import FakeReader
assert Path(chapter.__file__).is_relative_to(sys.argv[1]) and CHAPTERS[-1] is chapter
screen = Screen(FakeReader().read("What?", "The bridge and the tunnel, the"), DecodeOptions())
if sys.argv[3] == "slow":
    from types import SimpleNamespace
    from qa_demo.views.background import Job
    wired = {}
    frame = SimpleNamespace(background=lambda c, names, *how: wired.update(zip(names, [how])))
    chapter.build(frame)
    work, receive, busy = wired["count"]
    told = []
    job = Job(screen, "count", True, None, progress=lambda *step: told.append(step))
    assert chapter.present(screen)["picture"] == {"rows": []}
    screen = receive(screen, job, work(job))
    assert told == [(k, 6) for k in range(1, 7)]
    try:
        work(job.telling(job.progress, lambda: True))
        raise AssertionError("Cancel did nothing")
    except Cancelled:
        pass
print(chapter.present(screen)["picture"]["rows"][0])
"""


@pytest.mark.parametrize(("kind", "diff"), list(zip(("plain", "slow"), DIFFS, strict=True)))
def test_a_recipe_applies_and_its_chapter_works(kind: str, diff: str, tmp_path: Path) -> None:
    added = [x for x in diff.splitlines() if x.startswith("+") and not x.startswith("+++")]
    removed = [x for x in diff.splitlines() if x.startswith("-") and not x.startswith("---")]
    assert len(added) < 60 and not removed
    assert f"({len(added)} lines" in CONTRIBUTING
    shutil.copytree(ROOT / "qa_demo", tmp_path / "qa_demo")
    (tmp_path / "assets").mkdir()
    for path in (ROOT / "assets").iterdir():
        if path.name != "page":
            (tmp_path / "assets" / path.name).symlink_to(path)
    applied = subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=diff, capture_output=True, text=True
    )
    assert applied.returncode == 0, applied.stderr
    assert "export function draw" in (tmp_path / "assets/page/words/chapter.js").read_text()
    opened = subprocess.run(
        [sys.executable, "-c", OPEN, str(tmp_path), str(ROOT), kind],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert opened.stdout == "['the', '3']\n", opened.stderr
