"""User text never reaches a template: gr.HTML runs `${...}` and `{{...}}` in them as code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def faults(source: str) -> Iterator[str]:
    """gr.HTML calls without a literal template, and literal templates with a placeholder."""
    for node in ast.walk(ast.parse(source)):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("HTML", "Markdown")
        ):
            continue
        if node.func.attr == "Markdown":
            yield f"line {node.lineno}: gr.Markdown"
            continue
        template = next((k.value for k in node.keywords if k.arg == "html_template"), None)
        if not (isinstance(template, ast.Constant) and isinstance(template.value, str)):
            yield f"line {node.lineno}: html_template must be a literal"
        elif "{{" in template.value or "${" in template.value:
            yield f"line {node.lineno}: html_template holds a placeholder"


def test_no_template_holds_a_placeholder() -> None:
    found = {
        path.name: list(faults(path.read_text(encoding="utf-8")))
        for path in (ROOT / "qa_demo").rglob("*.py")
    }
    assert {name: f for name, f in found.items() if f} == {}


def test_this_test_can_fail() -> None:
    assert list(faults("gr.HTML(value=x)")) and list(faults("gr.HTML(html_template=f'{x}')"))
    assert list(faults("gr.HTML(html_template='<p>${value}</p>')"))
    assert list(faults("gr.Markdown(x)"))
    assert not list(faults("gr.HTML(html_template='<p></p>')"))


def test_no_script_writes_markup_or_asks_another_host() -> None:
    forbidden = ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"]
    forbidden += ["eval(", "new Function", "https://", "http://"]
    for path in (ROOT / "assets" / "page").rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"http://www\.w3\.org/(2000/svg|1999/xhtml)", "", text)
        assert [word for word in forbidden if word in text] == [], path.name


def test_styles_fetch_nothing() -> None:
    for path in (ROOT / "assets" / "page").rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        # the fonts beside it, which style() puts inside
        files = re.findall(r"url\(([^)]*)\)", text)
        assert "@import" not in text and (path.name == "fonts.css") == bool(files), path.name
        assert all((path.parent / name.strip('"')).is_file() for name in files), path.name
