"""Each meeting of a plan fits one page, on A4 and on US letter."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from qa_demo.cli.main import main


@pytest.mark.parametrize("paper", ["A4", "letter"])
@pytest.mark.parametrize(("what", "pages"), [("45", 1), ("90", 1), ("2x90", 2), ("aims", 1)])
def test_a_meeting_fits_one_page(
    chromium: Browser, tmp_path: Path, what: str, pages: int, paper: str
) -> None:
    out = tmp_path / "plan.html"
    assert main(["course", what, "--paper", paper, "--out", str(out)]) == 0
    page = chromium.new_page()
    page.set_content(out.read_text(encoding="utf-8"))
    pdf = page.pdf(prefer_css_page_size=True)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == pages
