"""What people look for in a project: the workflow, hooks, a form for faults, how to cite it."""

import re
from importlib import resources

import yaml

import qa_demo
from tests.documents import PAGES, README, ROOT


def loaded(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_workflow_runs_the_two_commands_of_the_readme() -> None:
    jobs = loaded(".github/workflows/check.yml")["jobs"]
    shown = re.findall(r"^```\n(python3 .*)\n```$", README, re.MULTILINE)
    steps = "\n".join(step.get("run", "") for step in jobs["linux"]["steps"])
    assert len(shown) == 2 and all(command in steps for command in shown)
    tried = re.findall(r"(3\.\d+) on Debian", README)
    assert jobs["linux"]["strategy"]["matrix"]["python"] == tried
    assert jobs["quick"]["steps"][-1]["run"] == "python tests/run.py --quick"


def test_hooks_and_the_form_are_whole() -> None:
    (local,) = loaded(".pre-commit-config.yaml")["repos"]
    for hook in local["hooks"]:
        tool = hook["entry"].split()[0]
        assert tool == "python3" or (ROOT / tool).exists() or not (ROOT / ".venv").exists()
    asked = loaded(".github/ISSUE_TEMPLATE/report.yml")["body"]
    assert asked[0]["attributes"]["label"] == "Link"


def test_the_citation_names_the_newest_version_and_its_day() -> None:
    cited = loaded("CITATION.cff")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (day,) = re.findall(rf"^## {qa_demo.__version__} \((\S+)\)$", changes, re.MULTILINE)
    assert (cited["version"], str(cited["date-released"])) == (qa_demo.__version__, day)


def test_every_dependency_has_its_reason() -> None:
    names = re.findall(r"^(\w[\w-]*)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    table = PAGES["docs/hosting.md"].partition("| package | why |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w.*?) \|", table, re.MULTILINE)
    told = [name for row in rows for name in row.split(", ")]
    assert sorted(told) == sorted(names)


def test_types_come_with_the_package() -> None:
    assert resources.files("qa_demo").joinpath("py.typed").is_file()


def test_the_lock_holds_every_pin_and_a_hash_for_each() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = [re.fullmatch(r"([\w-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", x) for x in lines[3:]]
    assert all(locked) and all(line.startswith("# ") for line in lines[:3])
    known = {found[1]: found[2].partition("+")[0] for found in locked if found}
    pins = re.findall(r"^(\w[\w-]*)==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert {name.replace("_", "-"): version for name, version in pins}.items() <= known.items()
