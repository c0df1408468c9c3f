"""axe in every chapter and step, light, dark and in present mode, findings of every impact: a
command of its own, because it takes minutes.

python -m pytest tests/browser/axe.py
"""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.steps import RUN
from tests.browser.test_present import PICTURES

pytestmark = pytest.mark.browser

LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "present": {"viewport": {"width": 1920, "height": 1080}},
    "phone": {"viewport": {"width": 375, "height": 812}},
}


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_in_any_step(open_page: Callable[..., Page], look: str) -> None:
    page = open_page(**LOOKS[look])
    if look == "present":
        page.locator("#switch-present").click()
    faults = []
    for key, steps in PICTURES.items():
        page.locator(f"#tab-{key}").click()
        for step, part in steps.items():
            if step:
                page.locator(f"#{key}-step-{step}").click()
            stage = page.locator(f"#stage-{key}")
            if not (look == "phone" and key == "spans"):  # a phone has a picture of its own there
                expect(stage.locator(part).locator("visible=true").first).to_be_visible()
            for v in page.evaluate(RUN, [Axe().axe_script, None]):
                nodes = [node["html"][:140] for node in v["nodes"]][:3]
                faults.append(f"{key} {step}: {v['id']} ({v['impact']}) {nodes}")
    assert not faults, "\n".join(faults)
