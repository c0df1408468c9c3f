"""Code by others that is served is what its checksum says, and says where it comes from."""

import re
import unicodedata
from hashlib import sha256
from pathlib import Path

import plotly
from fontTools.ttLib import TTFont

from tests.documents import ROOT

VENDOR = ROOT / "assets" / "page" / "vendor"
FONTS = VENDOR / "fonts"


def test_plotly_is_the_one_inside_the_python_package():
    own = VENDOR / "plotly-cartesian.min.js"
    of_python = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    checksum = f"{sha256(own.read_bytes()).hexdigest()}  {own.name}\n"
    assert (VENDOR / "checksums.sha256").read_text() == checksum
    version = (VENDOR / "VERSION").read_text().strip()
    for bundle in (own, of_python):
        assert f" v{version}\n" in bundle.read_text(encoding="utf-8")[:200], bundle
    assert (VENDOR / "LICENSE.plotly").read_text().startswith("MIT License")
    assert own.stat().st_size < 2_000_000


def test_the_fonts_are_what_their_checksums_say_and_hold_every_sign_that_the_page_writes():
    """All letters of its own sentences; what readers may type is the machine's fonts'."""
    has = {code for path in FONTS.glob("*.woff2") for code in TTFont(path).getBestCmap()}
    sources = [*(ROOT / "assets" / "page").rglob("*.js"), *(ROOT / "qa_demo").rglob("*.py")]
    sources += [*(ROOT / "assets" / "page").rglob("*.css"), *(ROOT / "assets").rglob("*.md")]
    written = {
        (letter, path.name)
        for path in sources
        if not {"vendor", "reader", "model"} & set(path.parts)
        for letter in path.read_text(encoding="utf-8")
        if ord(letter) > 126 and unicodedata.category(letter)[0] in "LNPS"
    }
    assert {sign for sign, _ in written} >= set("−→Σ≈·")
    lacking = {one for one in written if ord(one[0]) not in has and ord(one[0]) < 0x1F000}
    assert {sign for sign, _ in lacking} <= {"␡"}, "for control characters, of hostile texts alone"
    lines = (FONTS / "checksums.sha256").read_text().splitlines()
    named = {name: digest for digest, name in (line.split() for line in lines)}
    held = {path.name: path.read_bytes() for path in FONTS.glob("*.woff2")}
    assert named == {n: sha256(data).hexdigest() for n, data in held.items()}
    assert sum(map(len, held.values())) < 250_000
    licences = [path.read_text() for path in FONTS.glob("LICENSE.*")]
    assert sum("SIL Open Font License" in text for text in licences) == 4
    sheet = (FONTS / "fonts.css").read_text()
    rules = re.findall(r'url\("([^"]+)"\).*unicode-range: ([^;]+);', sheet)
    assert {name for name, _ in rules} == set(held)
    for name, ranges in rules:
        ends = [part[2:].split("-") for part in ranges.split(", ")]
        told = {n for pair in ends for n in range(int(pair[0], 16), int(pair[-1], 16) + 1)}
        assert told == set(TTFont(FONTS / name).getBestCmap()), name
