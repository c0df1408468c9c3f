"""Code by others that is served is what its checksum says, and says where it comes from."""

import hashlib
import re
import unicodedata
from pathlib import Path

from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parents[1]
VENDOR = ROOT / "assets" / "page" / "vendor"
FONTS = VENDOR / "fonts"
ELSEWHERE = set("␡")
"""A sign for control characters, which only a hostile text has."""


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


def test_the_fonts_are_what_their_checksums_say_and_small() -> None:
    lines = (FONTS / "checksums.sha256").read_text().splitlines()
    named = {name: digest for digest, name in (line.split() for line in lines)}
    held = {path.name: path.read_bytes() for path in FONTS.glob("*.woff2")}
    assert named == {n: hashlib.sha256(data).hexdigest() for n, data in held.items()}
    assert sum(map(len, held.values())) < 250_000
    assert (
        len([p for p in FONTS.glob("LICENSE.*") if "SIL Open Font License" in p.read_text()]) == 4
    )
    assert set(re.findall(r'url\("([^"]+)"\)', (FONTS / "fonts.css").read_text())) == set(held)


def test_every_sign_that_the_page_writes_is_in_one_of_the_fonts() -> None:
    """All letters of its own sentences; what readers may type is the machine's fonts'."""
    has = {code for path in FONTS.glob("*.woff2") for code in TTFont(path).getBestCmap()}
    sources = [*(ROOT / "assets" / "page").rglob("*.js"), *(ROOT / "qa_demo").rglob("*.py")]
    sources += [*(ROOT / "assets" / "page").rglob("*.css"), *(ROOT / "assets").rglob("*.md")]
    written = {
        (letter, path.name)
        for path in sources
        if "vendor" not in path.parts and "reader" not in path.parts
        for letter in path.read_text(encoding="utf-8")
        if ord(letter) > 126 and unicodedata.category(letter)[0] in "LNPS"
    }
    assert {sign for sign, _ in written} >= set("−½→Σ≈ℓ₁ₖ⌈")
    lacking = {one for one in written if ord(one[0]) not in has and ord(one[0]) < 0x1F000}
    assert {sign for sign, _ in lacking} <= ELSEWHERE
