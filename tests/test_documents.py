"""README, docs/, cards, pins and what a project is expected to hold: what they claim is so."""

import ast
import importlib
import os
import re
import shlex
import sys
import tomllib
from argparse import ArgumentParser
from importlib import metadata
from pkgutil import resolve_name
from types import ModuleType

import click
import pytest
import yaml
from huggingface_hub.cli import hf
from packaging.requirements import Requirement
from packaging.version import Version
from safetensors.numpy import load_file

import qa_demo
from qa_demo.api.calls import CALLS
from qa_demo.cli.calls import CALLED
from qa_demo.core.base import BadInput
from qa_demo.core.types import RULES
from qa_demo.pictures import CHAPTERS
from qa_demo.state import MAX_CHARACTERS
from qa_demo.training import card
from tests.chapters.given import EVERY, OWN, blocks, full, stored
from tests.documents import CONTRIBUTING, PAGES, README, ROOT, START, TEST, TEXT

FOLDERS = {n: ROOT / "assets" / n for n in ("reader", "reader-large", "spanbert")}
CARDS = {n: (folder / "README.md").read_text(encoding="utf-8") for n, folder in FOLDERS.items()}
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
SPACE = yaml.safe_load(README.split("---\n")[1])
PACKAGES = {
    path.relative_to(ROOT): ast.get_docstring(ast.parse(path.read_text())) or ""
    for path in (ROOT / "qa_demo").rglob("__init__.py")
}
"""The docstring of every package: what may come in is in pyproject.toml, for import-linter."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = [kind.partition("Python :: ")[2] for kind in PROJECT["classifiers"]]
FILES = ("requirements.txt", "requirements-dev.txt")
WRITTEN = TEXT + CONTRIBUTING + CARDS["reader"] + "".join(PACKAGES.values())


def pins(*files: str) -> dict[str, str]:
    lines = [line for name in files for line in (ROOT / name).read_text().splitlines()]
    return dict(line.partition(";")[0].split("==") for line in lines if line[0] not in "#-")


OURS = pins("requirements.txt")


def held(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_front_matter_is_what_a_space_needs_and_the_newest_version_is_cited():
    assert (SPACE["sdk"], SPACE["sdk_version"]) == ("gradio", OURS["gradio"])
    assert (SPACE["python_version"], SPACE["license"]) == ("3.11", "apache-2.0")
    assert (ROOT / "LICENSE").read_text().split()[:2] == ["Apache", "License"]
    assert (ROOT / SPACE["app_file"]).is_file() and len(SPACE["short_description"]) <= 60
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {SPACE["colorFrom"], SPACE["colorTo"]} <= colours
    asked = [r for r in map(Requirement, metadata.requires("gradio")) if r.name in OURS]
    assert all(r.specifier.contains(OURS[r.name]) for r in asked), "a Space adds gradio[oauth,mcp]"
    versions = re.findall(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", CHANGELOG, re.MULTILINE)
    assert versions == sorted(versions, key=lambda one: Version(one[0]), reverse=True)
    cited = held("CITATION.cff")
    assert (cited["version"], str(cited["date-released"])) == versions[0]
    assert versions[0][0] == qa_demo.__version__


def test_ci_runs_the_commands_of_the_readme():
    script = ROOT / ".ci" / "run"
    assert TEST == "python3 tests/run.py"
    assert script.read_text().endswith(f"\nexec {TEST} </dev/null\n") and os.access(script, os.X_OK)
    jobs = held(".github/workflows/check.yml")["jobs"]
    steps = "\n".join(step.get("run", "") for step in jobs["linux"]["steps"])
    assert START in steps and TEST in steps
    assert jobs["linux"]["strategy"]["matrix"]["python"] == PYTHONS
    assert jobs["quick"]["steps"][-1]["run"] == "python tests/run.py --quick"
    modules = re.findall(r"^\s*(?:import|from) (\w+)", (ROOT / "tests/run.py").read_text(), re.M)
    assert set(modules) <= sys.stdlib_module_names, "the test command needs nothing installed"
    (local,) = held(".pre-commit-config.yaml")["repos"]
    for hook in local["hooks"]:
        tool = hook["entry"].split()[0]
        there = tool == "python3" or (ROOT / tool).exists() or not (ROOT / ".venv").exists()
        assert there, f"{tool}: python3 tests/run.py installs it"
    assert held(".github/ISSUE_TEMPLATE/report.yml")["body"][0]["attributes"]["label"] == "Link"
    assert (ROOT / "qa_demo" / "py.typed").is_file()


def test_the_documents_are_short_one_link_away_and_name_no_place_on_the_author_s_machine():
    texts = {**PAGES, "README.md": README.split("---\n", 2)[2], "CONTRIBUTING.md": CONTRIBUTING}
    words = {n: sum(bool(re.search(r"\w", w)) for w in t.split()) for n, t in texts.items()}
    most = {"README.md": 600, "CONTRIBUTING.md": 1000}
    assert [name for name, count in words.items() if count > most.get(name, 900)] == []
    assert len(re.findall(r"^\d\. \*\*", README, re.MULTILINE)) == 5, "things to do next"
    linked = set(re.findall(r"\]\(([\w./-]+\.md)\)", README))
    assert linked == {*PAGES, "CONTRIBUTING.md", "CHANGELOG.md"} - {"README.md"}
    scripts = (FOLDERS["reader"] / "README.md", ROOT / ".ci" / "run", ROOT / "tests" / "run.py")
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *scripts):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(?:work|home|root)/|\.\./shared(?!/\w+\.js)", text), path.name


def anchors(text: str) -> set[str]:
    """What a link may name behind #: the headings, as GitHub writes them."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_between_the_documents_lead_somewhere(page):
    path, link = ROOT / page, r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)"
    for target, anchor in re.findall(link, path.read_text(encoding="utf-8")):
        there = path.parent / target if target else path
        assert there.is_file(), (page, target)
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), (page, anchor)


def test_the_chapters_limits_and_pythons_that_are_told_are_those_of_the_page():
    table = re.findall(r"^\| ([A-Z][^|]*?) \| (\w.*\?) \|$", PAGES["docs/using.md"], re.MULTILINE)
    assert table == [(chapter.NAME, chapter.STEPS[0][1]) for chapter in CHAPTERS.values()]
    told = {"using": CHAPTERS, "api": [*CHAPTERS, *CALLS], "command-line": CALLED}
    for page, named in told.items():
        missing = [name for name in named if f"`{name}`" not in PAGES[f"docs/{page}.md"]]
        assert not missing, f"docs/{page}.md"
    for page in ("README.md", "docs/api.md"):
        assert f"{MAX_CHARACTERS:,} characters" in PAGES[page], page
    rules = re.search(r"`rule` of `read` says(.*?)A threshold", PAGES["docs/api.md"], re.DOTALL)
    assert rules is not None and set(re.findall(r"`(\w+)`", rules[1])) == set(RULES)
    (tried,) = re.findall(r"^\| Python \| (.+?) \|", PAGES["docs/how-sure.md"], re.MULTILINE)
    assert re.findall(r"(3\.\d+) on Debian", README) == re.findall(r"3\.\d+", tried) == PYTHONS


def test_the_chapter_that_is_shown_is_whole(monkeypatch, tmp_path):
    (text,) = re.findall(r"```python\n(.*?)^```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    chapter = ModuleType("words")
    exec(text, chapter.__dict__)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "words.py").write_text("print(1)")
    monkeypatch.setattr("qa_demo.blocks.ASSETS", tmp_path)
    assert {"NAME", "STEPS", "OPENS", "Own", "picture"} <= set(dir(chapter))
    monkeypatch.setitem(CHAPTERS, "why", chapter)  # asked for by the name of one that is there
    for state in (chapter.OPENS[1], *({"question": q, "context": c} for q, c in OWN)):
        found = blocks(stored() if "example" in state else full(), chapter="why", **state)
        assert found.keys() >= EVERY
    found = blocks(stored(), chapter="why", **chapter.OPENS[1], own={"why": {"most": 3}})
    assert len(found["words"]["data"][0]["x"]) == len(found["rows"]["rows"]) == 3


def test_paths_and_names_in_the_documents_exist_and_formulas_stand_in_their_functions():
    paths = set(re.findall(r"[`(]((?:assets|qa_demo|tests|\.ci)/[\w./-]+)[`)]", WRITTEN))
    assert {"qa_demo/state.py", "tests/chapters/given.py", "assets/spanbert"} <= paths
    assert [p for p in paths if not (ROOT / p).exists()] == []
    assert [package for package, text in PACKAGES.items() if len(text) < 40] == []
    dotted = set(re.findall(r"\bqa_demo(?:\.\w+)+", WRITTEN))
    assert len(dotted) > 20
    for name in dotted:
        resolve_name(name)
    rows = re.findall(r"^\| .+ \| (.+) \| `(qa_demo\.core\.\w+\.\w+)` \|$", CONTRIBUTING, re.M)
    assert len(rows) >= 18 and CONTRIBUTING.index("| the formula of ... |") < 100
    for formula, name in rows:
        assert formula in " ".join(resolve_name(name).__doc__.split()), name


def test_fill_replaces_what_stands_between_marks_and_figures_are_the_bundled_readers():
    text = "a\n<!-- x -->\nold\n<!-- /x -->\nb"
    assert card.with_bodies(text, {"x": "new \\1"}) == "a\n<!-- x -->\nnew \\1\n<!-- /x -->\nb"
    for broken in ("a", text + text):
        with pytest.raises(BadInput, match="exactly one pair"):
            card.with_bodies(broken, {"x": "new"})
    for name, text in CARDS.items():
        assert card.with_bodies(text, card.bodies(FOLDERS[name])) == text
        assert len(text.splitlines()) <= 250
    files = ("model.safetensors", "bio_head.safetensors")
    many = sum(x.size for f in files for x in load_file(FOLDERS["reader"] / f).values())
    assert f"{many / 1e6:.1f} million parameters" in CARDS["reader"]
    scores = {"scores": card.bodies(FOLDERS["reader"])["scores"]}
    assert card.with_bodies(PAGES["docs/how-sure.md"], scores) == PAGES["docs/how-sure.md"]


@pytest.mark.parametrize("text", CARDS.values(), ids=CARDS)
def test_every_command_of_training_on_a_card_parses(text, monkeypatch):
    parse = ArgumentParser.parse_known_args

    def only_parse(parser: ArgumentParser, *words: object, **given: object) -> None:
        assert parse(parser, *words, **given)[1] == []
        sys.exit("every word of it was read")  # and nothing is trained

    monkeypatch.setattr(ArgumentParser, "parse_known_args", only_parse)
    shown = re.findall(r"^python -m (qa_demo\.training\.\w+) ((?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert shown
    for name, flags in shown:
        with pytest.raises(SystemExit, match="every word of it was read"):
            importlib.import_module(name).main(shlex.split(flags.replace("\\\n", "")))


@pytest.mark.parametrize("name", CARDS)
def test_of_every_file_that_was_trained_on_a_card_tells_the_licence(name):
    told = CARDS[name.removesuffix("-large")]  # the large one's card leads to the other's table
    commands = "".join(re.findall(r"^```\w*\n(.*?)^```", CARDS[name], re.MULTILINE | re.DOTALL))
    files = set(re.findall(r"([\w-]+)\.(?:json\.gz:\d|txt\.gz)", commands))
    rows = re.findall(r"^\| (.*) \| .* \| .*(CC BY|Apache|MIT|BSD|public)", told, re.MULTILINE)
    assert files and files <= {file for row, _ in rows for file in row.split(", ")}


def test_the_space_commands_that_are_shown_are_read_by_the_pinned_client():
    """Every flag and place; the hub is not asked."""
    found = {}
    for command in re.findall(r"^hf .*$", TEXT, re.MULTILINE):
        part, words = hf.app, shlex.split(command)[1:]
        while hasattr(part, "resolve_command"):
            name, part, words = part.resolve_command(click.Context(part), words)
        found[name] = part.make_context(name, words).params
    made, sent = found["create"], found["upload"]
    assert (made["repo_type"], made["sdk"]) == ("space", "gradio")
    assert sent["repo_type"] == "space" and sent["repo_id"] == made["repo_id"]
    assert sent["exclude"] == (".git/*", ".venv/*", "runs/*") and sent["local_path"] == "."


def test_every_requirement_is_pinned_exactly_installed_so_and_locked_with_a_hash():
    allowed = re.compile(r"#.*|-r requirements\.txt|[A-Za-z0-9_-]+==[0-9.]+(; .*)?")
    for name in FILES:
        lines = (ROOT / name).read_text().splitlines()
        assert [line for line in lines if not allowed.fullmatch(line)] == []
    for name in (*FILES, "tests/run.py", ".ci/run"):
        assert "index-url" not in (ROOT / name).read_text(), name
    pinned = pins(*FILES)
    assert {name: metadata.version(name).partition("+")[0] for name in pinned} == pinned
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = [re.fullmatch(r"([\w-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", x) for x in lines[3:]]
    assert all(locked) and all(line.startswith("# ") for line in lines[:3])
    known = {found[1]: found[2].partition("+")[0] for found in locked if found}
    ours = {name.replace("_", "-"): version for name, version in OURS.items()}
    assert ours.items() <= known.items()


def test_every_dependency_has_its_reason_and_its_pin_but_no_next_major_version():
    """torch alone is one version: a range brought 2.15 and four gigabytes for graphics cards."""
    ranges = {r.name: r.specifier for r in map(Requirement, PROJECT["dependencies"])}
    assert ranges.keys() == OURS.keys()
    for name, pin in OURS.items():
        assert ranges[name].contains(pin), name
        assert not ranges[name].contains(f"{Version(pin).major + 1}.0"), name
        assert any(part.operator == "==" for part in ranges[name]) == (name == "torch"), name
    table = PAGES["docs/hosting.md"].partition("| package | why |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w.*?) \|", table, re.MULTILINE)
    assert sorted(", ".join(rows).split(", ")) == sorted(OURS)
