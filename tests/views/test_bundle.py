"""Modules as one script: the forms of import and export, and what is refused."""

from pathlib import Path

import pytest

from qa_demo.core.errors import BadInput
from qa_demo.views.bundle import INSTEAD, PAGE, page_scripts, script, wrapped


def test_a_module_becomes_a_function() -> None:
    text = (
        'import { a, b as c } from "../shared/one.js";\nimport * as two from "./two.js";\n'
        'import {\n  long,\n  longer,\n} from "./three.js";\nimport "./four.js";\n'
        "await ready;\nexport const x = a + c;\nexport async function f() {}\nexport class K {}\n"
        "const y = 1, z = 2;\nexport { y, z as zed };\n"
        'export { again, more as most } from "./five.js";\n'
        "const late = () => import(`./${x}.js`);\nconst here = import.meta.url;\n"
    )
    code, imported = wrapped(text, "room/module.js")
    beside = [f"room/{name}.js" for name in ("two", "three", "four", "five")]
    assert imported == ["shared/one.js", *beside]
    assert 'const { a: a, b: c } = await $get("shared/one.js");' in code
    assert 'const two = await $get("room/two.js");' in code
    assert 'const { long: long, longer: longer } = await $get("room/three.js");' in code
    assert '\nawait $get("room/four.js");' in code
    assert "\nconst x = a + c;\nasync function f() {}\nclass K {}\n" in code
    assert 'const $again0 = await $get("room/five.js");' in code
    exported = "again: $again0.again, most: $again0.more, y: y, zed: z, x, f, K"
    assert code.endswith(f"$export({{ {exported} }});\n}}")
    assert "const late = () => $later(`./${x}.js`);\nconst here = $here;" in code


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        'export * from "./a.js";',
        "export let changing = 1;",
        "export const { a } = b;",
        'import whole from "./a.js";',
        'import whole, { part } from "./a.js";',
    ],
)
def test_a_form_that_is_not_known_is_refused(line: str) -> None:
    with pytest.raises(BadInput, match=r"room/a\.js cannot be bundled: (export|import)"):
        wrapped(f"const b = 1;\n{line}\n", "room/a.js")


def test_a_circle_is_refused_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import "./b.js";\n')
    (tmp_path / "b.js").write_text('import "./a.js";\n')
    with pytest.raises(BadInput, match=r"a\.js -> b\.js -> a\.js"):
        script(tmp_path, "a.js")


def test_the_page_is_bundled_once_each_and_asks_for_no_file() -> None:
    code = script()
    for name in ("main.js", "saved/main.js", "why/chapter.js", "shared/store.js", "vendor/d3.js"):
        assert code.count(f'\n"{name}": async') == 1
    for name, other in INSTEAD.items():
        assert (PAGE / name).is_file() and f'"{name}": async' not in code
        assert f'\n"{other}": async' in code
    assert "plotly.min.js" not in code
    assert "</script" not in code.lower() and "<!--" not in code
    assert code == script()


def test_what_would_end_the_element_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('export const a = "</SCRIPT><!--";\n')
    assert '"\\x3c/SCRIPT>\\x3c!--"' in script(tmp_path, "a.js")


def test_every_module_is_in_one_of_the_two_scripts_and_none_asks_for_another_file() -> None:
    first, rest = page_scripts()
    own = {p.relative_to(PAGE).as_posix() for p in PAGE.rglob("*.js")}
    for name in own:
        held = [text.count(f'\n"{name}": async') for text in (first, rest)]
        apart = name.startswith("saved/") or name == "vendor/d3.entry.js"
        assert held == [0, 0] if apart else sorted(held) == [0, 1], name
    assert "import.meta" not in first + rest


def test_nothing_waits_at_the_top_of_the_first_script() -> None:
    """WebKit lets all but the first of many imports of such a module go on before it has run."""
    runs = page_scripts()[0].rpartition("\n}\n")[2]
    assert "mount" in runs and "await" not in runs
