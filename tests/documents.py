"""What a reader of this project is given to read: README.md, and the pages in docs/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
"""Each page by its path in the checkout."""
README = PAGES["README.md"]
TEXT = "\n".join(PAGES.values())
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
