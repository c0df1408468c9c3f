"""What is installed: every package pinned, locked, explained, and allowed by the metadata."""

import re
import tomllib
from importlib import metadata

from packaging.requirements import Requirement
from packaging.version import Version

from tests.documents import PAGES, ROOT

FILES = ("requirements.txt", "requirements-dev.txt")


def pins(*files: str) -> dict[str, str]:
    """Package to version."""
    lines = [line for name in files for line in (ROOT / name).read_text().splitlines()]
    return dict(line.partition(";")[0].split("==") for line in lines if line[0] not in "#-")


OURS = pins("requirements.txt")


def test_every_requirement_is_pinned_exactly_and_installed_so():
    allowed = re.compile(r"#.*|-r requirements\.txt|[A-Za-z0-9_-]+==[0-9.]+(; .*)?")
    for name in FILES:
        lines = (ROOT / name).read_text().splitlines()
        assert [line for line in lines if not allowed.fullmatch(line)] == []
    for name in (*FILES, "tests/run.py", ".ci/run"):
        assert "index-url" not in (ROOT / name).read_text(), name
    pinned = pins(*FILES)
    assert {name: metadata.version(name).partition("+")[0] for name in pinned} == pinned


def test_every_dependency_has_its_reason():
    table = PAGES["docs/hosting.md"].partition("| package | why |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w.*?) \|", table, re.MULTILINE)
    assert sorted(", ".join(rows).split(", ")) == sorted(OURS)


def test_the_lock_holds_every_pin_and_a_hash_for_each():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = [re.fullmatch(r"([\w-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", x) for x in lines[3:]]
    assert all(locked) and all(line.startswith("# ") for line in lines[:3])
    known = {found[1]: found[2].partition("+")[0] for found in locked if found}
    ours = {name.replace("_", "-"): version for name, version in OURS.items()}
    assert ours.items() <= known.items()


def test_the_metadata_allows_each_pin_and_no_next_major_version():
    """torch alone is one version: a range brought 2.15 and four gigabytes for graphics cards."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = {r.name: r.specifier for r in map(Requirement, project["dependencies"])}
    assert ranges.keys() == OURS.keys()
    for name, pin in OURS.items():
        assert ranges[name].contains(pin), name
        assert not ranges[name].contains(f"{Version(pin).major + 1}.0"), name
        exact = any(part.operator == "==" for part in ranges[name])
        assert exact == (name == "torch"), name
