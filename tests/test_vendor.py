"""Code by others that is served with the page is what its checksum says, and says where it comes
from.
"""

import hashlib
import re
from pathlib import Path

VENDOR = Path(__file__).resolve().parents[1] / "assets" / "page" / "vendor"


def test_each_vendored_module_has_its_checksum_its_licence_and_its_versions() -> None:
    modules = [path for path in sorted(VENDOR.glob("*.js")) if not path.name.endswith(".entry.js")]
    assert modules
    for path in modules:
        digest, name = Path(f"{path}.sha256").read_text().split()
        assert (name, digest) == (path.name, hashlib.sha256(path.read_bytes()).hexdigest())
        said = path.read_text(encoding="utf-8").split("\n", 1)[0]
        told = (VENDOR / "README.md").read_text()
        for package, version in re.findall(r"(d3-\w+) (\d+\.\d+\.\d+)", said):
            assert f"{package}@{version}" in told and f"| {package} | {version} |" in told
    assert (
        "Permission to use, copy, modify, and/or distribute this software"
        in (VENDOR / "LICENSE").read_text()
    )


def test_no_vendored_module_loads_from_elsewhere() -> None:
    for path in VENDOR.glob("*.js"):
        if not path.name.endswith(".entry.js"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"https?://(?!www\.w3\.org/)", text), (
                "the name of SVG is no address to load from"
            )
            assert not re.search(r"\bimport\s*[({\"*']|\bfrom\s*[\"']", text)
