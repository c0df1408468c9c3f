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
FACES = {
    "sans": ("inter-ui/package/variable/InterVariable.woff2", SIGNS, {**WEIGHTS, "opsz": 14}),
    "serif": (f"{SERIF}-Roman.ttf", SIGNS, {**WEIGHTS, "opsz": 16}),
    "serif-italic": (f"{SERIF}-Italic.ttf", SIGNS, {"wght": 400, "opsz": 16}),
    "signs": ("noto-sans-math/package/files/noto-sans-math-latin-400-normal.woff2", MATH, {}),
    "boxes": (
        "noto-sans-symbols-2/package/files/noto-sans-symbols-2-symbols-400-normal.woff2",
        BOXES,
        {},
    ),
}  # fmt: skip


def codes(ranges: str) -> set[int]:
    """The code points of a list like "20-7E A0"."""
    ends = [part.split("-") for part in ranges.split()]
    return {n for pair in ends for n in range(int(pair[0], 16), int(pair[-1], 16) + 1)}


def cut(source: Path, ranges: str, limits: dict[str, object]) -> TTFont:
    """The font with these signs and this part of its axes alone."""
    options = subset.Options()
    options.layout_features, options.hinting, options.notdef_outline = FEATURES, False, True
    font = TTFont(source, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=codes(ranges))
    cutter.subset(font)
    held = io.BytesIO()
    font.flavor = None
    font.save(held)
    held.seek(0)
    font = TTFont(held, recalcTimestamp=False)
    return instancer.instantiateVariableFont(font, limits) if limits else font


def main() -> None:
    """Write every face beside this file."""
    packages, here = Path(sys.argv[1]), Path(__file__).parent
    for name, (source, ranges, limits) in FACES.items():
        font = cut(packages / source, ranges, limits)
        for record in font["name"].names:
            if record.nameID in (1, 3, 4, 6, 16):
                record.string = f"Spanlight-{name}"
        font.flavor = "woff2"
        font.save(here / f"{name}.woff2")


if __name__ == "__main__":
    main()
