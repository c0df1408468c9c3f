"""Where the files that come with the package lie: examples, stored readings, models, the page."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def find_assets(package: Path) -> Path:
    """The folder `assets`: inside an installed package (by setup.py), beside it in a checkout."""
    inside = package / "assets"
    return inside if inside.is_dir() else package.with_name("assets")


ASSETS = find_assets(PACKAGE)
READERS = {"bundled": ASSETS / "reader", "large": ASSETS / "reader-large"}
"""The readers that come with the package, by the name to ask for."""
