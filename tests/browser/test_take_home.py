"""What one takes along: every chapter's picture as SVG and PNG, its code, and the reading as JSON."""

import ast
import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from qa_demo.views.page import CHAPTERS
from tests.answer_fields import FIELDS
from tests.browser.steps import LATE, ask

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"
NAME = re.compile(r"spanlight-[a-z0-9_-]+-\d{4}-\d\d-\d\d")


def saved(page: Page, button: Locator) -> Path:
    """The file that a press hands over, under its own name."""
    with page.expect_download() as waiting:
        button.click()
    path = waiting.value.path()
    return path.rename(path.with_name(waiting.value.suggested_filename))


def check_svg(path: Path, question: str, asked: str) -> tuple[int, int]:
    """Whole XML with its three lines, and nothing that runs or comes from elsewhere."""
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg" and root.findtext(f"{SVG}title") == question
    rows = {
        name: "".join(
            "".join(row.itertext())
            for row in root.findall(f"{SVG}text")
            if row.get("class") == name
        )
        for name in ("title", "formula", "source")
    }
    assert rows["title"] == question and asked in rows["source"] and "Spanlight" in rows["source"]
    assert rows["formula"] or "bio" in path.name
    for node in root.iter():
        assert not node.tag.lower().endswith(("}script", "}iframe", "}link")), node.tag
        for name, value in node.attrib.items():
            assert not name.lower().startswith("on"), name
            if name.lower().endswith(("href", "src")):
                assert value.startswith(("data:image/png", "#")), value[:80]
    held = html.unescape(text)
    assert not re.search(r"url\((?![\"']?(?:#|data:font/woff2;))", held) and "@import" not in held
    assert held.count("@font-face") == 5
    return int(root.attrib["width"]), int(root.attrib["height"])


def check_png(path: Path, size: tuple[int, int]) -> None:
    """Twice as fine as the drawing, and not one colour; more may have come to it since."""
    image = Image.open(io.BytesIO(path.read_bytes()))
    assert image.width == 2 * size[0] and image.height % 2 == 0 and image.height > 200
    colours = image.convert("RGB").getcolors(1 << 24)
    assert colours is not None and len(colours) > 20
    body = image.convert("L").crop((0, image.height // 3, image.width, 2 * image.height // 3))
    assert body.getextrema()[0] < body.getextrema()[1]


def test_every_picture_is_saved_as_svg_and_png(open_page: Callable[..., Page]) -> None:
    page = open_page("#example=saxophone", color_scheme="dark")
    asked = page.locator("#asked .asked-question").text_content()
    for module in CHAPTERS:
        key = module.CHAPTER.key
        page.locator(f"#tab-{key}").click()
        panel = page.locator(f"#picture-{key}")
        expect(panel.locator(".stage > *").first).to_be_attached()
        expect(panel.locator(".notice")).not_to_be_empty()
        if key in LATE:
            expect(panel.locator(LATE[key]).first).to_be_visible()
        panel.locator(".folds summary").get_by_text("as a picture", exact=True).click()
        svg = saved(page, panel.get_by_role("button", name="Save the picture as SVG"))
        png = saved(page, panel.get_by_role("button", name="Save the picture as PNG"))
        assert all(NAME.fullmatch(one.stem) and key in one.stem for one in (svg, png))
        check_png(png, check_svg(svg, panel.locator(".question").inner_text(), asked))


def test_the_code_follows_the_selection_and_stays_text(top: Page) -> None:
    hostile = "<img src=x onerror=alert(1)> 'and' \"more\" \\ towers stand in Malmö."
    ask(top, "Where do 'they' stand?", hostile)
    panel = top.locator("#picture-answer")
    panel.locator(".folds summary").get_by_text("show me the code", exact=True).click()
    code = panel.get_by_role("region", name="The code")
    expect(code).to_contain_text("k, i, j = 0,")
    assert code.locator("*").count() == 1  # the code element, and only text in it
    before = code.inner_text()
    panel.locator(".stage .word").first.click()
    expect(code).not_to_have_text(before)
    path = saved(top, panel.get_by_role("button", name="save as .py"))
    text = path.read_text(encoding="utf-8")
    assert path.name.endswith(".py") and NAME.fullmatch(path.stem)
    held = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    assert hostile in held and "Where do 'they' stand?" in held


def test_the_reading_is_saved_with_the_fields_of_the_command_line(top: Page) -> None:
    top.locator("#switch-linking").click()
    names = ("Save this reading as one file", "save as JSON")
    file, button = (top.get_by_role("button", name=name) for name in names)
    left = "node => node.offsetLeft + parseFloat(getComputedStyle(node).paddingLeft)"
    assert file.evaluate(left) == top.get_by_text("This address brings back").evaluate(left)
    assert file.bounding_box()["y"] == button.bounding_box()["y"]
    path = saved(top, button)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert list(found) == FIELDS
    assert found["question"] == top.locator("#asked .asked-question").inner_text()
