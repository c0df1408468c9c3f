"""The report's modules as one classic script.

A browser loads no module from `file://`. So each module becomes a function that is called once:
`import` asks for another one, `export` hands its names over at the end. The modules are formatted
by `deno fmt`, so every import and export stands at the beginning of a line, and a form that is not
known here is refused.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from qa_demo.core.base import BadInput

_FROM = r"\s*from\s*[\"'](?P<path>[^\"'\n]+)[\"'];[ \t]*$"
_IMPORT = re.compile(r"^import\s+(?:\{(?P<names>[^}]*)\}|\*\s+as\s+(?P<all>\w+))" + _FROM, re.M)
_BARE = re.compile(r"^import\s+[\"'](?P<path>[^\"'\n]+)[\"'];[ \t]*$", re.M)
_AGAIN = re.compile(r"^export\s*\{(?P<names>[^}]*)\}" + _FROM, re.M)
_LIST = re.compile(r"(?:^|(?<=[};]))export\s*\{(?P<names>[^}]*)\};?[ \t]*$", re.M)
_DECLARED = re.compile(
    r"^export\s+(?P<what>(?:(?:async\s+)?function\*?|class|const)\s+(?P<name>[\w$]+))", re.M
)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.M)
_LOADED = re.compile(r"\bimport\(")

_RUN = """
const loaded = new Map();
const at = (here, path) => new URL(path, `page:///${here}`).pathname.slice(1);
async function run(name) {
  if (!(name in sources)) await rest();
  const found = {};
  const get = (path) => load(path);
  const later = (path) => load(at(name, path));
  await sources[name](get, later, (more) => Object.assign(found, more), `page:///${name}`);
  return Object.freeze(found);
}
function load(name) {
  if (!loaded.has(name)) loaded.set(name, run(name).catch((error) => failed(name, error)));
  return loaded.get(name);
}
function failed(name, error) {
  loaded.delete(name);
  throw error;
}
"""


def script(folder: Path, entry: str) -> str:
    """The entry and all that it imports, as one script that begins with the entry.

    Errors: BadInput for a module that cannot be bundled.
    """
    made = _modules(folder, [entry])
    code = f"const sources = {_listed(made)};\n{_RUN}\nload({json.dumps(entry)});"
    code = f'(() => {{\n"use strict";\n{code}\n}})();\n'
    # within a script element these three would end it, or begin a comment in it
    code = re.sub(r"<(?=/script|script|!--)", r"\\x3c", code, flags=re.IGNORECASE)
    return code


def _listed(made: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f'"{name}": {code}' for name, code in made.items()) + "\n}"


def _modules(folder: Path, wanted: Iterable[str]) -> dict[str, str]:
    """These modules and all that they import, each behind those that it imports."""
    made: dict[str, str] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in made:
            return
        if name in above:
            raise BadInput(f"modules import each other: {' -> '.join((*above, name))}")
        text = (folder / name).read_text(encoding="utf-8").replace("\r\n", "\n")
        code, imported = wrapped(text, name)
        for other in imported:
            add(other, (*above, name))
        made[name] = code

    for name in wanted:
        add(name, ())
    return made


def wrapped(text: str, name: str) -> tuple[str, list[str]]:
    """A module as a function, and its imports. Errors: BadInput for unknown forms."""
    imported: list[str] = []
    exported: list[str] = []

    def asked(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), found["path"]))
        imported.append(path)
        return f'await $get("{path}")'

    def bound(found: re.Match[str]) -> str:
        left = found["all"] or "{ " + ", ".join(_pairs(found["names"], "{0}: {1}")) + " }"
        return f"const {left} = {asked(found)};"

    def again(found: re.Match[str]) -> str:
        held = f"$again{len(exported)}"
        exported.extend(_pairs(found["names"], f"{{1}}: {held}.{{0}}"))
        return f"const {held} = {asked(found)};"

    def listed(found: re.Match[str]) -> str:
        exported.extend(_pairs(found["names"], "{1}: {0}"))
        return ""

    def declared(found: re.Match[str]) -> str:
        exported.append(found["name"])
        return found["what"]

    code = _IMPORT.sub(bound, text)
    code = _BARE.sub(lambda found: f"{asked(found)};", code)
    code = _LIST.sub(listed, _AGAIN.sub(again, code))
    code = _DECLARED.sub(declared, code)
    if (left := _LEFT.search(code)) is not None:
        raise BadInput(f"{name} cannot be bundled: {left[0][:80]}")
    code = _LOADED.sub("$later(", code).replace("import.meta.url", "$here")
    head = "async ($get, $later, $export, $here) => {"
    return f"{head}\n{code}\n$export({{ {', '.join(exported)} }});\n}}", imported


def _pairs(names: str, form: str) -> list[str]:
    """Names of an import or export, `a` and `a as b`, each written in another form."""
    pairs = [part.split(" as ") for part in (p.strip() for p in names.split(",")) if part]
    return [form.format(pair[0].strip(), pair[-1].strip()) for pair in pairs]
