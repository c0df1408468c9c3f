"""The code of every chapter: it compiles, it fits on a screen, and texts stay texts."""

import ast
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.reading.scales import COPIES
from qa_demo.core.types import Reading
from qa_demo.figures.code import PLACEHOLDER, Shown, opening
from qa_demo.views.examples import load_examples
from qa_demo.views.new_reading import new_screen
from qa_demo.views.spanbert.lab import KEY, kept_of
from qa_demo.views.state import Screen, WhatIf
from tests.fakes import FakeReader
from tests.figures.test_verdict import RULES
from tests.requests import MODULES
from tests.views.link.states import answered

HOSTILE = (
    "A 'quote' \"two\" \\n {braces} ${x} ''' \u202e \x00\x1b \ud800 </script>\n"
    "print(1) # \u2028 end."
)
FEWEST, MOST = 15, 40


def screen_of(question: str, context: str, options: WindowOptions | None = None) -> Screen:
    """A screen on which every chapter has code."""
    reading = FakeReader(bio=True).read(question, context, options or WindowOptions())
    return answered(new_screen(None, reading), "load")


def literals(code: str) -> list[str]:
    """Every text that stands in a snippet."""
    return [
        node.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def check(code: str, most: int = MOST) -> None:
    """It compiles, has so many lines, and names nothing of this package or this machine."""
    assert FEWEST <= len(code.rstrip("\n").split("\n")) <= most
    compile(code.encode("utf-8"), "snippet.py", "exec")
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    known = {"numpy", "torch", "transformers", "safetensors"}
    assert {str(name).split(".")[0] for name in imported} <= known
    assert "qa_demo" not in code and "/root" not in code and "/home" not in code


@pytest.mark.parametrize("key", sorted(load_examples()))
def test_the_code_of_every_example_fits_and_holds_its_texts(key: str) -> None:
    example = load_examples()[key]
    screen = screen_of(example.question, example.context)
    for module in MODULES.values():
        code = module.code(screen)
        check(code)
        if module.CHAPTER.key != KEY:
            assert {example.question, example.context} <= set(literals(code))


@pytest.mark.parametrize("options", [WindowOptions(), WindowOptions(64, 16, 40)])
def test_hostile_texts_stay_texts(options: WindowOptions) -> None:
    question = "Who 'asks' \"\\ \ud800?"
    screen = screen_of(question, HOSTILE * 3, options)
    for module in MODULES.values():
        code = module.code(screen)
        check(code)
        if module.CHAPTER.key != KEY:
            assert {question, HOSTILE * 3} <= set(literals(code))


@pytest.mark.parametrize("key", ["answer", "spans", "windows"])
def test_every_setting_has_its_line(key: str) -> None:
    module: ModuleType = MODULES[key]
    text = "The towers were drawn by Georg Rotne in July. " * 12
    screen = screen_of("Who drew it?", text, WindowOptions(64, 16, 40))
    changed = WhatIf({("start", 1, 12): 3.5}, (0, 2.25), 1.75)
    decode = DecodeOptions(7, 13, 0.625, top_n_grid=True)
    seen = set()
    for merge in (replace(rule, copies=copies) for copies in COPIES for rule in RULES):
        code = module.code(screen.change(merge=merge, decode=decode, what_if=changed))
        check(code, MOST + 2)  # two lines of changes by hand
        seen.add(code)
        assert "[(1, 0, 12, 3.5)]" in code and "2.25" in code and "i + 7" in code
        assert "13]" in code and "isin" in code and "max_length=64" in code
        assert key != "answer" or "1.75" in code
        with_threshold = merge.scale in ("logit", "log_odds") and merge.null != "none"
        assert ("0.625" in code) is (with_threshold and key != "spans")
    assert len(seen) >= 2 * 5


def test_a_folder_is_a_placeholder_and_a_hub_reader_its_revision(tmp_path: Path) -> None:
    screen = screen_of("Who?", "Somebody drew the towers.")
    for source, name, wanted in (
        (str(tmp_path / "secret"), "secret", repr(PLACEHOLDER)),
        ("owner/name", "owner/name@0123abcd", "revision='0123abcd'"),
        ("bundled", "bundled", "'assets/reader'"),
    ):
        reading, at = replace(screen.reading, model_name=name), screen.selection
        lines = "\n".join(opening(Shown(reading, source, at.window, at.span), "test"))
        assert wanted in lines and "secret" not in lines and str(tmp_path) not in lines


def test_what_has_no_code_says_why() -> None:
    screen = screen_of("Who?", "Somebody drew the towers.")
    typed = replace(screen.reading, checksum=Reading.TYPED + "x")
    plain = replace(screen.reading, tag_logits=None)
    for module, seen, said in (
        (MODULES["answer"], replace(screen, selection=None), "nothing is selected"),
        (MODULES["spans"], replace(screen, reading=typed), "typed by hand"),
        (MODULES["bio"], replace(screen, reading=plain), "no BIO head"),
        (MODULES[KEY], replace(screen, own={}), "being prepared"),
    ):
        with pytest.raises(BadInput, match=said):
            module.code(seen)
    assert kept_of(screen).lab is not None
