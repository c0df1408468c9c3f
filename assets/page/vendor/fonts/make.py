"""Cut the fonts to the signs of the page: python make.py FOLDER, where FOLDER holds the unpacked
packages that README.md names; needs fonttools and brotli.

A cut font is a changed one, so it has a name of its own, as the licence of one of them asks.
"""

import io
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

BASE = (
    "20-7E A0 A7 AB B0-B3 B7 B9 BB BD C0-FF 394 3A3 2009 200A 2013 2014 2018 2019 201C 201D 2026 "
    "2032 2070 2074-2079 207B 2081 2190-2193 2202 2212 221E 2248 2264 2265"
)
"""What nearly every page needs: the other signs are files of their own, which wait until a text
has one of them.
"""
SIGNS = (
    "20-7E A0-17F 192 1E9E 218-21B 2BC 2C6 2D8-2DD 300-304 306-308 30A-30C 327 328 37E 384-3CE "
    "2009 200A 2010-2015 2018-201E 2020-2022 2026 202F 2030 2032 2033 2039 203A 2044 2070-209C "
    "20AC 1D62-1D6A 2C7C 2113 2116 2122 2150-215E 2190-2199 21A9 21AA 21B5 2200-22FF 2308-230B "
    "2423 25A0-25FF 2610 2611 2713 2715 2717 27E8 27E9 FFFD"
)
MATH = "2200 2203 2208 2209 2217 221D 2227-222A 2261 2282 2286 2308-230B 25B8 25B9 25BE 27E8 27E9"
BOXES = "2610 2611 2715"
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum", "lnum", "case"]
SERIF = "source-serif/package/VAR/SourceSerif4Variable"
WEIGHTS = {"wght": (400, 700)}
SANS = ("inter-ui/package/variable/InterVariable.woff2", {**WEIGHTS, "opsz": 14})
ROMAN = (f"{SERIF}-Roman.ttf", {**WEIGHTS, "opsz": 16})
NOTO = "noto-sans-{0}/package/files/noto-sans-{0}-{1}-400-normal.woff2"


def codes(ranges: str) -> set[int]:
    """The code points of a list like "20-7E A0"."""
    ends = [part.split("-") for part in ranges.split()]
    return {n for pair in ends for n in range(int(pair[0], 16), int(pair[-1], 16) + 1)}


REST = codes(SIGNS) - codes(BASE)
FACES = {
    "sans": (*SANS, codes(BASE)),
    "sans-more": (*SANS, REST),
    "serif": (*ROMAN, codes(BASE)),
    "serif-more": (*ROMAN, REST),
    "serif-italic": (f"{SERIF}-Italic.ttf", {"wght": 400, "opsz": 16}, codes(BASE)),
    "signs": (NOTO.format("math", "latin"), {}, codes(MATH)),
    "boxes": (NOTO.format("symbols-2", "symbols"), {}, codes(BOXES)),
}


def cut(source: Path, signs: set[int], limits: dict[str, object]) -> TTFont:
    """The font with these signs and this part of its axes alone."""
    options = subset.Options()
    options.layout_features, options.hinting, options.notdef_outline = FEATURES, False, True
    font = TTFont(source, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=signs)
    cutter.subset(font)
    held = io.BytesIO()
    font.flavor = None
    font.save(held)
    held.seek(0)
    font = TTFont(held, recalcTimestamp=False)
    return instancer.instantiateVariableFont(font, limits) if limits else font


def ranges(font: TTFont) -> str:
    """What a font has, as a style sheet says it."""
    runs: list[list[int]] = []
    for code in sorted(font.getBestCmap()):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ", ".join(f"U+{a:X}-{z:X}" if z > a else f"U+{a:X}" for a, z in runs)


def main() -> None:
    """Write every face beside this file, and fonts.css with the signs that each has."""
    packages, here = Path(sys.argv[1]), Path(__file__).parent
    rules = ["/* Made by make.py; README.md says where the letters come from. */"]
    for name, (source, limits, signs) in FACES.items():
        font = cut(packages / source, signs, limits)
        for record in font["name"].names:
            if record.nameID in (1, 3, 4, 6, 16):
                record.string = f"Spanlight-{name}"
        font.flavor = "woff2"
        font.save(here / f"{name}.woff2")
        style = " font-style: italic;" if name.endswith("italic") else ""
        weight = " font-weight: 400 700;" if limits and not style else ""
        rules.append(
            f'@font-face {{ font-family: "Spanlight {name.partition("-")[0].title()}"; '
            f'src: url("{name}.woff2") format("woff2");{weight}{style} font-display: block; '
            f"unicode-range: {ranges(font)}; }}"
        )
    (here / "fonts.css").write_text("\n".join(rules) + "\n")


if __name__ == "__main__":
    main()
